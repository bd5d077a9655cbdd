package generator

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestParseAccess(t *testing.T) {
	for _, c := range []struct {
		text string
		want Access
		form string // empty: the text
	}{
		{"uniform", Access{Pattern: Independent}, ""},
		{"seq", Access{Pattern: InSequence}, ""},
		{"shuffle", Access{Pattern: Shuffle}, ""},
		{"oldest", Access{Pattern: Oldest}, ""},
		{"ycsb-zipf", Access{Pattern: YCSBZipf}, ""},
		{"zipf", Access{Pattern: Zipf, Theta: 0.99}, "zipf(0.99)"},
		{" zipf( 1.2 ) ", Access{Pattern: Zipf, Theta: 1.2}, "zipf(1.2)"},
		{"zipf(0)", Access{Pattern: Zipf}, ""},
		{"latest", Access{Pattern: Latest, Theta: 0.99}, "latest(0.99)"},
		{"latest(theta=2)", Access{Pattern: Latest, Theta: 2}, "latest(2)"},
		{"hot(10%,90%)", Access{Pattern: HotSet, Hot: 10, Share: 90}, ""},
		{"hot(7%, 99.9%, shift=1%/min)", Access{Pattern: HotSet, Hot: 7, Share: 99.9, Shift: 1}, "hot(7%,99.9%,shift=1%/min)"},
		{"hot(10%,90%,shift=60%/h)", Access{Pattern: HotSet, Hot: 10, Share: 90, Shift: 1}, "hot(10%,90%,shift=1%/min)"},
		{"hot(10%,90%,shift=5%/s)", Access{Pattern: HotSet, Hot: 10, Share: 90, Shift: 300}, ""},
		{"exponential(85.7%, 95%)", Access{Pattern: Exponential, Hot: 85.7, Share: 95}, "exponential(85.7%,95%)"},
		{"range(1..50)", Access{First: 1, Last: 50}, ""},
		{"range(1..50):zipf(0.99)", Access{Pattern: Zipf, Theta: 0.99, First: 1, Last: 50}, ""},
		{"range( 11 .. 20 ) : seq", Access{Pattern: InSequence, First: 11, Last: 20}, "range(11..20):seq"},
		{"range(5..12, 2..3 of 4):uniform", Access{Pattern: Independent, First: 5, Last: 12, Group: Group{2, 3, 4}}, "range(5..12,2..3 of 4):uniform"},
	} {
		got, err := ParseAccess(c.text)
		if err != nil || got != c.want {
			t.Errorf("ParseAccess(%q) = %+v, %v; want %+v", c.text, got, err, c.want)
		}
		form := c.form
		if form == "" {
			form = c.text
		}
		if got.String() != form {
			t.Errorf("%q is written %q, want %q", c.text, got, form)
		}
		data, err := json.Marshal(got)
		var back Access
		if err != nil || json.Unmarshal(data, &back) != nil || back != got {
			t.Errorf("JSON of %q is %s, read as %+v (%v)", c.text, data, back, err)
		}
	}
	data, err := json.Marshal(struct {
		A Access `json:"a,omitzero"`
	}{})
	if err != nil || string(data) != "{}" {
		t.Errorf("the zero value is %s, %v", data, err)
	}
}

func TestParseAccessErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "want uniform, seq",
		"zip(1)":                        "want uniform, seq",
		"seq(1)":                        "no arguments",
		"zipf(x)":                       "invalid exponent",
		"zipf(-1)":                      "invalid exponent",
		"zipf(101)":                     "want 0 to 100",
		"zipf(NaN)":                     "invalid exponent",
		"zipf(1,2)":                     "want zipf(EXPONENT)",
		"zipf()":                        "want zipf(EXPONENT)",
		"zipf(1":                        "want NAME",
		"zipf(1)x":                      "want NAME",
		"zipf((1))":                     "want NAME",
		"zipf(s=1)":                     `unknown argument "s"`,
		"hot(10%)":                      "invalid percentage",
		"hot(10,90)":                    "invalid percentage",
		"hot(0%,90%)":                   "more than 0%",
		"hot(100%,90%)":                 "less than 100%",
		"hot(10%,101%)":                 "0% to 100%",
		"hot(10%,90%,shift=1%)":         "/min",
		"hot(10%,90%,shift=1/min)":      "invalid percentage",
		"hot(10%,90%,speed=1%/min)":     `unknown argument "speed"`,
		"hot(10%,objects=10%)":          "invalid arguments",
		"exponential":                   "invalid percentage",
		"exponential(10%,100%)":         "less than 100% of the turns",
		"exponential(0%,10%)":           "more than 0%",
		"exponential(1%,2%,3%)":         "want exponential(OBJECTS%,TURNS%)",
		"range(0..5)":                   "counted from 1",
		"range(5..4)":                   "invalid range",
		"range(1..)":                    "invalid range",
		"range(1..5":                    "",
		"range(1..5)zipf(1)":            "invalid range",
		"range(1..5):":                  "invalid range",
		"range(1..5):range(1..2)":       "want uniform, seq",
		"range(1..9223372036854775807)": "invalid range",
		"range(1..8,1..2)":              "want whole groups",
		"range(1..8,3..2 of 4)":         "want whole groups",
		"range(1..8,3..5 of 4)":         "want whole groups",
		"range(2..8,1..2 of 4)":         "want whole groups",
		"range(1..7,1..2 of 4)":         "want whole groups",
		"range(1..8,1..2 of 0)":         "want whole groups",
	} {
		if _, err := ParseAccess(text); want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("ParseAccess(%q): %v does not say %q", text, err, want)
		}
	}
	a := Access{First: 1, Last: 50}
	if a.Check(50, "objects") != nil || a.Check(49, "objects") == nil || (Access{}).Check(0, "objects") != nil {
		t.Error("Check does not compare the range with the number of objects")
	}
}

func FuzzParseAccess(f *testing.F) {
	for _, s := range []string{"uniform", "zipf(0.99)", "hot(10%,90%,shift=1%/min)", "range(1..50):latest(2)", "hot(1e-3%,5%,shift=7%/s)", "hot(3%,1%,shift=0.1%/h)", "exponential(1%,99%)", "range(5..12,2..3 of 4):uniform"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAccess(text)
		if err != nil {
			return
		}
		if again, err := ParseAccess(a.String()); err != nil || again != a {
			t.Fatalf("%q is written %q, which is read as %+v, %v", text, a, again, err)
		}
		n := max(a.Last, 1)
		if n > maxZipf {
			return
		}
		c := NewChoice(a, n, 1)
		for turn := range uint64(20) {
			if i := c.At(turn, 1<<40); i >= n {
				t.Fatalf("%q: turn %d uses object %d of %d", text, turn, i, n)
			}
		}
		if i := c.At(math.MaxUint64, math.MaxInt64); i >= n {
			t.Fatalf("%q: the last turn uses object %d of %d", text, i, n)
		}
	})
}

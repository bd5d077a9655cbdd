package load

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

func shapeFrom(t testing.TB, text string) Shape {
	t.Helper()
	s, err := ParseShape(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

func scheduleOf(t testing.TB, text string, arrivals Arrivals) Schedule {
	t.Helper()
	c, err := shapeFrom(t, text).Schedule(arrivals, 7)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return c
}

func TestParseShape(t *testing.T) {
	for text, want := range map[string]string{
		"100":                           "100",
		"500/s":                         "500",
		" 1.5k ":                        "1500",
		"2M":                            "2000000",
		"0.001":                         "0.001",
		"1e-7":                          "1e-07",
		"100..1000/5m":                  "100..1000/5m",
		"100..1000/s/5m":                "100..1000/5m",
		"0..1/1h":                       "0..1/1h",
		"1/90m":                         "1/1h30m",
		"1/3.5s":                        "1/3.5s",
		"100,200@1m,400..800@5m/5m":     "100/1m,200/4m,400..800/5m",
		"100/1m,200/4m,400..800/5m":     "100/1m,200/4m,400..800/5m",
		"100/1m, 200@2m":                "100/1m,100/1m,200",
		"0..100/1m,50@5m":               "0..100/1m,100/4m,50",
		"100@10s":                       "0/10s,100",
		"100@0s":                        "100",
		"repeat(100/9s,0/1s)":           "repeat(100/9s,0/1s)",
		"repeat( 100..200/1m, 100@90s)": "",
		"repeat(10..20/1m,20..10/1m)":   "repeat(10..20/1m,20..10/1m)",
		"burst(200,5s)":                 "burst(200,5s)",
		"burst(1k, 1m)":                 "burst(1000,1m)",
		"sine( 100, 0.5k, 24h )":        "sine(100,500,24h)",
		"sine(0,1,1s)":                  "sine(0,1,1s)",
	} {
		s, err := ParseShape(text)
		if want == "" {
			if err == nil {
				t.Errorf("%q is %v, without an error", text, s)
			}
			continue
		}
		if err != nil || s.String() != want {
			t.Errorf("%q: got %q, %v; want %q", text, s, err, want)
		}
	}
}

func TestShapeErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                 `invalid level "" (want a level as in 100`,
		"fast":             `invalid level "fast"`,
		"-1":               "invalid level -1 (want 0 to 1e+09)",
		"1e10":             "invalid level 1e+10",
		"NaN":              "invalid level NaN",
		"0":                "its level is always 0 (want more)",
		"0/1m,0":           "its level is always 0 (want more)",
		"100..200":         `ramp "100..200" has no length (want one as in 100..200/5m)`,
		"100,200":          `stage "200": the one before it has no end (want its length, as in 100/1m, or a start, as in 200@1m)`,
		"100,200@0s":       `stage "200@0s" begins before the one before it ends`,
		"100/1m,200@30s":   `stage "200@30s" begins before the one before it ends`,
		"100/0s":           `invalid length "0s"`,
		"100/-1s":          `invalid length "-1s"`,
		"100@-1s":          `invalid start "-1s"`,
		"100@x":            `invalid start "x"`,
		"100/200000h":      `invalid length "200000h"`,
		"1/80000h,2/8000h": "longer than ten years",
		"cosine(1,2)":      `unknown shape "cosine" (want a level as in 100`,
		"sine(1,2)":        `sine of "1,2" (want the lowest level, the highest and a period`,
		"sine(2,1,1h)":     `sine of "2,1,1h" (want the lowest level first`,
		"sine(1,2,1ms)":    `sine of "1,2,1ms" (want a period of at least 1s)`,
		"sine(1,x,1h)":     `invalid level "x"`,
		"sine(1,2,x)":      `invalid length "x"`,
		"sine(-1,2,1h)":    "invalid level -1",
		"repeat(1/1s,2)":   "the last stage repeated has no length (want one, as in 0/1s)",
		"burst(0,1s)":      `burst of "0" (want a whole number`,
		"burst(1.5,1s)":    `burst of "1.5" (want a whole number`,
		"burst(5)":         `invalid length ""`,
		"burst(5,0s)":      `invalid length "0s"`,
		"100/sxyz":         `invalid unit "/sxyz" (want /s, as in 100/s)`,
		"100/s5m":          `invalid unit "/s5m"`,
		"1..2/s5m/5m":      `invalid unit "/s5m"`,
		"repeat(1/sec/1m)": `invalid unit "/sec"`,
	} {
		if s, err := ParseShape(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, %v; want %s", text, s, err, want)
		}
	}
	if _, err := ParseShape(strings.Repeat("1/1s,", maxStages+1) + "1"); err == nil {
		t.Error("too many stages are no error")
	}
}

// A sine wave has the level that the function has, and as many turns as its mean.
func TestLevel(t *testing.T) {
	for _, tt := range []struct {
		shape string
		at    time.Duration
		want  float64
	}{
		{"8", time.Hour, 8},
		{"1..64/5m", -time.Second, 1},
		{"0..64/4m", time.Minute, 16},
		{"1..64/5m", 6 * time.Minute, 64},
		{"8/1m,16/1m,32/1m", 90 * time.Second, 16},
		{"8,16@1m,16..64@5m/5m", 450 * time.Second, 40},
		{"repeat(100/9s,0/1s)", 19500 * time.Millisecond, 0},
		{"repeat(100/9s,0/1s)", 10 * time.Second, 100},
		{"burst(200,5s)", time.Second, 0},
	} {
		if got := shapeFrom(t, tt.shape).Level(tt.at); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s is %g after %v, want %g", tt.shape, got, tt.at, tt.want)
		}
	}
}

func TestSine(t *testing.T) {
	s := shapeFrom(t, "sine(100,500,1h)")
	start := time.Duration(0)
	for _, st := range s.stages {
		for _, share := range []float64{0, 0.25, 0.5, 0.75} {
			at := start + time.Duration(share*float64(st.length))
			want := 300 - 200*math.Cos(2*math.Pi*at.Hours())
			if got := st.from + share*(st.to-st.from); math.Abs(got-want) > 0.003*400 {
				t.Errorf("level %v after %v, want %v", got, at, want)
			}
		}
		start += st.length
	}
	if start != time.Hour {
		t.Errorf("a period takes %v", start)
	}
	c := scheduleOf(t, "sine(100,500,1h)", Even)
	for hours := 1; hours <= 3; hours++ {
		if n := Turns(c, time.Duration(hours)*time.Hour); math.Abs(float64(n)-float64(hours)*300*3600) > 2 {
			t.Errorf("%d turns in %d h, want %d", n, hours, hours*300*3600)
		}
	}
	list := Steps(s, time.Hour)
	if len(list) != 8 || list[0].From != 100 || math.Abs(list[3].To-500) > 1e-9 || list[7].End != time.Hour {
		t.Errorf("steps %+v", list)
	}
}

func TestShapeInJSON(t *testing.T) {
	type plan struct {
		Rate Shape `json:"rate,omitzero"`
	}
	for _, text := range []string{`{"rate":"100..1000/5m"}`, `{}`} {
		var p plan
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Fatal(err)
		}
		if b, err := json.Marshal(p); err != nil || string(b) != text {
			t.Errorf("got %s, %v; want %s", b, err, text)
		}
	}
}

func TestReadShape(t *testing.T) {
	for _, c := range []struct{ file, want, err string }{
		{"0,100\n60,200\n", "50..100/1m,100", ""},
		{"time,rate\n0,100\n30s,100\n30s,400\n0:01,400\n", "50/30s,200/30s,200", ""},
		{"# a day\n10,100\n", "50/10s,50", ""},
		{"# a day\ntime,rate\n10,100\n", "50/10s,50", ""},
		{"0,1\n12:30:00,2\n", "0.5..1/12h30m,1", ""},
		{"", "", "always 0"},
		{"time,rate\n", "", "always 0"},
		{"0,1\n1,fast\n", "", `line 2: invalid level "fast" (want a number)`},
		{"0,1\nx,1\n", "", `line 2: invalid time "x"`},
		{"5,1\n4,1\n", "", "line 2: 4 is before the line above it"},
		{"0\n", "", "wrong number of fields"},
		{"O,50\n10,100\n", "", `line 1: invalid time "O"`},
		{"l0s,4\n20s,8\n", "", `line 1: invalid time "l0s"`},
		{"O,5O\n10,100\n", "", `line 1: invalid time "O"`},
		{"1O,50\n10,100\n", "", `line 1: invalid time "1O"`},
		{"0,fifty\n10,100\n", "", `line 1: invalid level "fifty"`},
		{"time (s),rate (1/s)\n10,100\n", "50/10s,50", ""},
		{"0,-1\n", "", "invalid level -0.5"},
	} {
		s, err := ReadShape(strings.NewReader(c.file), 0.5)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: got %v, %v; want %s", c.file, s, err, c.err)
			}
		} else if err != nil || s.String() != c.want {
			t.Errorf("%q: got %q, %v; want %q", c.file, s, err, c.want)
		}
	}
	for _, scale := range []float64{0, -1, math.NaN()} {
		if _, err := ReadShape(strings.NewReader("0,1\n"), scale); err == nil {
			t.Errorf("a scale of %v is no error", scale)
		}
	}
}

// FuzzShape checks that what is parsed is printed in a form that means the same, and that its turns come in order.
func FuzzShape(f *testing.F) {
	for _, text := range []string{"100", "100..1000/5m", "100,200@1m,400..800@5m/5m", "repeat(100/9s,0/1s)", "burst(200,5s)", "500/s", "0/1m,1e9", "repeat(0.1/3s,0/7s)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseShape(text)
		if err != nil {
			return
		}
		again, err := ParseShape(s.String())
		if err != nil || again.String() != s.String() || fmt.Sprint(again) != fmt.Sprint(s) {
			t.Fatalf("%q is %q, which is %q, %v", text, s, again, err)
		}
		for i := 0; i <= min(len(text), 100); i++ {
			if odd, err := ParseShape(text[:i] + "!" + text[i:]); err == nil {
				t.Fatalf("%q is taken as %v", text[:i]+"!"+text[i:], odd)
			}
		}
		c, err := s.Schedule(Even, 0)
		if err != nil {
			t.Fatal(err)
		}
		before := time.Duration(0)
		for n := range uint64(2000) {
			due := c.Due(n)
			if due < before && due < 24*time.Hour { // a duration has 53 exact bits
				t.Fatalf("%q: turn %d is due at %v, the one before it at %v", s, n, due, before)
			}
			before = due
		}
	})
}

func FuzzReadShape(f *testing.F) {
	f.Add("0,100\n60,200\n")
	f.Add("time,rate\n12:30,1k\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ReadShape(strings.NewReader(text), 0.5)
		if err != nil {
			return
		}
		if again, err := ParseShape(s.String()); err != nil || again.String() != s.String() {
			t.Fatalf("%q is %q, which is %q, %v", text, s, again, err)
		}
	})
}

func TestTurns(t *testing.T) {
	for text, want := range map[string]uint64{"50": 100, "0..100/2s": 100, "100@1s": 100, "100/500ms,0": 50, "burst(10,1s)": 20} {
		s, err := ParseShape(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		sched, err := s.Schedule(Even, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := Turns(sched, 2*time.Second); got < want-1 || got > want+1 {
			t.Errorf("%s: %d turns in 2 s, want about %d", text, got, want)
		}
	}
}

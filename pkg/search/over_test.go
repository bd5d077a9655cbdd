package search

import (
	"strconv"
	"strings"
	"testing"
)

func (o Over) text() string {
	var list []string
	for _, v := range o.Values {
		list = append(list, v.Text)
	}
	return o.Name + "=" + strings.Join(list, " ")
}

func TestParseOver(t *testing.T) {
	for text, want := range map[string]string{
		"threads=1,2,4..64":      "threads=1 2 4 8 16 32 64",
		"threads=1,2,4..50":      "threads=1 2 4 8 16 32 50",
		"threads=1,2..8":         "threads=1 2 4 8",
		"threads=1,2..5":         "threads=1 2 3 4 5",
		"threads=16":             "threads=16",
		"--threads = 8 , 4":      "threads=8 4",
		"rate=100,200..500":      "rate=100 200 300 400 500",
		"rate=10,20,30..60":      "rate=10 20 30 40 50 60",
		"rate=0.5,1..2":          "rate=0.5 1 2",
		"rate=0,10..40":          "rate=0 10 20 30 40",
		"batch=1,10..1000":       "batch=1 10 100 1000",
		"batch=0..8":             "batch=0 1 3 7 8",
		"obj.size=4KiB..64KiB":   "obj.size=4KiB 8KiB 16KiB 32KiB 64KiB",
		"obj.size=1MB,4MB..64MB": "obj.size=1MB 4MB 16MB 64MB",
		"threads=1,2,4..8,100":   "threads=1 2 4 8 100",
		"rate=1e3,2e3..5e3":      "rate=1e3 2e3 3000 4000 5e3",
		"rate=1E3..8E3":          "rate=1E3 2000 4000 8E3",
		"obj.size=1M,2M..5M":     "obj.size=1M 2M 3MB 4MB 5M",
	} {
		o, err := parseOver(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := o.text(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"threads":         "--over: invalid value \"threads\" (want values as in",
		"=1,2":            "--over: invalid value \"=1,2\" (want values as in",
		"threads=":        "invalid value \"\"",
		"threads=1,x":     "invalid value \"x\"",
		"threads=1,1":     "1 is there twice",
		"threads=8..4":    "8..4 does not rise",
		"threads=1,2..":   "invalid value \"\"",
		"threads=-1":      "invalid value \"-1\"",
		"threads=NaN":     "invalid value \"NaN\"",
		"rate=1,2,3..1e9": "more than 1000 values",
	} {
		if _, err := parseOver(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// FuzzParseOver: what goes on from numbers is numbers, and from sizes sizes; all values differ; a text gives its own number again, and
// a range ends with the value that was written.
func FuzzParseOver(f *testing.F) {
	for _, text := range []string{
		"threads=1,2,4..256", "obj.size=4KiB..64MiB", "rate=0..1e300", "a=1,1.0000001..2", "rate=1e3,2e3..5e3", "rate=1E3..9E3", "rate=0x1p3..0x1p9", "size=1EB..4EB",
		"size=1e3,2KB..1e4", "a=1_000..9e3", "a=.5..8", "a=1e-3,2e-3..9e-3", "size=1.5KiB..9KiB", "a=1k..8k", "a=1..8Ei",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := parseOver(text)
		if err != nil {
			return
		}
		if o.Name == "" || len(o.Values) == 0 || len(o.Values) > maxValues {
			t.Fatalf("%q: %v", text, o)
		}
		_, list, _ := strings.Cut(text, "=")
		plain := true
		for _, part := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
			for end := range strings.SplitSeq(part, "..") {
				_, err := strconv.ParseFloat(strings.TrimSpace(end), 64)
				plain = plain && err == nil
			}
		}
		seen := map[float64]bool{}
		for _, v := range o.Values {
			again, err := appendValue(nil, v.Text)
			if err != nil || again[0].Number != v.Number || seen[v.Number] {
				t.Errorf("%q: value %q is %v, then %v, %v", text, v.Text, v.Number, again, err)
			}
			seen[v.Number] = true
			if _, err := strconv.ParseFloat(v.Text, 64); plain && err != nil {
				t.Errorf("%q: among numbers %q is none", text, v.Text)
			}
		}
	})
}

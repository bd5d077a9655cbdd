package units

import (
	"math"
	"strconv"
	"testing"
)

func TestParseCount(t *testing.T) {
	for text, want := range map[string]uint64{
		"0": 0, "1": 1, "10000": 10000, "10k": 10000, "10K": 10000, " 1M ": 1e6, "1.5M": 1_500_000, "0.5k": 500, "2G": 2e9, "1.234k": 1234,
		"18446744073709551615": math.MaxUint64,
	} {
		if got, err := ParseCount(text); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "k", "1.5", "1.", ".5k", "1.2345k", "-1", "+1", "1e3", "1 k", "1kk", "ten", "18446744073709551616", "99999999999999999G"} {
		if got, err := ParseCount(text); err == nil {
			t.Errorf("%q is %d, want an error", text, got)
		}
	}
}

func FuzzParseCount(f *testing.F) {
	f.Add("1.5M")
	f.Fuzz(func(t *testing.T, text string) {
		n, err := ParseCount(text)
		if err != nil {
			return
		}
		if again, err := ParseCount(strconv.FormatUint(n, 10)); err != nil || again != n {
			t.Errorf("%q is %d, which is %d, %v", text, n, again, err)
		}
	})
}

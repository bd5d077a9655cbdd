package rules

import (
	"testing"
	"time"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
)

// A run ends when more than the share of the operations of any such time failed, and no earlier.
func TestErrorLimit(t *testing.T) {
	start := time.Unix(1000, 0)
	for name, c := range map[string]struct {
		failed func(second int) int64 // of 100 operations in this second
		want   int                    // second of the run's end; 0: it does not end
	}{
		"none":                    {func(int) int64 { return 0 }, 0},
		"at the limit":            {func(int) int64 { return 5 }, 0},
		"above it":                {func(int) int64 { return 6 }, 10},
		"all, from the beginning": {func(int) int64 { return 100 }, 10},
		"later":                   {func(s int) int64 { return int64(100 * min(1, s/30)) }, 30},
		"a short burst":           {func(s int) int64 { return int64(50 * min(1, s/30) * min(1, 30/max(s, 1))) }, 0},
	} {
		var cause error
		b, err := flags.ParseBudget("5%/10s")
		if err != nil {
			t.Fatal(err)
		}
		l := NewErrorLimit(b, func(err error) { cause = err })
		l.Observe(start, 90_000, 90_000) // of the phase before
		var failed int64
		ended := 0
		for s := range 60 {
			failed += c.failed(s)
			l.Observe(start.Add(time.Duration(s)*time.Second), int64(100*(s+1)), failed)
			if cause != nil {
				ended = s
				break
			}
		}
		if ended != c.want || cause != nil && process.ExitCode(cause) != process.ExitErrors {
			t.Errorf("%s: ended in second %d, want %d (%v)", name, ended, c.want, cause)
		}
	}
	var none *ErrorLimit
	none.Observe(start, 1, 1)
}

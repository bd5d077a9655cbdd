package cli

import (
	"strings"
	"testing"
	"time"
)

func TestBudget(t *testing.T) {
	for _, c := range []struct {
		text          string
		failed, total int64
		broken        bool
	}{
		{"0", 0, 0, false},
		{"0", 0, 10, false},
		{"0", 1, 10, true},
		{"10", 10, 1000, false},
		{"10", 11, 1000, true},
		{"0.1%", 1, 1000, false},
		{"0.1%", 2, 1000, true},
		{"0%", 1, 1000, true},
		{"100%", 7, 7, false},
		{"5%/30s", 9, 10, false}, // it ends the run instead
	} {
		b, err := parseBudget(c.text)
		if err != nil {
			t.Error(err)
		}
		if got := b.broken(c.failed, c.total); got != c.broken {
			t.Errorf("%s, %d of %d failed: broken is %v", c.text, c.failed, c.total, got)
		}
	}
}

func TestParseBudget(t *testing.T) {
	for text, want := range map[string]budget{
		"0": {}, "10": {number: 10}, "0.1%": {percent: 0.1}, "5%/30s": {percent: 5, over: 30 * time.Second}, "0%/1m": {over: time.Minute},
	} {
		want.text = text
		if got, err := parseBudget(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "-1", "101%", "NaN%", "5/30s", "5%/", "5%/x", "5%/1ms", "5%/-3s", "%", "/", "1.5", "-1%", "Inf%", "9999999999999999999"} {
		if b, err := parseBudget(text); err == nil || !strings.Contains(err.Error(), "--max-errors: invalid value") {
			t.Errorf("%q: %+v, %v", text, b, err)
		}
	}
}

// A run ends when more than the share of the operations of any such time failed, and no earlier.
func TestErrorLimit(t *testing.T) {
	start := time.Unix(1000, 0)
	for name, c := range map[string]struct {
		failed func(second int) int64 // of 100 operations in this second
		want   int                    // second in which the run ends; 0: not at all
	}{
		"none":                    {func(int) int64 { return 0 }, 0},
		"at the limit":            {func(int) int64 { return 5 }, 0},
		"above it":                {func(int) int64 { return 6 }, 10},
		"all, from the beginning": {func(int) int64 { return 100 }, 10},
		"later":                   {func(s int) int64 { return int64(100 * min(1, s/30)) }, 30},
		"a short burst":           {func(s int) int64 { return int64(50 * min(1, s/30) * min(1, 30/max(s, 1))) }, 0},
	} {
		var cause error
		b, err := parseBudget("5%/10s")
		if err != nil {
			t.Fatal(err)
		}
		l := newErrorLimit(b, func(err error) { cause = err })
		l.observe(start, 90_000, 90_000) // of the phase before
		var failed int64
		ended := 0
		for s := range 60 {
			failed += c.failed(s)
			l.observe(start.Add(time.Duration(s)*time.Second), int64(100*(s+1)), failed)
			if cause != nil {
				ended = s
				break
			}
		}
		if ended != c.want || cause != nil && exitCode(cause) != exitErrors {
			t.Errorf("%s: ended in second %d, want %d (%v)", name, ended, c.want, cause)
		}
	}
	var none *errorLimit
	none.observe(start, 1, 1)
}

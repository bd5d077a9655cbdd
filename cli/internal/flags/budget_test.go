package flags

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
		b, err := ParseBudget(c.text)
		if err != nil {
			t.Error(err)
		}
		if got := b.Broken(c.failed, c.total); got != c.broken {
			t.Errorf("%s, %d of %d failed: broken is %v", c.text, c.failed, c.total, got)
		}
	}
}

func TestParseBudget(t *testing.T) {
	for text, want := range map[string]Budget{
		"0": {}, "10": {number: 10}, "0.1%": {Percent: 0.1}, "5%/30s": {Percent: 5, Over: 30 * time.Second}, "0%/1m": {Over: time.Minute},
	} {
		want.Text = text
		if got, err := ParseBudget(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "-1", "101%", "NaN%", "5/30s", "5%/", "5%/x", "5%/1ms", "5%/-3s", "%", "/", "1.5", "-1%", "Inf%", "9999999999999999999"} {
		if b, err := ParseBudget(text); err == nil || !strings.Contains(err.Error(), "--max-errors: invalid value") {
			t.Errorf("%q: %+v, %v", text, b, err)
		}
	}
}

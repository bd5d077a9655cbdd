package load

import (
	"math"
	"testing"
	"time"
)

func rateOf(t testing.TB, perSecond float64) Schedule {
	t.Helper()
	s, err := Rate(perSecond)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRate(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		perSecond float64
		n         uint64
		want      time.Duration
	}{
		{1, 0, 0},
		{1, 1, time.Second},
		{0.5, 1, 2 * time.Second},
		{2.5, 5, 2 * time.Second},
		{1000, 1, time.Millisecond},
		{3, 1, 333_333_333},
		{3, 3, time.Second},
		{3, 3 * 86_400 * 365, 365 * day},
		{7, 7 * 86_400 * 365, 365 * day},
		{1e6, 1e6 * 86_400, day},
		{0.001, 1, 1000 * time.Second},
		{1e9, 5, 5},
		{1e-300, 1, math.MaxInt64},
		{1, math.MaxUint64, math.MaxInt64},
	} {
		if got := rateOf(t, c.perSecond).Due(c.n); got != c.want {
			t.Errorf("turn %d at %v a second is due at %d, want %d", c.n, c.perSecond, got, c.want)
		}
	}
}

func TestRateNeverDecreases(t *testing.T) {
	for _, perSecond := range []float64{0.3, 7, 333.3, 999_999.9, 1e9} {
		s := rateOf(t, perSecond)
		for n := uint64(1); n < 1<<60; n = n*3 + 1 {
			for d := range uint64(100) {
				if s.Due(n+d+1) < s.Due(n+d) {
					t.Fatalf("%v a second: turn %d is due before turn %d", perSecond, n+d+1, n+d)
				}
			}
		}
	}
}

func TestRateRefusesTheImpossible(t *testing.T) {
	for _, perSecond := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1), 1.1e9} {
		if _, err := Rate(perSecond); err == nil {
			t.Errorf("%v a second is taken", perSecond)
		}
	}
}

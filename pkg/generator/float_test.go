package generator

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestElementaryFunctions compares with the standard library, to within a few units in the last place.
func TestElementaryFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	near := func(what string, x, got, want, tolerance float64) {
		t.Helper()
		if math.Abs(got-want) > tolerance*max(math.Abs(want), 1e-300) {
			t.Errorf("%s(%v) = %v, want %v", what, x, got, want)
		}
	}
	for range 20_000 {
		x := (r.Float64() - 0.5) * 1400
		near("exp", x, exp(x), math.Exp(x), 1e-15)
		small := (r.Float64() - 0.5) * 3
		near("exp", small, exp(small), math.Exp(small), 1e-15)
		near("expRatio", small, expRatio(small), math.Expm1(small)/small, 2e-15)
		y := math.Exp(x / 2)
		near("log", y, log(y), math.Log(y), 2e-15)
		if small > -1 && small != 0 {
			near("logRatio", small, logRatio(small), math.Log1p(small)/small, 2e-14)
		}
	}
	for _, c := range []struct{ got, want float64 }{
		{exp(0), 1}, {log(1), 0}, {expRatio(0), 1}, {logRatio(0), 1}, {exp(-1000), 0}, {exp(1000), math.Inf(1)}, {log(2), math.Ln2},
	} {
		if c.got != c.want {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
	if lo, hi := fraction(0), fraction(math.MaxUint64); lo <= 0 || hi >= 1 {
		t.Errorf("fractions from %v to %v", lo, hi)
	}
}

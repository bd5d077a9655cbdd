package compare

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"
)

// reference is values of a published implementation; the file says which, and the calls that made them.
type reference struct {
	MannWhitney []struct {
		A, B        []float64
		U           float64
		Asymptotic  float64
		Exact       *float64 // without ties
		Permutation *float64 // with ties: all permutations
	} `json:"mann_whitney"`
	Student  []struct{ T, Df, Tail float64 }
	Binomial []struct{ N, K int }
}

func readReference(t *testing.T) reference {
	t.Helper()
	text, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var r reference
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.MannWhitney) < 20 || len(r.Student) < 40 || len(r.Binomial) < 10 {
		t.Fatal("the reference is not complete")
	}
	return r
}

func near(got, want, relative float64) bool {
	return math.Abs(got-want) <= relative*math.Max(math.Abs(got), math.Abs(want))
}

func TestMannWhitneyReference(t *testing.T) {
	for _, c := range readReference(t).MannWhitney {
		u, p := mannWhitney(c.A, c.B)
		if u != c.U {
			t.Errorf("%v, %v: U = %v, want %v", c.A, c.B, u, c.U)
		}
		want := c.Asymptotic
		for _, exact := range []*float64{c.Exact, c.Permutation} {
			if exact != nil {
				want = *exact
			}
		}
		if len(c.A)+len(c.B) > maxExact || c.Exact != nil || c.Permutation != nil {
			if !near(p, want, 1e-9) {
				t.Errorf("%v, %v: p = %v, want %v", c.A, c.B, p, want)
			}
		}
		_, ties := doubleRanks(c.A, c.B)
		if p := approximateTail(u, len(c.A), len(c.B), ties); !near(p, c.Asymptotic, 1e-9) {
			t.Errorf("%v, %v: approximate p = %v, want %v", c.A, c.B, p, c.Asymptotic)
		}
	}
}

func TestStudentReference(t *testing.T) {
	for _, c := range readReference(t).Student {
		got := studentTail(c.T, c.Df)
		if !near(got, c.Tail, 1e-9) && math.Abs(got-c.Tail) > 1e-14 {
			t.Errorf("t = %v, df = %v: tail %v, want %v", c.T, c.Df, got, c.Tail)
		}
		if c.Tail > 1e-9 && c.Tail < 0.9999 {
			if q := StudentQuantile(c.Tail, c.Df); !near(q, c.T, 1e-6) {
				t.Errorf("tail %v, df = %v: quantile %v, want %v", c.Tail, c.Df, q, c.T)
			}
		}
	}
	if got := studentTail(math.Inf(1), 5); got != 0 {
		t.Errorf("beyond everything lies %v", got)
	}
}

func TestMedianIntervalReference(t *testing.T) {
	for _, c := range readReference(t).Binomial {
		sorted := make([]float64, c.N)
		for i := range sorted {
			sorted[i] = float64(i + 1)
		}
		got := medianInterval(sorted, 0.95)
		if c.K == 0 {
			if got != nil {
				t.Errorf("%d values: interval %v, want none", c.N, *got)
			}
			continue
		}
		if want := (Interval{float64(c.K), float64(c.N + 1 - c.K)}); got == nil || *got != want {
			t.Errorf("%d values: interval %v, want %v", c.N, got, want)
		}
	}
	if medianInterval(nil, 0.95) != nil {
		t.Error("nothing has an interval")
	}
}

// The interval of the shift is, by definition, the shifts that the test does not reject.
func TestHodgesLehmannInvertsTest(t *testing.T) {
	for i, c := range readReference(t).MannWhitney {
		if c.Exact == nil {
			continue
		}
		shift, ci := hodgesLehmann(c.A, c.B, 0.95)
		var d []float64
		for _, x := range c.A {
			for _, y := range c.B {
				d = append(d, y-x)
			}
		}
		slices.Sort(d)
		if shift != medianOf(d) {
			t.Errorf("case %d: shift %v, want %v", i, shift, medianOf(d))
		}
		if ci == nil {
			if minP(len(c.A), len(c.B)) <= 0.05 {
				t.Errorf("case %d has no interval", i)
			}
			continue
		}
		rejected := func(by float64) bool {
			moved := make([]float64, len(c.B))
			for k := range moved {
				moved[k] = c.B[k] - by
			}
			_, p := mannWhitney(c.A, moved)
			return p <= 0.05
		}
		const e = 1e-7
		if rejected(ci.Low+e) || rejected(ci.High-e) || !rejected(ci.Low-e) || !rejected(ci.High+e) {
			t.Errorf("case %d: the interval %v is not that of the test", i, *ci)
		}
	}
}

func TestWaysU(t *testing.T) {
	for m := 1; m <= 4; m++ {
		for n := 1; n <= 4; n++ {
			want := make([]float64, m*n+1)
			for mask := range 1 << (m + n) { // every order of m ones and n zeros
				ones, u := 0, 0
				for i := range m + n {
					if mask>>i&1 == 1 {
						ones++
						u += i - (ones - 1) // zeros before it
					}
				}
				if ones == m {
					want[u]++
				}
			}
			if got := waysU(m, n); !slices.Equal(got, want) {
				t.Errorf("waysU(%d, %d) = %v, want %v", m, n, got, want)
			}
		}
	}
	k := criticalU(26, 25, 0.05) // by approximation
	ways := waysU(26, 25)
	var all, tail float64
	for _, w := range ways {
		all += w
	}
	for _, w := range ways[:k] {
		tail += w
	}
	if p := 2 * tail / all; p > 0.05 || p < 0.045 {
		t.Errorf("the approximate critical value cuts off %v, want nearly 0.05", p)
	}
}

func TestLeastP(t *testing.T) {
	for _, tt := range []struct {
		m, n int
		want float64
	}{{3, 3, 0.1}, {4, 4, 2.0 / 70}, {2, 8, 2.0 / 45}, {1, 1, 1}} {
		if got := minP(tt.m, tt.n); !near(got, tt.want, 1e-9) {
			t.Errorf("leastP(%d, %d) = %v, want %v", tt.m, tt.n, got, tt.want)
		}
	}
	for _, tt := range []struct{ family, want int }{{0, 4}, {1, 4}, {3, 5}, {12, 6}} {
		if got := runsNeeded(0.05, tt.family); got != tt.want {
			t.Errorf("%d metrics need %d runs, want %d", tt.family, got, tt.want)
		}
	}
}

func TestHolm(t *testing.T) {
	family := []float64{0.01, 0.04, 0.03, 0.005} // of Holm's method: 0.03, 0.06, 0.06, 0.02
	for _, tt := range []struct{ p, want float64 }{
		{0.01, 0.03},
		{0.04, 0.06},
		{0.03, 0.06},
		{0.005, 0.02},
		{0.001, 0.004},
		{0.02, 0.04},
		{0.9, 0.9},
		{1, 1},
	} {
		if got := holm(tt.p, family); !near(got, tt.want, 1e-12) {
			t.Errorf("holm(%v) = %v, want %v", tt.p, got, tt.want)
		}
	}
	if got := holm(0.3, nil); got != 0.3 {
		t.Errorf("alone 0.3 becomes %v", got)
	}
	if got := holm(0.02, []float64{0.02, 0.02}); got != 0.04 {
		t.Errorf("equal ones become %v, want 0.04", got)
	}
}

package search

import (
	"math"
	"testing"

	"warp/internal/testkit"
)

// others are stores that are unlike those for which the search was made. Truth is the load at which 1% of all operations take longer than 50 ms, as a simulation
// without a search finds it; of the store that drifts, at the start; 0: of all loads. Doubt is what the search is to say instead of a claim; empty: nothing.
var others = []struct {
	name  string
	model server
	truth float64
	doubt Status
	near  bool // its own tail is about half of what is allowed: chance decides whether that is a doubt
}{
	{"M/M/8", eight(nil), 830, "", false},
	{"lognormal, sigma 0.7", eight(func(s *server) { s.draw = lognormal(0.7) }), 858, "", false},
	{"lognormal, sigma 0.8", eight(func(s *server) { s.draw = lognormal(0.8) }), 829, "", false},
	{"lognormal, sigma 1.0", eight(func(s *server) { s.draw = lognormal(1) }), 0, NearTail, false},
	{"constant, 4 servers", eight(func(s *server) { s.draw, s.servers, s.service = constant, 4, 0.004 }), 885, "", false},
	{"0.1% 60 ms slower", eight(func(s *server) { s.slow = 0.001 }), 829, "", false},
	{"0.3% 60 ms slower", eight(func(s *server) { s.slow = 0.003 }), 817, "", true},
	{"0.5% 60 ms slower", eight(func(s *server) { s.slow = 0.005 }), 793, NearTail, false},
	{"0.7% 60 ms slower", eight(func(s *server) { s.slow = 0.007 }), 746, NearTail, false},
	{"waves", eight(func(s *server) { s.speed = func(now float64) float64 { return 1 + 0.15*math.Sin(2*math.Pi*now/60) } }), 737, "", false},
	{"half speed 3 s in 60 s", eight(func(s *server) { s.speed = slowPeriods(3, 60) }), 444, "", false},
	{"half speed 3 s in 300 s", eight(func(s *server) { s.speed = slowPeriods(3, 300) }), 522, Unsteady, false},
	{"slower by 0.03 %/s", eight(func(s *server) { s.speed = func(now float64) float64 { return 1 - 0.0003*now } }), 815, Drifting, false},
}

// eight is a store that serves eight requests at a time, in 8 ms each, unless it is changed.
func eight(change func(*server)) server {
	s := server{servers: 8, service: 0.008, slowBy: 0.06, byTrial: 0.02, bySecond: 0.05}
	if change != nil {
		change(&s)
	}
	return s
}

// Of claims, at most wrongClaims may lack the truth; of the searches of a store that can be known, at least mostClaims claim something, and of
// one that cannot, mostDoubts say why. A test fails if what it sees is too improbable with these shares, by improbable.
const (
	wrongClaims = 0.1
	mostClaims  = 0.8
	mostDoubts  = 0.6
	improbable  = 0.05
)

// freshSeeds took no part in the choice of any constant: they were first drawn when the search was as it is.
const freshSeeds = 700_000

// atLeast returns the probability of k or more of n, each with probability p.
func atLeast(k, n int, p float64) (sum float64) {
	for i := k; i <= n; i++ {
		sum += math.Exp(logGamma(float64(n+1)) - logGamma(float64(i+1)) - logGamma(float64(n-i+1)) + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}

// tooMany reports whether k of n is improbable if p is the largest share.
func tooMany(k, n int, p float64) bool { return k > 0 && atLeast(k, n, p) < improbable }

// tooFew reports whether k of n is improbable if p is the least share.
func tooFew(k, n int, p float64) bool { return tooMany(n-k, n, 1-p) }

func TestImprobable(t *testing.T) {
	for _, c := range []struct {
		got, want bool
	}{
		{tooMany(0, 0, 0.1), false},
		{tooMany(1, 1, 0.1), false},
		{tooMany(2, 2, 0.1), true},
		{tooMany(2, 3, 0.1), true},
		{tooMany(1, 3, 0.1), false},
		{tooMany(7, 40, 0.1), false},
		{tooMany(8, 40, 0.1), true},
		{tooFew(1, 3, 0.8), false},
		{tooFew(0, 3, 0.8), true},
	} {
		if c.got != c.want {
			t.Errorf("%+v", c)
		}
	}
}

// TestClaims: of stores whose behaviour the search does not know, it claims nothing that is not so. A claim is a load that was held, with an
// interval of the boundary; that the store got slower, that a bad period decided or that the objective is too near to the store's own tail is
// none. The boundary of the store that drifts is that at the end of the search.
func TestClaims(t *testing.T) {
	searches := 3
	if testkit.Soaking() {
		searches = 100
	}
	for _, m := range others {
		t.Run(m.name, func(t *testing.T) {
			claims, wrong, doubted, minutes := 0, 0, 0, 0.0
			statuses := map[Status]int{}
			for k := range uint64(searches) {
				c, s := config(t, freshSeeds+k, "p99<50ms"), m.model.seeded(freshSeeds+k)
				r := c.Result(run(c, s))
				statuses[r.Status]++
				minutes += r.Spent.Minutes() / float64(searches)
				if r.Status == m.doubt || r.Drift < 0 && m.doubt == Drifting {
					doubted++
				}
				truth := m.truth
				if m.doubt == Drifting {
					truth *= m.model.speed(s.now)
				}
				if ci := r.Boundary.CI; r.Status == Held {
					claims++
					if len(ci) != 2 || ci[0] > truth || ci[1] < truth {
						wrong++
					}
				}
			}
			t.Logf("%v: %d claims, %d without the truth; %.1f minutes", statuses, claims, wrong, minutes)
			if tooMany(wrong, claims, wrongClaims) {
				t.Errorf("%d of %d claims lack the truth", wrong, claims)
			}
			if m.doubt != "" && m.doubt != Drifting && tooFew(doubted, searches, mostDoubts) {
				t.Errorf("%d of %d searches end as %s: %v", doubted, searches, m.doubt, statuses)
			}
			if m.doubt == "" && !m.near && tooFew(claims, searches, mostClaims) {
				t.Errorf("%d of %d searches claim something: %v", claims, searches, statuses)
			}
		})
	}
}

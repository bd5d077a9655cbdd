package search

import (
	"math"
	"testing"

	"warp/internal/testkit"
)

// others are stores that are unlike those for which the search was made. Truth is the load at which 1 % of all operations take longer than 50 ms, as a simulation
// without a search finds it; of the store that drifts, at the start; 0: of all loads. Doubt is what the search is to say instead of a claim; empty: nothing.
var others = []struct {
	name  string
	model server
	truth float64
	doubt Status
}{
	{"M/M/8", eight(nil), 830, ""},
	{"lognormal, sigma 0.7", eight(func(s *server) { s.draw = lognormal(0.7) }), 858, ""},
	{"lognormal, sigma 0.8", eight(func(s *server) { s.draw = lognormal(0.8) }), 829, ""},
	{"lognormal, sigma 1.0", eight(func(s *server) { s.draw = lognormal(1) }), 0, NearTail},
	{"constant, 4 servers", eight(func(s *server) { s.draw, s.servers, s.service = constant, 4, 0.004 }), 885, ""},
	{"0.1 % 60 ms slower", eight(func(s *server) { s.slow = 0.001 }), 829, ""},
	{"0.3 % 60 ms slower", eight(func(s *server) { s.slow = 0.003 }), 817, ""},
	{"0.5 % 60 ms slower", eight(func(s *server) { s.slow = 0.005 }), 793, NearTail},
	{"0.7 % 60 ms slower", eight(func(s *server) { s.slow = 0.007 }), 746, NearTail},
	{"waves", eight(func(s *server) { s.speed = func(now float64) float64 { return 1 + 0.15*math.Sin(2*math.Pi*now/60) } }), 737, ""},
	{"half speed 3 s in 60 s", eight(func(s *server) { s.speed = slowPeriods(3, 60) }), 444, ""},
	{"half speed 3 s in 300 s", eight(func(s *server) { s.speed = slowPeriods(3, 300) }), 522, Unsteady},
	{"slower by 0.03 %/s", eight(func(s *server) { s.speed = func(now float64) float64 { return 1 - 0.0003*now } }), 815, Drifting},
}

// eight is a store that serves eight requests at a time, in 8 ms each, unless it is changed.
func eight(change func(*server)) server {
	s := server{servers: 8, service: 0.008, slowBy: 0.06, byTrial: 0.02, bySecond: 0.05}
	if change != nil {
		change(&s)
	}
	return s
}

// TestClaims: of stores whose behaviour the search does not know, it claims nothing that is not so. A claim is a load that was held, with an interval of the
// boundary; that the store got slower, that a bad period decided or that the objective is too near to the store's own tail is none.
func TestClaims(t *testing.T) {
	searches := uint64(3)
	if testkit.Soaking() {
		searches = 40
	}
	for _, m := range others {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			claims, wrong, doubted, minutes := 0, 0, 0, 0.0
			statuses := map[Status]int{}
			for seed := range searches {
				c := config(t, seed, "p99<50ms")
				r := c.Result(run(c, m.model.seeded(seed)))
				statuses[r.Status]++
				minutes += r.Spent.Minutes() / float64(searches)
				if r.Status == m.doubt || r.Drift < 0 && m.doubt == Drifting {
					doubted++
				}
				if ci := r.Boundary.CI; r.Status == Held {
					claims++
					if len(ci) != 2 || ci[0] > m.truth || ci[1] < m.truth {
						wrong++
					}
				}
			}
			t.Logf("%v: %d claims, of which %d lack the truth; %.1f minutes", statuses, claims, wrong, minutes)
			if wrong > max(1, int(searches)/10) {
				t.Errorf("%d of %d searches claim an interval that lacks the truth", wrong, searches)
			}
			if m.doubt != "" && m.doubt != Drifting && doubted < int(searches)*6/10 {
				t.Errorf("%d of %d searches end as %s: %v", doubted, searches, m.doubt, statuses)
			}
			if minutes > 15 {
				t.Errorf("a search takes %.1f minutes", minutes)
			}
			if m.doubt == "" && claims < int(searches)/4 {
				t.Errorf("%d of %d searches claim something: %v", claims, searches, statuses)
			}
		})
	}
}

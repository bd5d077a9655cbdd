package search

import (
	"math"
	"testing"
	"time"
)

// confirming returns a search that held a load, from its beginning up to the first confirmation, which is as it was.
func confirming(t *testing.T) (c *Config, upTo, confirmation []Observation) {
	t.Helper()
	c = config(t, 5, "p99<50ms")
	done := run(c, models[0].model.seeded(5))
	for i := range done {
		if done[i].Purpose == Confirm {
			return c, done[:i], done[i : i+1]
		}
	}
	t.Fatal("nothing was confirmed")
	return nil, nil, nil
}

// with returns a confirmation with other shares of bad operations in its blocks.
func with(o Observation, share func(block int) float64) Observation {
	blocks := make([]Count, o.Blocks)
	for i := range blocks {
		blocks[i] = Count{Operations: 800, Bad: math.Round(800 * share(i))}
	}
	o.Counts = [][]Count{blocks}
	return o
}

// TestConfirmation: what the confirmation shows decides about the claim, and only that it was held makes one.
func TestConfirmation(t *testing.T) {
	c, upTo, was := confirming(t)
	if was[0].Duration != confirmLength || was[0].Level() > c.Result(upTo).Boundary.Held {
		t.Errorf("confirmed by %s for %v", was[0].Trial, was[0].Duration)
	}
	for _, tt := range []struct {
		name  string
		share func(block int) float64
		want  Status
	}{
		{"few bad", func(i int) float64 { return 0.005 * float64(i%2) }, Held},
		{"many bad", func(int) float64 { return 0.02 }, Unconfirmed},
		{"few bad early, many late", func(i int) float64 { return 0.0001 * float64(i) }, Drifting},
		{"three bad seconds", func(i int) float64 {
			if i > 100 && i < 106 {
				return 0.95
			}
			return 0.001
		}, Unsteady},
		{"rising", func(i int) float64 { return 0.00006 * float64(i) }, Drifting},
		{"falling", func(i int) float64 { return 0.00006 * float64(300-i) }, Drifting},
	} {
		r := c.Result(append(upTo[:len(upTo):len(upTo)], with(was[0], tt.share)))
		if r.Status != tt.want || (r.Boundary.CI != nil) != (tt.want == Held) || (r.Drift != 0) != (tt.want == Drifting) || (r.BadPeriods != nil) != (tt.want == Unsteady) {
			t.Errorf("%s: %s, %+v, drift %v, bad periods in %v", tt.name, r.Status, r.Boundary, r.Drift, r.BadPeriods)
		}
		if tt.name == "rising" && r.Drift > 0 || tt.name == "falling" && r.Drift < 0 {
			t.Errorf("%s: %v", tt.name, r.Drift)
		}
	}
}

// TestConfirmedLower: a load that misses by little is followed by a lower one, one that misses by far is the end.
func TestConfirmedLower(t *testing.T) {
	c, upTo, was := confirming(t)
	for share, want := range map[float64]Purpose{0.012: Confirm, 0.02: Hysteresis, 0.004: Hysteresis} {
		done := append(upTo[:len(upTo):len(upTo)], with(was[0], func(i int) float64 { return share * float64(2*(i%2)) }))
		next, ok := c.Next(done)
		if !ok || next.Purpose != want || want == Confirm && next.Level() > 0.99*was[0].Level() {
			t.Errorf("after %v: %s, want %s", share, next, want)
		}
		if r := (&Record{Config: *c, Trials: done}); share > c.Objectives[0].Allowed {
			if i, confirmed := r.Confirmation(); i != len(upTo) || confirmed {
				t.Errorf("after %v: trial %d confirms it: %v", share, i, confirmed)
			}
		}
	}
}

// TestUnconfirmed: without time for a confirmation there is a lower bound, no boundary. A search that is to do without one claims its
// boundary, as in earlier recordings.
func TestUnconfirmed(t *testing.T) {
	c, upTo, _ := confirming(t)
	c.Budget = 10 * time.Minute
	rec := Record{Config: *c, Trials: upTo}
	r := rec.Result()
	if _, _, _, ok := rec.boundary(0.95); ok || r.Status != Incomplete || r.AtLeast() == 0 || r.Boundary.CI != nil {
		t.Errorf("%s: %+v", r.Status, r.Boundary)
	}
	rec.Config.Confirm = false
	r = rec.Result()
	if _, _, _, ok := rec.boundary(0.95); !ok || r.Status != Held || r.AtLeast() != 0 || r.Boundary.CI == nil {
		t.Errorf("%s: %+v", r.Status, r.Boundary)
	}
}

// TestTailIsShown: too few operations at low loads do not show that the store's own tail is small.
func TestTailIsShown(t *testing.T) {
	c, upTo, was := confirming(t)
	done := append(upTo[:len(upTo):len(upTo)], was...)
	if r := c.Result(done); r.Status != Held {
		t.Fatalf("%s: %+v", r.Status, r.Boundary)
	}
	for i := range done {
		if done[i].Purpose == Bracket && done[i].Level() < 600 {
			done[i].Counts = [][]Count{{{Operations: 30}}}
		}
	}
	if r := c.Result(done); r.Status != NearTail {
		t.Errorf("%s: %+v", r.Status, r.Boundary)
	}
}

package bench_test

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/internal/testkit"
	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/search"
)

// exponential returns service times with an average.
func exponential(average time.Duration) func(uint64) time.Duration {
	return func(n uint64) time.Duration {
		return time.Duration(float64(average) * rand.New(rand.NewPCG(1, n)).ExpFloat64())
	}
}

// TestRulerSearch has searches on stores without a boundary: one gets slower all the time, one is nearly dead for a while of each period.
// Neither may be claimed to have one, however busy the machine is: in each five minutes, in proportion to the length of trials, the one loses a
// tenth of its speed, and the other answers one of twenty requests too late at any load.
func TestRulerSearch(t *testing.T) {
	t.Parallel()
	trial := 200 * time.Millisecond
	if testkit.Soaking() {
		trial = time.Second
	}
	scale := trial.Seconds() / 10
	every, length := time.Duration(250*scale*float64(time.Second)), time.Duration(15*scale*float64(time.Second))
	service := exponential(80 * time.Millisecond) // so slow that a stall of the machine seldom decides
	for name, model := range map[string]func(uint64) time.Duration{
		"drifting":   responder.Drifting(service, 0.0004/scale),
		"rarely bad": responder.RarelyBad(service, every, length, 0.05),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var served atomic.Uint64
			store := ruledStore(t, responder.Queue(op.Stat, 64, func(n uint64) time.Duration {
				served.Add(1)
				return model(n)
			}))
			change := searching(t, 64, func(s *bench.Search) {
				s.Trial, s.Budget, s.Confirm = trial, time.Duration(scale*float64(20*time.Minute)), true
			}, "p99<500ms")
			_, res, err := job{workload: "stat", change: change}.run(context.Background(), t, store)
			if err != nil || len(res.Searches) != 1 {
				t.Fatal(err, res)
			}
			rec := &res.Searches[0]
			r := rec.Result()
			t.Logf("%s: held %.0f, interval %.0f, drift %.3f a minute, %d trials in %v", r.Status, r.Boundary.Held, r.Boundary.CI, r.Drift, len(r.Trials), r.Spent)
			if r.Status == search.Held || r.Status == search.Unlimited || r.Status != search.Incomplete && r.Boundary.CI != nil {
				t.Errorf("%s, held %.0f: this store has no boundary", r.Status, r.Boundary.Held)
			}
			counted := 0
			for i := range rec.Trials {
				counted += rec.Trials[i].Operations()
			}
			if next, more := rec.Config.Next(rec.Trials); more || counted == 0 || served.Load() == 0 {
				t.Errorf("%d operations were counted of %d, then %s", counted, served.Load(), next)
			}
		})
	}
}

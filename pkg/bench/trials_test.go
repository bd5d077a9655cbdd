package bench_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/internal/testkit"
	"warp/pkg/bench"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/search"
)

// searching returns a change of a plan that makes its phase a search.
func searching(t testing.TB, threads int, change func(*bench.Search), slo ...string) func(*bench.Plan) {
	t.Helper()
	list, err := search.ParseObjectives(slo...)
	if err != nil {
		t.Fatal(err)
	}
	return func(p *bench.Plan) {
		ph := &p.Phases[0]
		ph.Concurrency, ph.Duration, ph.Ops = threads, 0, 0
		ph.Search = &bench.Search{Config: search.Config{Objectives: list, Control: search.Rate, Budget: 10 * time.Minute, Trial: 100 * time.Millisecond, Seed: 1}}
		if change != nil {
			change(ph.Search)
		}
	}
}

// limitedStore returns a store whose HEAD requests are served by this number of servers (0: any), each in the same time.
func limitedStore(t testing.TB, servers int, service time.Duration) s3.Store {
	t.Helper()
	if servers == 0 {
		return ruledStore(t, nil)
	}
	return ruledStore(t, responder.Queue(op.Stat, servers, responder.Always(service)))
}

// ruledStore returns a store that answers by a rule.
func ruledStore(t testing.TB, rule responder.Rule) s3.Store {
	t.Helper()
	ownServer(t)
	r, err := responder.New(responder.Options{Buckets: []string{"trials"}, Keep: true, Rule: rule})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if keys := r.Keys("trials"); len(keys) > 0 {
			t.Errorf("%d objects stay", len(keys))
		}
		_ = r.Close()
	})
	store, err := connect.New(s3.Config{Hosts: []string{r.Host()}, AccessKey: "a", SecretKey: "s", Bucket: "trials", Concurrency: 64})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store
}

// performed calls a function after each trial.
type performed struct {
	watch
	trial func(number int, o *search.Observation)
}

func (p performed) Trial(number int, o *search.Observation, _ search.Verdict) { p.trial(number, o) }

// TestTrials: the operations of each trial are a phase of the recording, and the counts of the trial are theirs.
func TestTrials(t *testing.T) {
	t.Parallel()
	for _, control := range []search.Control{search.Rate, search.Threads} {
		t.Run(string(control), func(t *testing.T) {
			t.Parallel()
			store := limitedStore(t, 2, 4*time.Millisecond)
			change := searching(t, 16, func(s *bench.Search) { s.Control = control }, "p99<1s", "STAT.errors<1%")
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			watch := performed{trial: func(number int, _ *search.Observation) {
				if number == 6 {
					cancel()
				}
			}}
			m, res, err := job{workload: "stat", change: change, observe: watch}.run(ctx, t, store)
			if err != nil || len(res.Searches) != 1 {
				t.Fatal(err, res)
			}
			rec := &res.Searches[0]
			if len(rec.Trials) == 0 || len(rec.Phases) != len(rec.Trials) || rec.Config.MaxInflight != 16 {
				t.Fatalf("%d trials in phases %q", len(rec.Trials), rec.Phases)
			}
			counted := map[string]float64{}
			for _, o := range m.benchmark() {
				counted[o.Phase]++
			}
			if len(counted) == 0 {
				t.Skip("the machine stood still for all of the only trial")
			}
			for i := range rec.Trials {
				o := &rec.Trials[i]
				for k, want := range []float64{counted[rec.Phases[i]], counted[rec.Phases[i]]} {
					got := search.Count{}
					for _, b := range o.Counts[k] {
						got.Operations, got.Bad = got.Operations+b.Operations, got.Bad+b.Bad
					}
					unsent := math.Round(got.Operations - want) // shares of operations are summed up
					if k == 1 && unsent != 0 || unsent < 0 || unsent > got.Bad {
						t.Errorf("%s: objective %d counts %v operations, recorded are %v", rec.Phases[i], k, got, want)
					}
				}
				if o.Spent < o.Settle || o.Achieved < 0 || o.Purpose == search.Capacity && o.Rate != 0 {
					t.Errorf("%+v", o)
				}
			}
			if len(counted) < len(rec.Trials) {
				t.Errorf("operations in phases %v", counted)
			}
			if next, ok := rec.Config.Next(rec.Trials); ok && !res.Interrupted {
				t.Errorf("the search ended before %s", next)
			}
		})
	}
}

// busy is a client whose threads wait 0.89 ms for a CPU, 97 % of the time that they have work: others use its machine.
func busy() *observe.Summary {
	return &observe.Summary{Sample: observe.Sample{CPUWait: &observe.CPUWait{MeanMillis: 0.89, Percent: 97}}, Samples: 1}
}

// TestSlowStoreOnABusyMachine searches on a store of 400 ms with an objective of 5 s: waits of a millisecond do not matter, so no trial is
// invalid.
func TestSlowStoreOnABusyMachine(t *testing.T) {
	t.Parallel()
	store := limitedStore(t, 64, 400*time.Millisecond)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	watch := performed{trial: func(number int, _ *search.Observation) {
		if number == 3 {
			cancel()
		}
	}}
	var seen []observe.Share
	limited := func(_, _ time.Time, shares []observe.Share) string {
		seen = append(seen, shares...)
		return observe.First(busy().Limits(shares...))
	}
	change := searching(t, 16, func(s *bench.Search) { s.Trial = time.Second }, "p99<5s")
	m, res, err := job{workload: "stat", change: change, observe: watch, limited: limited}.run(ctx, t, store)
	if err != nil || len(res.Searches) != 1 || len(res.Searches[0].Trials) == 0 {
		t.Fatal(err, res)
	}
	for _, o := range res.Searches[0].Trials {
		if o.ClientLimited || o.Limit != "" {
			t.Errorf("%s: %s", o.Trial, o.Limit)
		}
	}
	longest := time.Duration(0)
	for _, o := range m.benchmark() {
		longest = max(longest, o.Latency())
	}
	for _, s := range seen {
		if s.Latency != 5*time.Second || !s.Objective || s.Own > longest {
			t.Errorf("compared %+v", s)
		}
	}
	if own := busy().Limits(observe.Share{Percentile: 99, Latency: 20 * time.Millisecond, Objective: true}); len(own) != 1 || !own[0].Estimated {
		t.Errorf("the same machine is no limit of an objective of 20 ms: %v", own)
	}
}

// TestSearchGoesOn interrupts a search, and has another one go on with two trials. Those are made up, as what a slow machine measures may end a search.
func TestSearchGoesOn(t *testing.T) {
	t.Parallel()
	store := limitedStore(t, 2, 4*time.Millisecond)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	watch := performed{trial: func(int, *search.Observation) { cancel() }}
	_, res, err := job{workload: "stat", change: searching(t, 16, nil, "p99<1h"), observe: watch}.run(ctx, t, store)
	if err != nil || !res.Interrupted || len(res.Searches[0].Trials) != 1 {
		t.Fatalf("%v, %+v", err, res)
	}
	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	first := 0
	watch = performed{trial: func(number int, _ *search.Observation) {
		first = number
		cancel()
	}}
	done := passed(t, &res.Searches[0].Config, 2)
	change := searching(t, 16, func(s *bench.Search) { s.Done = done }, "p99<1h")
	_, res, err = job{workload: "stat", change: change, observe: watch}.run(ctx, t, store)
	if err != nil || first != 3 {
		t.Fatalf("goes on with trial %d: %v; %+v", first, err, res.Searches)
	}
	rec := res.Searches[0]
	if rec.Trials[0].Purpose != search.Capacity || rec.Phases[0] != "" || rec.Phases[2] == "" || !strings.HasPrefix(rec.Phases[2], "03-") {
		t.Errorf("phases %q", rec.Phases)
	}
}

// passed returns the first trials of a search, all of whose operations are good.
func passed(t *testing.T, c *search.Config, n int) (done []search.Observation) {
	t.Helper()
	for range n {
		next, ok := c.Next(done)
		if !ok {
			t.Fatalf("the search ends after %d trials", len(done))
		}
		o := search.Observation{Trial: next, Achieved: max(400, next.Rate), Spent: next.Length()}
		for range c.Objectives {
			o.Counts = append(o.Counts, slices.Repeat([]search.Count{{Operations: 1000}}, next.Blocks))
		}
		done = append(done, o)
	}
	return done
}

// TestSearchUsesUp: when a trial runs out of objects, the search ends with what it knows. No trial of a minute has its time.
func TestSearchUsesUp(t *testing.T) {
	t.Parallel()
	store := limitedStore(t, 0, 0)
	change := searching(t, 4, func(s *bench.Search) { s.Trial, s.Budget = time.Minute, time.Hour }, "p99<1h")
	_, res, err := job{workload: "delete", change: change}.run(context.Background(), t, store)
	if err != nil || len(res.Searches) != 1 || !slices.ContainsFunc(res.Warnings, func(w string) bool { return strings.Contains(w, "no object was left in the data set") }) {
		t.Errorf("%v, %+v", err, res)
	}
}

// TestSearchPlans: what a search does not take is an error of its plan.
func TestSearchPlans(t *testing.T) {
	for _, tt := range []struct {
		change func(*bench.Phase)
		want   string
	}{
		{func(ph *bench.Phase) { ph.Duration = time.Second }, "--duration: not in a search"},
		{func(ph *bench.Phase) { ph.Rate = 5 }, "--rate: not in a search"},
		{func(ph *bench.Phase) { ph.Search.Control = "speed" }, "--control: invalid value"},
		{func(ph *bench.Phase) { ph.Search.Trial = 1 }, "--trial: invalid value 1ns (want 100ms to 1m)"},
		{func(ph *bench.Phase) { ph.Search.Objectives = nil }, "--slo: no objective"},
		{func(ph *bench.Phase) { ph.Parallel = []bench.Stream{ph.Stream} }, "want one stream in a search"},
	} {
		p := job{workload: "stat", change: searching(t, 16, nil, "p99<20ms")}.plan(t, open(t, newBucket()))
		tt.change(&p.Phases[0])
		if _, err := bench.Compile(p); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}

// TestSearchFindsCapacity: the boundary of a pool of servers with fixed service times is its capacity, which a search finds within 5 %.
func TestSearchFindsCapacity(t *testing.T) {
	testkit.Soak(t)
	for _, tt := range []struct {
		name    string
		servers int
		service time.Duration
	}{{"one token at a time", 1, 10 * time.Millisecond}, {"a pool", 8, 20 * time.Millisecond}} {
		t.Run(tt.name, func(t *testing.T) {
			store := limitedStore(t, tt.servers, tt.service)
			change := searching(t, 64, func(s *bench.Search) { s.Trial = 2 * time.Second }, "p99<500ms")
			watch := performed{trial: func(n int, o *search.Observation) {
				t.Logf("%d %s: achieved %.0f/s, aborted %v", n, o.Trial, o.Achieved, o.Aborted)
			}}
			_, res, err := job{workload: "stat", change: change, observe: watch}.run(context.Background(), t, store)
			if err != nil {
				t.Fatal(err)
			}
			truth := float64(tt.servers) / tt.service.Seconds()
			testkit.Near(t, "held", res.Searches[0].Result().Boundary.Held, truth, 0.05)
		})
	}
}

package bench_test

import (
	"context"
	"slices"
	"testing"

	"warp/pkg/bench"
)

// TestNamesWithinBuckets: buckets by a template, and the same keys in each of them. The run's own objects are found, listed, verified and
// removed, as are those that an interrupted run left.
func TestNamesWithinBuckets(t *testing.T) {
	t.Parallel()
	for _, workload := range []string{"put", "get", "delete", "list", "stat", "mixed", "copy"} {
		t.Run(workload, func(t *testing.T) {
			s := coordinated(t)
			change := func(p *bench.Plan) {
				p.Data.Buckets, p.Data.Keys, p.RunID, p.KeepData = 2, "k{bucket.counter}", "run", true
			}
			m, err := s.run(t, workload, change)
			if err != nil || m.failed() != "" {
				t.Fatalf("%v; failed: %s", err, m.failed())
			}
			one, two := s.server.Keys("bench000"), s.server.Keys("bench001")
			if workload == "get" && (!slices.Contains(one, "k1") || !slices.Contains(two, "k1") || len(one) != len(two)) {
				t.Errorf("keys %q and %q", one, two)
			}
			j := job{workload: workload, change: func(p *bench.Plan) { p.Target = s.cfg; change(p) }}
			plan := j.plan(t, s)
			v, err := bench.NewVerification(bench.Decoded(t, plan), 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range m.ops {
				v.Add(&m.ops[i])
			}
			v.Store, v.Threads = s, 3
			v.Found = func(p bench.Problem) { t.Errorf("%+v", p) }
			if r, err := v.Run(context.Background()); err != nil || r.Problems() > 0 || r.Objects == 0 && workload != "delete" {
				t.Errorf("%+v, %v", r, err)
			}
			c := &bench.Cleanup{Over: true, Plan: bench.Decoded(t, plan), Target: plan.Target, Store: s, Threads: 4}
			if _, err := c.Run(context.Background()); err != nil {
				t.Error(err)
			}
			if left := append(s.server.Keys("bench000"), s.server.Keys("bench001")...); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
		})
	}
}

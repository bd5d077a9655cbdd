package bench_test

import (
	"context"
	"testing"

	"warp/internal/responder"
	"warp/internal/testkit"
	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// TestPairsOfPhases runs every workload after others: each works on what it prepared itself, whatever became of the objects of
// the one before. Pairs grow with the square of the workloads: all of them are tried when soaking, else each workload after
// itself, after its neighbour, and after the one that leaves nothing.
func TestPairsOfPhases(t *testing.T) {
	t.Parallel()
	registry := work.Registry()
	for i, first := range registry {
		for j, second := range registry {
			if !testkit.Soaking() && i != j && (i+1)%len(registry) != j && first.Name != "delete" {
				continue
			}
			t.Run(first.Name+"/"+second.Name, func(t *testing.T) {
				t.Parallel()
				ownServer(t)
				opts := responder.Options{Buckets: []string{"pair"}, Keep: true}
				if bench.NeedsFeatures(t, first.Name) || bench.NeedsFeatures(t, second.Name) {
					opts.Buckets = nil // the run makes it as it needs it
				}
				r, err := responder.New(opts)
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				cfg := s3.Config{Hosts: []string{r.Host()}, AccessKey: "a", SecretKey: "s", Bucket: "pair", Concurrency: 4}
				store, err := connect.New(cfg)
				if err != nil {
					t.Fatal(err)
				}
				defer store.Close()
				next := job{workload: second.Name}.plan(t, store).Phases[0]
				var prepared []string
				o := watch{stage: func(s bench.Stage) {
					if s.Name == bench.StagePrepare {
						prepared = append(prepared, s.Workload)
					}
				}}
				m, _, err := job{workload: first.Name, observe: o, change: func(p *bench.Plan) {
					p.Target = cfg
					p.Phases = append(p.Phases, next)
					for i := range p.Phases {
						p.Phases[i].Name, p.Phases[i].Ops = []string{"one", "two"}[i], 20
					}
				}}.run(context.Background(), t, store)
				if err != nil {
					t.Fatal(err)
				}
				counts := map[string]int{}
				for _, o := range m.benchmark() {
					counts[o.Phase]++
				}
				if text := m.failed(); text != "" || counts["one"] == 0 || counts["two"] == 0 {
					t.Errorf("operations %v, failed: %s", counts, text)
				}
				want := []string{}
				for _, w := range []work.Info{first, second} {
					traits := w.Default().Traits()
					if traits.Objects > 0 {
						want = append(want, w.Name)
					}
					if len(traits.Finishes) > 0 { // when all are uploaded
						want = append(want, w.Name)
					}
				}
				if len(prepared) != len(want) || len(want) > 0 && prepared[len(want)-1] != want[len(want)-1] {
					t.Errorf("prepared for %q, want %q", prepared, want)
				}
				if left := r.Keys("pair"); len(left) > 0 {
					t.Errorf("%d objects stay", len(left))
				}
			})
		}
	}
}

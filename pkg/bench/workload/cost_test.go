package workload

import (
	"testing"

	"warp/pkg/bench/internal/benchtest"
	"warp/pkg/bench/work"
	"warp/pkg/load"
	"warp/pkg/op"
)

// A turn costs the key of its object and no other memory.
func TestTurnsCostNoMemory(t *testing.T) {
	records := op.NewCollector()
	defer records.Close()
	w := benchtest.Worker(t, work.Options{}, records, 1, op.Get, op.Stat, op.Put, op.Delete)
	m := &Mixed{Prepared: work.Prepared{Objects: 100}, GetShare: 1, StatShare: 1}
	if err := m.Prepare(w.Set, 1); err != nil {
		t.Fatal(err)
	}
	w.Set = benchtest.ChangingSet(t, 100, 100)
	for name, wl := range map[string]work.Workload{"get": &Get{}, "stat": &Stat{}, "put": &Put{}, "mixed": m} {
		n, do, traits := uint64(0), wl.Do, wl.Traits()
		allocs := testing.AllocsPerRun(1000, func() {
			w.Acquire(traits.Need(n), n)
			if err := w.Perform(t.Context(), load.Turn{N: n}, do); err != nil {
				t.Fatal(err)
			}
			w.Release()
			n++
		})
		if allocs > 1 {
			t.Errorf("%s: %v allocations per turn, want 1", name, allocs)
		}
	}
}

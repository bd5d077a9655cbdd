package aggregate

import (
	"math"
	"slices"
	"testing"

	"warp/pkg/aggregate/internal/optest"
	"warp/pkg/op"
)

// The total of phases in parallel is that of all their operations in the time that they have in common.
func TestPhasesSideBySide(t *testing.T) {
	ops := optest.ParallelPhases()
	s := analyze(t, Options{}, ops)
	var all *Group
	for _, g := range s.Totals {
		if g.Combined() {
			all = g
		}
	}
	if all == nil || all.Phase != "phase0 + phase1 + phase2" || !slices.Equal(all.Streams, []string{"phase0", "phase1", "phase2"}) || len(s.Totals) != 4 {
		t.Fatalf("%d totals, %+v", len(s.Totals), all)
	}
	want := reference(ops, s.Segment)
	if !all.Window.Start.Equal(want.start) || !all.Window.End.Equal(want.end) {
		t.Errorf("window %v to %v, want %v to %v", all.Window.Start, all.Window.End, want.start, want.end)
	}
	if all.Requests != int64(len(ops)) || all.Considered != int64(want.considered) || all.Latency.Count() != int64(want.considered) {
		t.Errorf("%d requests, %d considered, want %d", all.Requests, all.Considered, want.considered)
	}
	if math.Abs(all.Bytes-want.bytes) > 1 || math.Abs(all.Ops-want.perOps) > 1e-6 || all.Threads != 18 {
		t.Errorf("%v bytes, %v operations, %d threads, want %v and %v", all.Bytes, all.Ops, all.Threads, want.bytes, want.perOps)
	}
}

// Clients that find their windows together have the total of one run of all of them.
func TestConcurrentTotalsMerge(t *testing.T) {
	ops := optest.ParallelPhases()
	bounds := NewBounds(Options{})
	parts := split(ops, 3, func(_ int, o *op.Op) int { return int(o.Client[len(o.Client)-1] - '0') })
	for _, part := range parts {
		if err := bounds.Merge(travelled(t, boundsOf(t, Options{}, part))); err != nil {
			t.Fatal(err)
		}
	}
	var list []*Snapshot
	for _, part := range parts {
		list = append(list, travelled(t, snapshotOf(t, Options{}, bounds.Windows(), part)))
	}
	got, want := mergeAll(t, list...), analyze(t, Options{}, ops)
	forgetAccesses(got)
	forgetAccesses(want)
	same(t, got, want)
}

func TestConcurrentTotals(t *testing.T) {
	phase := func(name string, from, to float64) GroupWindow {
		return GroupWindow{Phase: name, Window: Window{Start: optest.At(from), End: optest.At(to)}}
	}
	total := func(name string, from, to float64, streams ...string) GroupWindow {
		g := phase(name, from, to)
		g.Streams = streams
		return g
	}
	for _, c := range []struct {
		name   string
		phases []GroupWindow
		want   []GroupWindow
	}{
		{"none", nil, nil},
		{"in sequence", []GroupWindow{phase("a", 0, 10), phase("b", 10, 20)}, nil},
		{"in sequence, by clocks that differ", []GroupWindow{phase("a", 0, 10), phase("b", 9.9, 20)}, nil},
		{"names are in order", []GroupWindow{phase("b", 0, 10), phase("a", 1, 10)}, []GroupWindow{total("a + b", 1, 10, "a", "b")}},
		{"one ends early", []GroupWindow{phase("a", 0, 100), phase("b", 0, 5)}, []GroupWindow{total("a + b", 0, 5, "a", "b")}},
		{
			"two pairs",
			[]GroupWindow{phase("a", 0, 10), phase("b", 0, 10), phase("c", 10, 20), phase("d", 11, 21)},
			[]GroupWindow{total("a + b", 0, 10, "a", "b"), total("c + d", 11, 20, "c", "d")},
		},
		{"preparation is no phase", []GroupWindow{phase(op.PhasePrepare, 0, 10), phase("b", 0, 10)}, nil},
		{"nothing was measured", []GroupWindow{phase("a", 5, 5), phase("b", 0, 10)}, nil},
	} {
		got := Windows{Totals: concurrentTotals(c.phases, nil)}
		if !got.equal(&Windows{Totals: c.want}) {
			t.Errorf("%s: %+v, want %+v", c.name, got.Totals, c.want)
		}
	}
}

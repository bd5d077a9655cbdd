package bench

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
)

// instant is a session whose requests succeed at once.
type instant struct{}

func (instant) Do(_ context.Context, c *s3.Call) error {
	c.Status, c.Start = 200, clock.Now()
	return nil
}

// kept is a sink that keeps all operations.
type kept struct{ ops []op.Op }

func (k *kept) Write(ops []op.Op) error { k.ops = append(k.ops, ops...); return nil }
func (*kept) Close() error              { return nil }

func testWorker(t testing.TB, records *op.Collector, lanes int, kinds ...op.Kind) *Worker {
	set := testSet(t, 1, 100, 1, generator.Spec{})
	var all []*Worker
	for i := range lanes {
		all = append(all, &Worker{S3: instant{}, Set: set, thread: uint32(i), kinds: kinds, records: records.Worker(), body: set.Body(), check: set.Check()})
	}
	all[0].lanes = all
	return all[0]
}

// A turn costs the key of its object and no other memory.
func TestTurnsCostNoMemory(t *testing.T) {
	records := op.NewCollector()
	defer records.Close()
	w := testWorker(t, records, 1, op.Get, op.Stat, op.Put, op.Delete)
	m := &Mixed{Prepared: Prepared{Objects: 100}, GetShare: 1, StatShare: 1}
	if err := m.Prepare(w.Set, 1); err != nil {
		t.Fatal(err)
	}
	w.Set = changingSet(t, 100, 100)
	for name, wl := range map[string]Workload{"get": &Get{}, "stat": &Stat{}, "put": &Put{}, "mixed": m} {
		n, do, traits := uint64(0), wl.Do, wl.Traits()
		allocs := testing.AllocsPerRun(1000, func() {
			w.hold.Acquire(w.Set, traits.need(n), n)
			if err := w.turn(t.Context(), load.Turn{N: n}, do); err != nil {
				t.Fatal(err)
			}
			w.hold.Release()
			n++
		})
		if allocs > 1 {
			t.Errorf("%s: %v allocations per turn, want 1", name, allocs)
		}
	}
}

// Each operation of a turn has a record of its own. In an open loop the next one is due when the one before it is over;
// those of Parallel are due together, and no lane has two under way at once.
func TestTurnOfSeveralOperations(t *testing.T) {
	const parts, lanes = 20, 4
	k := &kept{}
	records := op.NewCollector(k)
	w := testWorker(t, records, lanes, op.Put, op.Stat)
	due := clock.Now().Add(-time.Second)
	var mu sync.Mutex
	running, most := 0, 0
	count := func(by int) {
		mu.Lock()
		defer mu.Unlock()
		running += by
		most = max(most, running)
	}
	err := w.turn(t.Context(), load.Turn{Due: due}, func(ctx context.Context, w *Worker) error {
		if err := w.Stat(ctx, w.Set.At(0)); err != nil {
			return err
		}
		err := w.Parallel(ctx, parts, func(ctx context.Context, w *Worker, i int) error {
			count(1)
			defer count(-1)
			return w.Put(ctx, uint64(i))
		})
		return errors.Join(err, w.Stat(ctx, w.Set.At(1)))
	})
	if err := errors.Join(err, records.Close()); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(k.ops, func(a, b op.Op) int { return a.Start.Compare(b.Start) })
	if len(k.ops) != parts+2 || w.performed != parts+2 || most > lanes {
		t.Fatalf("%d records, %d operations, %d at once; want %d, of which %d at once", len(k.ops), w.performed, most, parts+2, lanes)
	}
	first, last := k.ops[0], k.ops[parts+1]
	if !first.Due.Equal(due) || last.Kind != op.Stat {
		t.Errorf("first operation due %v, want %v; last %s", first.Due, due, last.Kind)
	}
	ends := map[uint32]time.Time{0: first.End}
	for _, o := range k.ops[1 : parts+1] {
		want, ok := ends[o.Thread]
		if !ok {
			want = first.End
		}
		if o.Kind != op.Put || !o.Due.Equal(want) || o.Start.Before(want) {
			t.Errorf("%s of lane %d: due %v, start %v, want due %v", o.Kind, o.Thread, o.Due, o.Start, want)
		}
		ends[o.Thread] = o.End
		if last.Due.Before(o.End) {
			t.Errorf("the last operation was due before %s was over", o.Kind)
		}
	}
}

// An error of one lane begins no further operations, a panic ends the run, and so does a turn without operations or of a
// kind that was not declared.
func TestTurnsThatFail(t *testing.T) {
	boom := errors.New("boom")
	for name, c := range map[string]struct {
		do    func(context.Context, *Worker) error
		fault string // part of it; empty: the error is boom
	}{
		"lane": {func(ctx context.Context, w *Worker) error {
			return w.Parallel(ctx, 1000, func(ctx context.Context, w *Worker, i int) error {
				return w.Op(ctx, op.Stat, func(*op.Op) error { return boom })
			})
		}, ""},
		"panic in a lane": {func(ctx context.Context, w *Worker) error {
			return w.Parallel(ctx, 10, func(context.Context, *Worker, int) error { panic(boom) })
		}, "boom"},
		"no operation": {func(context.Context, *Worker) error { return nil }, "performed no operation"},
		"another kind": {func(ctx context.Context, w *Worker) error {
			return w.Op(ctx, op.Get, func(*op.Op) error { return nil })
		}, "GET"},
	} {
		records := op.NewCollector()
		w := testWorker(t, records, 3, op.Stat)
		err := w.turn(t.Context(), load.Turn{}, c.do)
		records.Close()
		switch {
		case c.fault == "" && (!errors.Is(err, boom) || w.performed > 3):
			t.Errorf("%s: %v after %d operations", name, err, w.performed)
		case c.fault != "" && (!isFault(err) || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%s: got %v, want a fault with %q", name, err, c.fault)
		}
	}
}

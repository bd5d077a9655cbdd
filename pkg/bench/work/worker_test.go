package work_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench/internal/benchtest"
	"warp/pkg/bench/work"
	"warp/pkg/load"
	"warp/pkg/op"
)

// Each operation of a turn has a record of its own. In an open loop the next one is due when the one before it is over;
// operations of Parallel are due together, and no lane has two under way at once.
func TestTurnOfSeveralOperations(t *testing.T) {
	const parts, lanes = 20, 4
	k := &benchtest.Kept{}
	records := op.NewCollector(k)
	w := benchtest.Worker(t, work.Options{}, records, lanes, op.Put, op.Stat)
	due := clock.Now().Add(-time.Second)
	var mu sync.Mutex
	running, most := 0, 0
	count := func(by int) {
		mu.Lock()
		defer mu.Unlock()
		running += by
		most = max(most, running)
	}
	err := w.Perform(t.Context(), load.Turn{Due: due}, func(ctx context.Context, w *work.Worker) error {
		if err := w.Stat(ctx, w.Set.At(0)); err != nil {
			return err
		}
		err := w.Parallel(ctx, parts, func(ctx context.Context, w *work.Worker, i int) error {
			count(1)
			defer count(-1)
			return w.Put(ctx, uint64(i))
		})
		return errors.Join(err, w.Stat(ctx, w.Set.At(1)))
	})
	if err := errors.Join(err, records.Close()); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(k.Ops, func(a, b op.Op) int { return a.Start.Compare(b.Start) })
	if len(k.Ops) != parts+2 || most > lanes {
		t.Fatalf("%d records, %d at once; want %d, %d at once", len(k.Ops), most, parts+2, lanes)
	}
	first, last := k.Ops[0], k.Ops[parts+1]
	if !first.Due.Equal(due) || last.Kind != op.Stat {
		t.Errorf("first operation due %v, want %v; last %s", first.Due, due, last.Kind)
	}
	ends := map[uint32]time.Time{0: first.End}
	for _, o := range k.Ops[1 : parts+1] {
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
		do    func(context.Context, *work.Worker) error
		fault string // part of it; empty: the error is boom
	}{
		"lane": {func(ctx context.Context, w *work.Worker) error {
			return w.Parallel(ctx, 1000, func(ctx context.Context, w *work.Worker, i int) error {
				return w.Op(ctx, op.Stat, func(*op.Op) error { return boom })
			})
		}, ""},
		"panic in a lane": {func(ctx context.Context, w *work.Worker) error {
			return w.Parallel(ctx, 10, func(context.Context, *work.Worker, int) error { panic(boom) })
		}, "boom"},
		"no operation": {func(context.Context, *work.Worker) error { return nil }, "performed no operation"},
		"another kind": {func(ctx context.Context, w *work.Worker) error {
			return w.Op(ctx, op.Get, func(*op.Op) error { return nil })
		}, "GET"},
	} {
		k := &benchtest.Kept{}
		records := op.NewCollector(k)
		w := benchtest.Worker(t, work.Options{}, records, 3, op.Stat)
		err := w.Perform(t.Context(), load.Turn{}, c.do)
		records.Close()
		switch {
		case c.fault == "" && (!errors.Is(err, boom) || len(k.Ops) > 3):
			t.Errorf("%s: %v after %d operations", name, err, len(k.Ops))
		case c.fault != "" && (!work.IsFault(err) || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%s: got %v, want a fault with %q", name, err, c.fault)
		}
	}
}

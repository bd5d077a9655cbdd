package work_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench/internal/benchtest"
	"warp/pkg/bench/work"
	"warp/pkg/load"
	"warp/pkg/op"
)

// TestOwnLateOfOperations: those that a turn begins with have the time since the turn was due and a thread was free; those that wait for others, or
// for a pause, have none.
func TestOwnLateOfOperations(t *testing.T) {
	stat := func(ctx context.Context, w *work.Worker, i uint64) error { return w.Stat(ctx, w.Set.At(i)) }
	for name, c := range map[string]struct {
		do     func(context.Context, *work.Worker) error
		first  int // operations, by their start, that the turn begins with
		others int
		retry  *work.Retry
	}{
		"one after the other": {func(ctx context.Context, w *work.Worker) error {
			_ = stat(ctx, w, 0)
			return stat(ctx, w, 1)
		}, 1, 1, nil},
		"after a pause": {func(ctx context.Context, w *work.Worker) error {
			w.Pause(ctx, time.Microsecond)
			return stat(ctx, w, 0)
		}, 0, 1, nil},
		"after what is not measured": {func(ctx context.Context, w *work.Worker) error {
			_ = w.Unmeasured(ctx, func() error { return nil })
			return stat(ctx, w, 0)
		}, 0, 1, nil},
		"side by side": {func(ctx context.Context, w *work.Worker) error {
			begun := make(chan struct{}, 3)
			return w.Parallel(ctx, 3, func(ctx context.Context, w *work.Worker, i int) error {
				begun <- struct{}{}
				for len(begun) < 3 { // each lane has one
					time.Sleep(time.Microsecond)
				}
				return stat(ctx, w, uint64(i))
			})
		}, 3, 0, nil},
		"a whole, after its first request": {func(ctx context.Context, w *work.Worker) error {
			return w.Composite(op.MultipartPut, w.Set.At(0), func() error {
				_ = stat(ctx, w, 0)
				return w.Parallel(ctx, 3, func(ctx context.Context, w *work.Worker, i int) error { return stat(ctx, w, uint64(i)) })
			})
		}, 2, 3, nil},
		"attempts": {func(ctx context.Context, w *work.Worker) error {
			return stat(ctx, w, 0)
		}, 2, 0, &work.Retry{Max: 2, On: []int{503}}},
	} {
		t.Run(name, func(t *testing.T) {
			k := &benchtest.Kept{}
			records := op.NewCollector(k)
			w := benchtest.Worker(t, work.Options{Retry: c.retry}, records, 3, op.Stat, op.MultipartPut)
			turn := load.Turn{Due: clock.Now().Add(-time.Second), Ready: clock.Now().Add(-300 * time.Millisecond)}
			if err := w.Perform(t.Context(), turn, c.do); err != nil {
				t.Fatal(err)
			}
			if err := records.Close(); err != nil {
				t.Fatal(err)
			}
			var first, others int
			for _, o := range k.Ops {
				switch {
				case o.OwnLate == o.Start.Sub(turn.Ready) && o.Due.Equal(turn.Due):
					first++
				case o.OwnLate == 0 && o.Due.After(turn.Ready):
					others++
				default:
					t.Errorf("%s due %v, ready %v, begun %v: own lateness %v", o.Kind, turn.Due, turn.Ready, o.Start, o.OwnLate)
				}
			}
			if first != c.first || others != c.others {
				t.Errorf("%d operations with the client's lateness and %d without, want %d and %d", first, others, c.first, c.others)
			}
		})
	}
}

// A closed loop has no lateness.
func TestNoOwnLateInAClosedLoop(t *testing.T) {
	k := &benchtest.Kept{}
	records := op.NewCollector(k)
	w := benchtest.Worker(t, work.Options{}, records, 1, op.Stat)
	err := w.Perform(t.Context(), load.Turn{}, func(ctx context.Context, w *work.Worker) error { return w.Stat(ctx, w.Set.At(0)) })
	if err != nil || records.Close() != nil || len(k.Ops) != 1 || slices.ContainsFunc(k.Ops, func(o op.Op) bool { return o.OwnLate != 0 }) {
		t.Errorf("%v, %+v", err, k.Ops)
	}
}

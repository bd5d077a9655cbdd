package work

import (
	"context"
	"slices"
	"sync/atomic"

	"warp/pkg/load/loop"
)

// oneByOne calls do for 0 to n-1. After the first error, or the end of ctx, no further calls begin.
func (w *Worker) oneByOne(ctx context.Context, n int, do func(ctx context.Context, w *Worker, i int) error) error {
	for i := range n {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := do(ctx, w, i); err != nil {
			return err
		}
	}
	return nil
}

// Parallel calls do for 0 to n-1, one call for each lane of the traits at a time, each with its own worker. After the first error no
// further calls begin; it returns that error when all have ended.
func (w *Worker) Parallel(ctx context.Context, n int, do func(ctx context.Context, w *Worker, i int) error) error {
	if n <= 0 {
		return nil
	}
	var (
		next   atomic.Int64
		failed atomic.Bool
		errs   = make([]error, min(n, len(w.lanes)))
	)
	lanes := w.lanes[:min(n, len(w.lanes))]
	for _, lane := range lanes[1:] { // before the first one, which is w, changes what they begin with
		lane.Begin(w.Turn)
		lane.turn.due, lane.turn.ready, lane.Auth = w.turn.due, w.turn.ready, w.Auth
	}
	loop.Together(ctx, len(lanes), func(ctx context.Context, k int) {
		errs[k] = Guard(func() error {
			for !failed.Load() && ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					break
				}
				if err := do(ctx, lanes[k], i); err != nil {
					failed.Store(true)
					return err
				}
			}
			return nil
		})
	})
	for _, lane := range lanes[1:] {
		w.join(lane)
		if w.Call.Host == "" { // the others were faster, and left it nothing to do
			w.Call.Host, w.Call.Status = lane.Call.Host, lane.Call.Status
		}
		if lane.turn.due.After(w.turn.due) {
			w.waited(lane.turn.due)
		}
	}
	if i := slices.IndexFunc(errs, IsFault); i >= 0 {
		return errs[i]
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

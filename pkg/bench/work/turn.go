package work

import (
	"context"
	"errors"
	"fmt"
	"time"

	"warp/internal/clock"
	"warp/pkg/load"
	"warp/pkg/load/loop"
	"warp/pkg/op"
)

// Perform performs one turn. A turn without any operation is a Fault.
func (w *Worker) Perform(ctx context.Context, t load.Turn, do func(context.Context, *Worker) error) error {
	w.Begin(t)
	err := Guard(func() error { return do(ctx, w) })
	if errors.Is(err, load.ErrDone) || errors.Is(err, load.ErrUnsent) || errors.Is(err, load.ErrNoMore) || IsFault(err) {
		return err
	}
	if w.turn.performed == 0 {
		return &Fault{fmt.Sprintf("a turn performed no operation (%v)", err)}
	}
	return err
}

// Begin prepares the worker for a turn.
func (w *Worker) Begin(t load.Turn) {
	w.record.phase = w.origin.stream
	if t.Warmup {
		w.record.phase = op.PhaseWarmup
	}
	w.Turn = t
	w.turn = turn{due: t.Due, ready: t.Ready}
}

// join adds another worker's part of the turn.
func (w *Worker) join(o *Worker) {
	w.turn.performed += o.turn.performed
	w.turn.failed += o.turn.failed
	w.turn.moved += o.turn.moved
	w.turn.spent.add(o.turn.spent)
	w.turn.unanswered = w.turn.unanswered || o.turn.unanswered
}

// waited notes that the turn waited for something else until then, so that its next operation is not late.
func (w *Worker) waited(until time.Time) {
	if !w.turn.due.IsZero() {
		w.turn.due, w.turn.ready = until, time.Time{}
	}
}

// ownLate returns the own lateness of an operation.
func (w *Worker) ownLate(start time.Time) time.Duration {
	if w.turn.ready.IsZero() {
		return 0
	}
	return max(0, start.Sub(w.turn.ready))
}

// Pause waits within a turn, and reports whether the time passed before ctx ended. It is not part of any operation.
func (w *Worker) Pause(ctx context.Context, d time.Duration) bool {
	waited := loop.Pause(ctx, d)
	w.waited(clock.Now())
	return waited
}

// Ending reports whether sending has stopped, so that a turn of many operations should end.
func (w *Worker) Ending() bool {
	select {
	case <-w.origin.end:
		return true
	default:
		return false
	}
}

// Due returns when the next operation of the turn should start, and since when it can; zero in a closed loop.
func (w *Worker) Due() (due, ready time.Time) { return w.turn.due, w.turn.ready }

// SetReady notes that the turn waited until now for operations that it follows.
func (w *Worker) SetReady(now time.Time) { w.turn.ready = now }

// Continue adds another worker's part of the turn, and goes on from its end.
func (w *Worker) Continue(o *Worker) {
	w.join(o)
	w.turn.due, w.turn.ready = o.turn.due, o.turn.ready
}

package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"warp/pkg/op"
)

// fault is a panic in a run, as its error. It ends the run but not the process: a client has other things to do, and a
// coordinator and its other clients would wait for a process that died.
type fault struct{ text string }

func newFault(p any) *fault {
	return &fault{fmt.Sprintf("a fault of warp itself, please report it: %v\n%s", p, debug.Stack())}
}

// Fault is the error of a panic where a run is prepared or reported.
func Fault(p any) error { return newFault(p) }

func (f *fault) Error() string { return f.text }

func isFault(err error) bool {
	if err == nil {
		return false
	}
	var f *fault
	return errors.As(err, &f)
}

// guarded performs an operation.
func guarded(ctx context.Context, do operation, w *Worker, rec *op.Op) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = newFault(p)
		}
	}()
	return do(ctx, w, rec)
}

// guardedStage performs a stage of a run.
func guardedStage(ctx context.Context, stage func(ctx context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = newFault(p)
		}
	}()
	return stage(ctx)
}

package cli

import (
	"context"
	"errors"
	"sync"

	"warp/internal/ui"
	"warp/pkg/bench"
)

// Why a run was stopped before its time.
var (
	errInterrupt = errors.New("interrupted")
	errQuit      = errors.New("stopped by q")
)

// stopper listens to signals and keys while a run goes on.
type stopper struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
	wg     sync.WaitGroup
	keys   *ui.KeyWatcher
}

// listen gives a context that the first interrupt (or a q) cancels. The second interrupt calls leave and ends the process.
func (a *app) listen(ctx context.Context, inform func(string), leave func()) (context.Context, *stopper) {
	ctx, cancel := context.WithCancelCause(ctx)
	s := &stopper{cancel: cancel, done: make(chan struct{})}
	var keys <-chan byte
	if a.env.Keys != nil {
		// Without keys a run can still be interrupted.
		if k, err := ui.WatchKeys(a.env.Keys, a.env.Screen); err == nil {
			s.keys, keys = k, k.Keys()
		}
	}
	s.wg.Go(func() {
		for {
			select {
			case <-s.done:
				return
			case <-a.env.Signals:
				if errors.Is(context.Cause(ctx), errInterrupt) {
					s.restore()
					leave()
					a.env.Exit(exitInterrupted)
					return
				}
				inform("Interrupted: operations in flight may finish, then the report and clean-up follow. Once more to leave at once.")
				cancel(errInterrupt)
			case k, ok := <-keys:
				if !ok {
					keys = nil
				}
				if k == 'q' && ok && ctx.Err() == nil {
					inform("Stopping: operations in flight may finish, then the report and clean-up follow.")
					cancel(errQuit)
				}
			}
		}
	})
	return ctx, s
}

// ending is the error with which a run ends, after what may have stopped it: an interrupt is one by itself, a q is none.
func ending(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errInterrupt):
		if err == nil {
			err = errors.New("interrupted; the report covers what was measured until then")
		}
		return &codedError{exitInterrupted, err}
	case errors.Is(cause, errQuit) && errors.Is(err, bench.ErrInterrupted):
		return nil
	}
	return err
}

// close ends listening and restores the terminal.
func (s *stopper) close() {
	close(s.done)
	s.wg.Wait()
	s.restore()
	s.cancel(nil)
}

// restore puts the terminal back into its mode.
func (s *stopper) restore() {
	if s.keys != nil {
		_ = s.keys.Close() // there is nobody to tell but the terminal
	}
}

// cancelOnInterrupt has an interrupt cancel the context, with errInterrupt as its cause, and a second one end the process,
// until the function that it returns is called.
func (a *app) cancelOnInterrupt(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	ignore := a.onInterrupt(func() { cancel(errInterrupt) }, func() { a.env.Exit(exitInterrupted) })
	return ctx, func() {
		ignore()
		cancel(nil)
	}
}

// leaveOnInterrupt has an interrupt end the process at once, until the function that it returns is called.
func (a *app) leaveOnInterrupt() (stop func()) {
	return a.onInterrupt(func() { a.env.Exit(exitInterrupted) })
}

// onInterrupt calls the functions one after the other, each at an interrupt, until the function that it returns is called.
func (a *app) onInterrupt(actions ...func()) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for _, action := range actions {
			select {
			case <-a.env.Signals:
				action()
			case <-done:
				return
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}

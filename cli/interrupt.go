package cli

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"

	"warp/internal/ui"
	"warp/pkg/bench"
)

// Why a run was stopped before its time.
var (
	errInterrupt error = stopped("interrupted")
	errQuit      error = stopped("stopped by q")
)

// stopped is a cause of cancelling a context. net/http gives it as the error of requests that are cut off, where it must still
// be known as a cancellation.
type stopped string

func (s stopped) Error() string      { return string(s) }
func (stopped) Is(target error) bool { return target == context.Canceled }

// interrupts tells the first signal of a run from one that ends the process at once. A SIGHUP only counts as the first: a terminal
// that goes away sends several, by the shell and by the kernel, and systemd sends one right after SIGTERM.
type interrupts struct {
	any    bool
	urgent int // signals other than hang-ups
}

// add counts a signal. Neither is true for one that changes nothing.
func (i *interrupts) add(s os.Signal) (first, leave bool) {
	first, i.any = !i.any, true
	if s != syscall.SIGHUP {
		i.urgent++
		leave = i.urgent > 1
	}
	return first, leave
}

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
		var asked interrupts
		for {
			select {
			case <-s.done:
				return
			case sig := <-a.env.Signals:
				switch first, again := asked.add(sig); {
				case again:
					s.restore()
					leave()
					a.env.Exit(exitInterrupted)
					return
				case !first:
					continue
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

// ending returns the error of a run that may have been stopped: an interrupt is an error by itself, a q is not.
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
		_ = s.keys.Close() // there is no one to report it to
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
	leave := func() { a.env.Exit(exitInterrupted) }
	return a.onInterrupt(leave, leave)
}

// onInterrupt calls one function at the first interrupt, and the other at one that asks to leave at once, until the function
// that it returns is called.
func (a *app) onInterrupt(first, again func()) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		var asked interrupts
		for {
			select {
			case sig := <-a.env.Signals:
				switch isFirst, leave := asked.add(sig); {
				case leave:
					again()
				case isFirst:
					first()
				}
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

package process

import (
	"context"
	"os"
	"sync"
	"syscall"
	"time"

	"warp/internal/clock"
	"warp/view/terminal"
)

// Why a run was stopped before its time.
var (
	ErrInterrupt error = stopped("interrupted")
	ErrQuit      error = stopped("stopped by q")
)

// stopped is a cause of cancelling a context. net/http gives it as the error of requests that are cut off, where it must still
// be known as a cancellation.
type stopped string

func (s stopped) Error() string      { return string(s) }
func (stopped) Is(target error) bool { return target == context.Canceled }

// interrupts distinguishes the first signal of a run from one that ends the process at once. A SIGHUP only counts as the first: a terminal
// that goes away sends several, by the shell and by the kernel, and systemd sends one right after SIGTERM.
type interrupts struct {
	any    bool
	urgent int       // signals other than hang-ups
	phase  time.Time // when the last interrupt ended a phase only
}

// PhaseInterrupt is how long after an interrupt that ended a phase another one ends the run.
const PhaseInterrupt = 2 * time.Second

// endsPhase reports whether a signal ends only a phase: an interrupt from the keyboard does, unless it follows another one soon.
func (i *interrupts) endsPhase(s os.Signal, now time.Time, end func() bool) bool {
	if end == nil || i.any || s != os.Interrupt || !i.phase.IsZero() && now.Sub(i.phase) < PhaseInterrupt || !end() {
		return false
	}
	i.phase = now
	return true
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

// Listen gives a context that the first interrupt or a q, for which keys waits, cancels, until the function that it returns is called.
// The second interrupt calls leave and ends the process. An interrupt for which endPhase returns true ends only a phase; it may be nil.
func (e *Env) Listen(
	ctx context.Context, inform func(string), leave func(), keys func(quit func()) (restore func()), endPhase func() bool,
) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	restore := keys(func() {
		if ctx.Err() == nil {
			inform("Stopping: operations in flight may finish, then the report and clean-up follow.")
			cancel(ErrQuit)
		}
	})
	ignore := e.onInterrupt(endPhase, func() {
		inform("Interrupted: operations in flight may finish, then the report and clean-up follow. Once more to leave at once.")
		cancel(ErrInterrupt)
	}, func() {
		restore()
		leave()
		e.Exit(ExitInterrupted)
	})
	return ctx, func() {
		ignore()
		restore()
		cancel(nil)
	}
}

// OnQuit calls a function when q is pressed, until the function that it returns is called, which restores the terminal and may
// be called again. Without keys nothing happens: a run can still be interrupted.
func (e *Env) OnQuit(quit func()) (restore func()) {
	if e.Keys == nil {
		return func() {}
	}
	keys, err := terminal.WatchKeys(e.Keys, e.Screen, e.Guard)
	if err != nil {
		return func() {}
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for key := range keys.Keys() {
			if key == 'q' {
				quit()
			}
		}
	})
	return func() {
		_ = keys.Close() // there is no one to report it to
		wg.Wait()
	}
}

// CancelOnInterrupt has an interrupt cancel the context, with ErrInterrupt as its cause, and a second one end the process,
// until the function that it returns is called.
func (e *Env) CancelOnInterrupt(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	ignore := e.onInterrupt(nil, func() {
		cancel(ErrInterrupt)
		if e.halt != nil {
			e.halt()
		}
	}, func() { e.Exit(ExitInterrupted) })
	return ctx, func() {
		ignore()
		cancel(nil)
	}
}

// Halted returns a context that is over when an interrupt has cancelled what the command does.
func (e *Env) Halted() context.Context {
	if e.halted == nil {
		return context.Background()
	}
	return e.halted
}

// LeaveOnInterrupt has an interrupt end the process at once, until the function that it returns is called.
func (e *Env) LeaveOnInterrupt() (stop func()) {
	leave := func() { e.Exit(ExitInterrupted) }
	return e.onInterrupt(nil, leave, leave)
}

// Begin readies the process: an interrupt ends it until a command handles interrupts itself, and the terminal is restored however
// the process ends. The function that it returns ends that.
func (e *Env) Begin() (end func()) {
	e.Guard = terminal.NewGuard(e.Keys, e.Screen)
	halted, halt := context.WithCancelCause(context.Background())
	e.halted, e.halt = halted, func() { halt(ErrInterrupt) }
	ready := e.leaveEarly()
	return func() {
		ready()
		halt(nil)
		e.Guard.Close()
	}
}

// leaveEarly has an interrupt end the process at once until the first command is ready for it: it may be reading a pipe without a
// writer. The function that it returns ends that at the latest.
func (e *Env) leaveEarly() (stop func()) {
	e.early = sync.OnceFunc(e.LeaveOnInterrupt())
	return e.early
}

// InterruptsHandled says that from here interrupts wait until they are handled.
func (e *Env) InterruptsHandled() {
	if e.early != nil {
		e.early()
	}
}

// onInterrupt calls one function at the first interrupt that does not end only a phase, and the other at one that asks to leave at
// once, until the function that it returns is called.
func (e *Env) onInterrupt(endPhase func() bool, first, again func()) (stop func()) {
	e.InterruptsHandled()
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		var asked interrupts
		for {
			select {
			case sig := <-e.Signals:
				if asked.endsPhase(sig, clock.Now(), endPhase) {
					continue
				}
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

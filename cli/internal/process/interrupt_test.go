package process

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestInterruptsCount: the first signal stops the run, and a second one leaves at once unless it only says once more that the
// terminal is gone.
func TestInterruptsCount(t *testing.T) {
	const hup, term = syscall.SIGHUP, syscall.SIGTERM
	for name, c := range map[string]struct {
		signals []os.Signal
		leave   int // the signal that leaves, counted from 1; 0: none
	}{
		"one interrupt":          {[]os.Signal{os.Interrupt}, 0},
		"two interrupts":         {[]os.Signal{os.Interrupt, os.Interrupt}, 2},
		"interrupt, terminate":   {[]os.Signal{os.Interrupt, term}, 2},
		"shell and kernel":       {[]os.Signal{hup, hup, hup}, 0},
		"systemd":                {[]os.Signal{term, hup}, 0},
		"end of a login session": {[]os.Signal{hup, term, hup}, 0},
		"hang-up, two kills":     {[]os.Signal{hup, term, term}, 3},
	} {
		var asked interrupts
		for i, s := range c.signals {
			first, leave := asked.add(s)
			if first != (i == 0) || leave != (i+1 == c.leave) {
				t.Errorf("%s: signal %d: first %v, leave %v", name, i+1, first, leave)
			}
		}
	}
}

// TestInterruptEndsPhase: an interrupt ends a phase while another follows it; one soon after, or another signal, ends the run.
func TestInterruptEndsPhase(t *testing.T) {
	type signal struct {
		s     os.Signal
		after time.Duration // since the one before
	}
	const hup, term = syscall.SIGHUP, syscall.SIGTERM
	for name, c := range map[string]struct {
		follow  bool // a phase follows
		signals []signal
		want    string // p: ends a phase; r: the run
	}{
		"phases":             {true, []signal{{os.Interrupt, 0}, {os.Interrupt, PhaseInterrupt}, {os.Interrupt, time.Minute}}, "ppp"},
		"soon again":         {true, []signal{{os.Interrupt, 0}, {os.Interrupt, PhaseInterrupt - 1}, {os.Interrupt, time.Minute}}, "prr"},
		"terminate":          {true, []signal{{term, 0}}, "r"},
		"hang-up, interrupt": {true, []signal{{hup, 0}, {os.Interrupt, time.Minute}}, "rr"},
		"last phase":         {false, []signal{{os.Interrupt, 0}}, "r"},
	} {
		var asked interrupts
		now, got := time.Unix(1000, 0), ""
		for _, s := range c.signals {
			now = now.Add(s.after)
			if asked.endsPhase(s.s, now, func() bool { return c.follow }) {
				got += "p"
				continue
			}
			asked.add(s.s)
			got += "r"
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestInterrupts: the first interrupt cancels, the second leaves.
func TestInterrupts(t *testing.T) {
	defer goleak.VerifyNone(t)
	env := testEnv()
	left := make(chan int, 1)
	env.Exit = func(code int) { left <- code }
	ctx, stop := env.CancelOnInterrupt(context.Background())
	env.Signals <- os.Interrupt
	<-ctx.Done()
	if !errors.Is(context.Cause(ctx), ErrInterrupt) || len(left) > 0 {
		t.Errorf("cause %v, left %d", context.Cause(ctx), len(left))
	}
	env.Signals <- os.Interrupt
	if code := <-left; code != ExitInterrupted {
		t.Errorf("code %d", code)
	}
	stop()
	ctx, stop = env.CancelOnInterrupt(context.Background())
	stop()
	if errors.Is(context.Cause(ctx), ErrInterrupt) {
		t.Error("interrupted without an interrupt")
	}
}

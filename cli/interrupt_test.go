package cli

import (
	"os"
	"syscall"
	"testing"
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

package responder

import (
	"syscall"
	"time"
)

// nap sleeps in the kernel, which is more exact than Go's timers: those wake up by whole milliseconds.
func nap(d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&ts, nil) // a signal ends it early; then the clock is looked at for longer
}

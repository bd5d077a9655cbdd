package responder

import (
	"syscall"
	"time"
)

// preciseSleep sleeps in the kernel, which is more exact than Go's timers: those wake up by whole milliseconds.
func preciseSleep(d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&ts, nil) // a signal ends it early; then the clock is looked at for longer
}

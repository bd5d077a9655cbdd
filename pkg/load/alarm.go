package load

import (
	"time"

	"warp/pkg/op"
)

// alarm waits for points in time. It is for one goroutine; the zero value is ready.
type alarm struct {
	timer *time.Timer
	fine  fineTimer
}

// fineBefore is how long before its end a wait is handed over to the fine timer. The runtime's timers are up to 1.1 ms
// late in an idle process, since it sleeps in whole milliseconds.
const fineBefore = 1200 * time.Microsecond

// wait returns true when the time has come, false when one of the channels was closed before (nil: never is).
func (a *alarm) wait(until time.Time, quit, abort <-chan struct{}) bool {
	left := until.Sub(op.Now())
	if left <= 0 {
		return true
	}
	if left > fineBefore {
		if !a.sleep(left-fineBefore, quit, abort) {
			return false
		}
		left = until.Sub(op.Now())
	}
	if left > 0 {
		a.fine.sleep(left)
	}
	left = until.Sub(op.Now()) // still some, where there is no fine timer and under a clock of tests
	return left <= 0 || a.sleep(left, quit, abort)
}

// sleep waits with a timer of the runtime.
func (a *alarm) sleep(d time.Duration, quit, abort <-chan struct{}) bool {
	if a.timer == nil {
		a.timer = time.NewTimer(d)
	} else {
		a.timer.Reset(d)
	}
	select {
	case <-quit:
		return false
	case <-abort:
		return false
	case <-a.timer.C:
		return true
	}
}

// close gives back what the alarm holds.
func (a *alarm) close() {
	if a.timer != nil {
		a.timer.Stop()
	}
	a.fine.close()
}

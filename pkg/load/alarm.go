package load

import (
	"time"

	"warp/internal/clock"
)

// alarm waits for points in time. It is for one goroutine; the zero value is ready, without fine timers.
type alarm struct {
	timer *time.Timer
	fine  fineTimers
}

// fineTimers are the fine timers of a run, each of which takes a file descriptor: so few that it does not matter how many
// workers there are. They suffice for 50,000 turns per second; workers that find none free use the timers of the runtime, which are not late while so many others are
// waiting for the next millisecond: each of them wakes the runtime.
type fineTimers chan *fineTimer

// MaxTimers is how many file descriptors a Run takes for its timers at most.
const MaxTimers = 64

func newFineTimers() fineTimers {
	f := make(fineTimers, MaxTimers)
	for range MaxTimers {
		f <- new(fineTimer)
	}
	return f
}

// sleep waits for d, or not at all if all timers are in use.
func (f fineTimers) sleep(d time.Duration) {
	select {
	case t := <-f:
		t.sleep(d)
		f <- t
	default:
	}
}

// close closes the timers, none of which is in use any more.
func (f fineTimers) close() {
	for range len(f) {
		(<-f).close()
	}
}

// fineBefore is how long before its end a wait is handed over to the fine timer. The runtime's timers are up to 1.1 ms
// late in an idle process, since it sleeps in whole milliseconds.
const fineBefore = 1200 * time.Microsecond

// wait returns true when the time has come, false when one of the channels was closed before (nil: never is).
func (a *alarm) wait(until time.Time, quit, abort <-chan struct{}) bool {
	left := until.Sub(clock.Now())
	if left <= 0 {
		return true
	}
	if left > fineBefore {
		if !a.sleep(left-fineBefore, quit, abort) {
			return false
		}
		left = until.Sub(clock.Now())
	}
	if left > 0 {
		a.fine.sleep(left)
	}
	left = until.Sub(clock.Now()) // still some, where no fine timer was free and under a clock of tests
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
}

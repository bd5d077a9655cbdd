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

// fineTimers is the pool of fine timers of a run. Each takes a file descriptor, so their number is independent of that
// of workers. Workers that find none free use the runtime's timers, which are punctual while many others wait for the next
// millisecond: each of them wakes the runtime. An open loop needs one, for the worker that waits for the next turn.
type fineTimers chan *fineTimer

// MaxTimers is the maximum number of file descriptors that a Run takes for its timers.
const MaxTimers = 64

func newFineTimers(n int) fineTimers {
	f := make(fineTimers, n)
	for range n {
		f <- new(fineTimer)
	}
	return f
}

// sleep waits for d, or returns at once if all timers are in use.
func (f fineTimers) sleep(d time.Duration) {
	select {
	case t := <-f:
		t.sleep(d)
		f <- t
	default:
	}
}

// close closes the timers. None may be in use.
func (f fineTimers) close() {
	for range len(f) {
		(<-f).close()
	}
}

// fineBefore is how long before its end a wait switches to a fine timer. The runtime's timers are up to 1.1 ms late in
// an idle process, since it sleeps in whole milliseconds.
const fineBefore = 1200 * time.Microsecond

// wait reports whether the time was reached: false if one of the channels was closed before (a nil channel never is).
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
	left = until.Sub(clock.Now()) // positive if no fine timer was free, or under a test's clock
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

// close releases the timer.
func (a *alarm) close() {
	if a.timer != nil {
		a.timer.Stop()
	}
}

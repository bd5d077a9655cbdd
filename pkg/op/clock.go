package op

import (
	"context"
	"sync/atomic"
	"time"
)

// epoch carries the one wall-clock reading of this process. All time stamps are epoch plus the monotonic time since, so
// that a step of the system's clock during a run cannot put its operations out of order.
var epoch = time.Now()

// Now is the current time for stamping operations.
func Now() time.Time { return epoch.Add(time.Since(epoch)) }

// systemClock is what WallClock reads, unless a test has set another clock.
var systemClock atomic.Pointer[func() time.Time]

// WallClock is the system's clock as it is set now, for what others compare with theirs: signatures. It follows every step, and
// so must not stamp operations.
func WallClock() time.Time {
	if read := systemClock.Load(); read != nil {
		return (*read)().Round(0)
	}
	return time.Now().Round(0) // without the monotonic reading, or the difference to Now would hide a step
}

// SetWallClock makes WallClock read another clock, for tests of clock steps. The function that it returns ends that.
func SetWallClock(read func() time.Time) (reset func()) {
	systemClock.Store(&read)
	return func() { systemClock.Store(nil) }
}

// Stepped is how far the system's clock has moved away from Now since the process began: somebody set it, or the machine
// slept.
func Stepped() time.Duration {
	now := time.Now()
	return now.Round(0).Sub(epoch.Add(now.Sub(epoch)).Round(0))
}

// Pause waits for d; false: ctx ended before.
func Pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

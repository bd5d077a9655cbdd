// Package clock is the one place that reads the time: a clock for stamping operations that no step of the system's clock
// disturbs, and the system's clock for what others compare with theirs.
package clock

import (
	"context"
	"sync/atomic"
	"time"
)

// epoch carries the one wall-clock reading of this process. All time stamps are epoch plus the monotonic time since, so
// that a step of the system's clock during a run cannot reorder its operations.
var epoch = time.Now()

// Now returns the current time for stamping operations.
func Now() time.Time { return epoch.Add(time.Since(epoch)) }

// system is the clock that Wall reads; nil: the system's.
var system atomic.Pointer[func() time.Time]

// Wall returns the time of the system's clock, for signatures: servers compare them with their own clocks. It follows every
// step, so it must not stamp operations.
func Wall() time.Time {
	if read := system.Load(); read != nil {
		return (*read)().Round(0)
	}
	return time.Now().Round(0) // without the monotonic reading, or the difference to Now would hide a step
}

// Both reads both clocks at once.
func Both() (now, wall time.Time) {
	t := time.Now()
	now, wall = epoch.Add(t.Sub(epoch)), t.Round(0)
	if read := system.Load(); read != nil {
		wall = (*read)().Round(0)
	}
	return now, wall
}

// SetWall replaces the clock that Wall reads, for tests of clock steps, until reset is called.
func SetWall(read func() time.Time) (reset func()) {
	system.Store(&read)
	return func() { system.Store(nil) }
}

// Stepped returns how far the system's clock has moved away from Now since the process began: it was set, or the machine
// slept.
func Stepped() time.Duration {
	now := time.Now()
	return now.Round(0).Sub(epoch.Add(now.Sub(epoch)).Round(0))
}

// Pause waits for d. It reports false if ctx ended first.
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

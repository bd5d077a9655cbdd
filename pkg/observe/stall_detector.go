package observe

import (
	"time"

	"warp/internal/clock"
)

const (
	// stallCheckInterval is the interval at which the observer reads the clock, so that a stall is known to a tenth of a second.
	// It takes less than 0.1% of a CPU.
	stallCheckInterval = 100 * time.Millisecond
	// stallLimit is the shortest stall that counts. A busy machine may keep a goroutine waiting for tens
	// of milliseconds, which Lateness covers.
	stallLimit = time.Second
)

// stallDetector detects stalls by the time between two readings of the clock. It is for one goroutine.
type stallDetector struct {
	last    time.Time
	stepped time.Duration // how far the system's clock was ahead then

	stalls, jumps *Stalls // since the last sample
}

func newStallDetector() stallDetector {
	return stallDetector{last: clock.Now(), stepped: clock.Stepped()}
}

// check must be called every stallCheckInterval. After a process was stopped, the monotonic clock has advanced by more than that.
// While a machine is suspended that clock stands still as well, and the system's clock is ahead of it afterwards.
func (w *stallDetector) check() {
	now, stepped := clock.Now(), clock.Stepped()
	w.stalls = w.note(w.stalls, now.Sub(w.last)-stallCheckInterval)
	w.jumps = w.note(w.jumps, stepped-w.stepped)
	w.last, w.stepped = now, stepped
}

func (w *stallDetector) note(sum *Stalls, d time.Duration) *Stalls {
	if d < stallLimit {
		return sum
	}
	one := Stall{Start: w.last.UTC(), Seconds: d.Seconds()}
	return merged(sum, &Stalls{Count: 1, Seconds: one.Seconds, Longest: one}, (*Stalls).add)
}

// into moves what was detected into a sample.
func (w *stallDetector) into(s *Sample) {
	s.Stalls, s.ClockJumps = w.stalls, w.jumps
	w.stalls, w.jumps = nil, nil
}

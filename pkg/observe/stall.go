package observe

import (
	"fmt"
	"time"

	"warp/internal/clock"
	"warp/pkg/units"
)

// Stalls are times in which the process did nothing at all: it was stopped, or its machine was paused or suspended.
// Latencies measured then are not the server's.
type Stalls struct {
	Count   int64   `json:"count"`
	Seconds float64 `json:"duration_s"` // of all of them
	Longest Stall   `json:"longest"`
}

// Stall is one time in which the process did not run.
type Stall struct {
	Start   time.Time `json:"start"`
	Seconds float64   `json:"duration_s"`
}

const (
	// pulse is the interval at which the observer reads the clock, so that a stall is known to a tenth of a second.
	// It takes less than 0.1 % of a CPU.
	pulse = 100 * time.Millisecond
	// stallLimit is the shortest stall that counts. A busy machine may keep a goroutine waiting for tens
	// of milliseconds, which Lateness covers.
	stallLimit = time.Second
)

func (s *Stalls) add(t *Stalls) {
	s.Count += t.Count
	s.Seconds += t.Seconds
	if t.Longest.Seconds > s.Longest.Seconds {
		s.Longest = t.Longest
	}
}

// text returns duration and time, for instance "5s at 12:00:01 UTC".
func (s *Stalls) text() string {
	longest := fmt.Sprintf("%s at %s", seconds(s.Longest.Seconds), s.Longest.Start.Local().Format("15:04:05 MST"))
	if s.Count == 1 {
		return longest
	}
	return fmt.Sprintf("%s in %d pauses, the longest of %s", seconds(s.Seconds), s.Count, longest)
}

// seconds formats the length of a stall.
func seconds(s float64) string { return units.Span(time.Duration(s * float64(time.Second))) }

// overlaps reports whether the longest stall lies in a window, at least in part.
func (s *Stalls) overlaps(from, to time.Time) bool {
	end := s.Longest.Start.Add(time.Duration(s.Longest.Seconds * float64(time.Second)))
	return (from.IsZero() || end.After(from)) && (to.IsZero() || s.Longest.Start.Before(to))
}

// stallDetector detects stalls by the time between two readings of the clock. It is for one goroutine.
type stallDetector struct {
	last    time.Time
	stepped time.Duration // how far the system's clock was ahead then

	stalls, jumps *Stalls // since the last sample
}

func newStallDetector() stallDetector {
	return stallDetector{last: clock.Now(), stepped: clock.Stepped()}
}

// look must be called every pulse. After a process was stopped, the monotonic clock has advanced by more than a pulse.
// While a machine is suspended that clock stands still as well, and the system's clock is ahead of it afterwards.
func (w *stallDetector) look() {
	now, stepped := clock.Now(), clock.Stepped()
	w.stalls = w.note(w.stalls, now.Sub(w.last)-pulse)
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

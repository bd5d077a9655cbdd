package observe

import (
	"fmt"
	"time"

	"warp/pkg/units"
)

// Stalls are times when the process did nothing at all: it was stopped, or its machine was paused or suspended.
// Latencies measured then are not the server's.
type Stalls struct {
	Count   int64   `json:"count"`
	Seconds float64 `json:"duration_s"` // of all of them
	Longest Stall   `json:"longest"`
}

// Stall is one time when the process did not run.
type Stall struct {
	Start   time.Time `json:"start"`
	Seconds float64   `json:"duration_s"`
}

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

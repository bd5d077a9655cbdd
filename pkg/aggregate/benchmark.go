package aggregate

import (
	"time"

	"warp/pkg/op"
)

// Benchmark is the time of which the figures tell, preparation left out: from the start of the first window to the end of
// the last. Both are zero if there is none.
func (s *Snapshot) Benchmark() (from, to time.Time) {
	for _, g := range s.Groups {
		from, to = widened(from, to, g.Phase, g.Window)
	}
	return from, to
}

// Benchmark is that of the snapshot that these are the windows of.
func (w *Windows) Benchmark() (from, to time.Time) {
	for _, g := range w.Groups {
		from, to = widened(from, to, g.Phase, g.Window)
	}
	return from, to
}

// widened is a time with a window added, unless that is empty or of the preparation.
func widened(from, to time.Time, phase string, w Window) (time.Time, time.Time) {
	if phase == op.PhasePrepare || w.Duration() == 0 {
		return from, to
	}
	if from.IsZero() || w.Start.Before(from) {
		from = w.Start
	}
	if w.End.After(to) {
		to = w.End
	}
	return from, to
}

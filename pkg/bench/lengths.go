package bench

import (
	"cmp"
	"time"

	"warp/pkg/bench/work"
)

// Length returns the duration of the phase, the warm-up included; 0: no limit.
func (ph *Phase) Length() (d time.Duration) {
	for i := range ph.Steps {
		if ph.Steps[i].Wait == 0 {
			return 0
		}
		d = max(d, ph.Steps[i].Wait)
	}
	for _, s := range ph.Streams() {
		if s.Duration == 0 {
			return 0
		}
		d = max(d, s.Warmup+s.Duration)
	}
	return d
}

// openEndedPhase is the assumed duration of a phase without one.
const openEndedPhase = time.Hour

// PlannedLength returns how long the phases take; one without an end counts as an hour.
func (p *Plan) PlannedLength() (d time.Duration) {
	for i := range p.Phases {
		ph := &p.Phases[i]
		length := ph.Length()
		if ph.Search != nil {
			length = ph.Search.Budget
		}
		d += min(cmp.Or(length, openEndedPhase), work.MaxDuration)
	}
	return min(d, work.MaxDuration)
}

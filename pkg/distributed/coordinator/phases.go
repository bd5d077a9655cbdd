package coordinator

import (
	"time"

	"warp/internal/clock"
	"warp/pkg/bench"
)

// phases is how far the run has come. The coordinator's lock guards it.
type phases struct {
	plan      *bench.Compiled
	stage     string
	current   int       // index of the latest phase
	begun     bool      // the benchmark has begun
	measuring bool      // a phase that measures something has begun
	start     time.Time // of the first phase
	begin     time.Time // of the latest phase
	deadline  time.Time // when the latest phase or trial ends or was stopped; zero: not known
	ended     int       // number of phases up to the latest one that was ended before its time
	stopping  bool      // clients were sent stop
}

// enter begins a phase at a time, and returns it.
func (p *phases) enter(nth int, start time.Time) *bench.Phase {
	p.current = min(nth, len(p.plan.Phases)-1)
	if nth == 0 {
		p.start = start
	}
	ph := p.phase()
	p.begun, p.begin = true, start
	p.measuring = p.measuring || ph.Measures()
	p.deadline = time.Time{}
	if d := ph.Length(); d > 0 {
		p.deadline = start.Add(d)
	}
	return ph
}

// phase returns the latest phase.
func (p *phases) phase() *bench.Phase { return &p.plan.Phases[p.current] }

// canEnd reports whether the latest phase is under way, and no client was told to end it.
func (p *phases) canEnd() bool { return p.begun && !p.stopping && p.ended <= p.current }

// end ends the latest phase at a time.
func (p *phases) end(at time.Time) {
	p.ended = p.current + 1
	p.endBy(at)
}

// stop ends the run. It reports whether it was under way.
func (p *phases) stop() bool {
	if p.stopping {
		return false
	}
	p.stopping = true
	p.endBy(clock.Now())
	return true
}

// endBy has the phase end at a time, unless it ends earlier: the watchdog gives up on clients that go on.
func (p *phases) endBy(at time.Time) {
	if p.deadline.IsZero() || at.Before(p.deadline) {
		p.deadline = at
	}
}

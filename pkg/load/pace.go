package load

import (
	"sync"
	"sync/atomic"
	"time"
)

// Pace changes how fast the turns of a schedule become due, while they are performed. Its zero value is ready for use: the
// schedule is kept as it is.
type Pace struct {
	mu    sync.Mutex
	state atomic.Pointer[paceState]
}

// paceState is the changes so far.
type paceState struct {
	parts   []pacePart    // in order of time
	changed chan struct{} // is closed by the next change
}

// pacePart is the time since a change: what a schedule has due at from is due at at, and what follows as many times faster as factor says.
type pacePart struct {
	from, at time.Duration
	factor   float64
}

// load returns the changes so far.
func (p *Pace) load() *paceState {
	if s := p.state.Load(); s != nil {
		return s
	}
	p.state.CompareAndSwap(nil, &paceState{changed: make(chan struct{})})
	return p.state.Load()
}

// Change speeds the schedule up by a factor, for turns that are due after a time since the start. Earlier turns are as they were.
func (p *Pace) Change(at time.Duration, factor float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.load()
	if n := len(before.parts); n > 0 {
		at = max(at, before.parts[n-1].at)
	}
	parts := append(before.parts[:len(before.parts):len(before.parts)], pacePart{before.from(at), at, factor})
	p.state.Store(&paceState{parts: parts, changed: make(chan struct{})})
	close(before.changed)
}

// Factor returns how many times faster than in the schedule turns become due.
func (p *Pace) Factor() float64 {
	parts := p.load().parts
	if len(parts) == 0 {
		return 1
	}
	return parts[len(parts)-1].factor
}

// from returns when the schedule has due what is due at a time.
func (s *paceState) from(at time.Duration) time.Duration {
	if len(s.parts) == 0 {
		return at
	}
	last := s.parts[len(s.parts)-1]
	return last.from + time.Duration(float64(at-last.at)*last.factor)
}

// due returns when a turn is due that the schedule has due at a time.
func (s *paceState) due(scheduled time.Duration) time.Duration {
	for i := len(s.parts) - 1; i >= 0 && scheduled != Never; i-- {
		p := &s.parts[i]
		if scheduled < p.from {
			continue
		}
		if later := float64(scheduled-p.from) / p.factor; later < float64(Never-p.at) {
			return p.at + time.Duration(later)
		}
		return Never
	}
	return scheduled
}

package bench

import "sync"

// PhaseEnds are the ends of phases that are ended early. Its zero value is ready for use.
type PhaseEnds struct {
	mu   sync.Mutex
	list map[int]*phaseEnd
}

// phaseEnd is the end of one phase.
type phaseEnd struct {
	reached chan struct{} // closed then
	once    sync.Once
}

func (p *PhaseEnds) of(phase int) *phaseEnd {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.list == nil {
		p.list = make(map[int]*phaseEnd)
	}
	e := p.list[phase]
	if e == nil {
		e = &phaseEnd{reached: make(chan struct{})}
		p.list[phase] = e
	}
	return e
}

// End ends a phase, now or when it begins.
func (p *PhaseEnds) End(phase int) {
	e := p.of(phase)
	e.once.Do(func() { close(e.reached) })
}

// Ended returns a channel that is closed when a phase is to end. It makes a *PhaseEnds an Ender.
func (p *PhaseEnds) Ended(phase int) <-chan struct{} { return p.of(phase).reached }

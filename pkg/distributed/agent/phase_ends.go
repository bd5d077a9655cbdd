package agent

import "sync"

// phaseEnds are the ends of phases because the throughput of all clients is stable. Its zero value is ready for use.
type phaseEnds struct {
	mu   sync.Mutex
	ends map[int]*phaseEnd
}

// phaseEnd is the end of one phase.
type phaseEnd struct {
	reached  chan struct{} // closed then
	schedule sync.Once     // repetitions of the coordinator change nothing
}

// of returns the end of a phase.
func (p *phaseEnds) of(phase int) *phaseEnd {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.ends[phase]
	if e == nil {
		if p.ends == nil {
			p.ends = make(map[int]*phaseEnd)
		}
		e = &phaseEnd{reached: make(chan struct{})}
		p.ends[phase] = e
	}
	return e
}

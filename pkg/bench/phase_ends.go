package bench

import (
	"context"
	"fmt"
	"sync"
	"time"

	"warp/internal/clock"
	"warp/pkg/units"
)

// PhaseEnds ends phases early. Its zero value is ready for use.
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

// Ended returns a channel that is closed when a phase must end. It makes a *PhaseEnds an Ender.
func (p *PhaseEnds) Ended(phase int) <-chan struct{} { return p.of(phase).reached }

// endedOf returns a channel that is closed when a phase must end early; nil: never.
func endedOf(r *Run, phase int) <-chan struct{} {
	if r.env.Ends != nil {
		return r.env.Ends.Ended(phase)
	}
	if g, ok := r.env.Group.(Ender); ok {
		return g.Ended(phase)
	}
	return nil
}

// watchPhaseEnd calls stop if a phase must end early before ctx is over, and then sends whether it did.
func watchPhaseEnd(ctx context.Context, r *Run, phase int, stop func()) (cut <-chan bool) {
	was, ended := make(chan bool, 1), endedOf(r, phase)
	go func() {
		select {
		case <-ended:
			stop()
			was <- true
		case <-ctx.Done():
			was <- false
		}
	}()
	return was
}

// warnCut warns of a phase ended early on this machine; if all clients ended it, the coordinator warns.
func warnCut(r *Run, ph *Phase, cut bool, start time.Time) {
	if cut && r.env.Ends != nil {
		r.warn("%s", EndedEarly(ph, clock.Now().Sub(start)))
	}
}

// EndedEarly returns the warning for a phase ended early.
func EndedEarly(ph *Phase, after time.Duration) string {
	const text = "phase %q was ended by an interrupt after %s; what follows it went on"
	return fmt.Sprintf(text, ph.Title(), units.Span(max(0, after).Round(100*time.Millisecond)))
}

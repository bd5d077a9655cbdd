package coordinator

import "warp/pkg/bench"

// cutPhase ends a phase early, unless another one has begun.
func cutPhase(c *coordinator, phase int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.begun || c.stopping || c.phase != phase || c.endedPhases > phase {
		return
	}
	c.programs.end()
	c.cut = append(c.cut, bench.EndedEarly(&c.plan.Phases[phase], c.endPhase(true).Sub(c.phaseStart)))
}

package coordinator

import (
	"warp/internal/clock"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
)

// cutPhase ends a phase early, unless another one has begun.
func cutPhase(c *coordinator, phase int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.begun || c.stopping || c.phase != phase || c.endedPhases > phase {
		return
	}
	c.endedPhases = phase + 1
	c.programs.end()
	at := clock.Now().Add(c.opts.Timing.Lead)
	c.cut = append(c.cut, bench.EndedEarly(&c.plan.Phases[phase], at.Sub(c.phaseStart)))
	c.endBy(at)
	c.stopAll(protocol.Stop{Stable: true, Cut: true, Phase: phase, At: at.UnixNano()})
}

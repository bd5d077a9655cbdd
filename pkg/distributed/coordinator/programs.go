package coordinator

import (
	"context"

	"warp/pkg/bench"
)

// programs are those of the steps of a phase. They run on this machine; clients reach the next barrier meanwhile, which is released when
// all have ended. The coordinator's lock guards them.
type programs struct {
	running int
	cancel  context.CancelFunc
	err     error // of the first that failed, which ends the run
}

// end ends those that run.
func (p *programs) end() {
	if p.running > 0 {
		p.cancel()
	}
}

// startPrograms starts the programs of a phase; c.mu is held.
func startPrograms(c *coordinator, ph *bench.Phase) {
	ctx, cancel := context.WithCancel(context.Background())
	p := &c.programs
	p.cancel = cancel
	for i := range ph.Steps {
		s := &ph.Steps[i]
		if len(s.Exec) == 0 {
			continue
		}
		p.running++
		c.wg.Go(func() {
			err := c.opts.Exec(ctx, s)
			c.mu.Lock()
			defer c.mu.Unlock()
			if err != nil && p.err == nil {
				p.err = err
				p.end()
			}
			if p.running--; p.running == 0 {
				cancel()
				c.releaseBarriers()
			}
		})
	}
	if p.running == 0 {
		cancel()
	}
}

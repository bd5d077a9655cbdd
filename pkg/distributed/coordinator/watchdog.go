package coordinator

import (
	"fmt"
	"slices"
	"time"

	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
)

// dropStalled drops clients that block the others.
func dropStalled(c *coordinator, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting := othersBlocked(c)
	for _, m := range c.members {
		if !m.active() {
			continue
		}
		still, stall, grace := now.Sub(m.live.moved), c.opts.Timing.Stall, m.grace()
		late := overdue(c, m, now)
		switch {
		case !m.connected && waiting && now.Sub(m.lostAt) > c.opts.Grace:
			c.drop(m, fmt.Errorf("no reconnect within %v", c.opts.Grace))
		case late != nil && still > stall+grace:
			c.drop(m, late)
		case c.stage == bench.StageCleanup && !c.barriers.hold(m) && still > 4*stall+grace:
			c.drop(m, fmt.Errorf("no progress in clean-up for %v", still.Round(time.Second)))
		case !c.begun && !c.stopping && !m.reached(bench.StageBenchmark) && still > stall && !m.warned:
			m.warned = true // large objects may take any time, so the user decides
			c.notice("Client %s has made no progress in its preparation for %v; all clients wait for it.", m.addr, stall)
		case c.begun && c.deadline.IsZero() && awaited(c, m) && still > stall && !m.warned:
			m.warned = true // a phase without a time limit: an operation may take any time
			c.notice("Client %s has made no progress for %v; all clients wait for it.", m.addr, stall)
		}
	}
}

// othersBlocked reports whether all connected clients are past the phase or trial, or the benchmark has not begun: then a lost client blocks
// them, and gets only the grace period. While the benchmark goes on there is time.
func othersBlocked(c *coordinator) bool {
	return !c.begun || !slices.ContainsFunc(c.members, func(m *member) bool {
		return m.active() && m.connected && m.live.Stage == bench.StageBenchmark && !m.reached(bench.StageCleanup) && !c.barriers.hold(m)
	})
}

// awaited reports whether all other clients have finished the phase, and wait for m.
func awaited(c *coordinator, m *member) bool {
	waiting := false
	for _, o := range c.members {
		switch finished := c.barriers.hold(o) || o.pastPhases(); {
		case !o.active():
		case finished == (o == m):
			return false
		case finished:
			waiting = true
		}
	}
	return waiting
}

// overdue is why a client is dropped that still measures long after the end of the benchmark, or does not stop; nil if it
// does neither.
func overdue(c *coordinator, m *member, now time.Time) error {
	if m.pastPhases() || c.deadline.IsZero() || now.Sub(c.deadline) <= 2*c.opts.Timing.Stall {
		return nil
	}
	late := now.Sub(c.deadline).Round(time.Second)
	switch {
	case c.stopping:
		return fmt.Errorf("still running %v after the request to stop", late)
	case !c.barriers.hold(m) && m.reached(bench.StageBenchmark) && m.live.Stage != bench.StagePrepare:
		return fmt.Errorf("still measuring %v after the end of the benchmark", late)
	}
	return nil
}

// progressed records the progress of a client; c.mu is held.
func (c *coordinator) progressed(m *member, k protocol.Count, now time.Time) {
	if m.live.advance(k, now) && k.Stage == bench.StagePrepare && c.stage == "" {
		c.enter(Stage{Name: k.Stage, Workload: c.plan.Title(), Start: now})
	}
}

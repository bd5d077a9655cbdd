package coordinator

import (
	"fmt"
	"time"

	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
)

// dropStalled drops clients that block the others.
func (c *coordinator) dropStalled(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting := c.othersBlocked()
	for _, m := range c.members {
		if m.err != nil || m.report != nil {
			continue
		}
		still, stall, grace := now.Sub(m.live.moved), c.opts.Timing.Stall, c.grace(m)
		switch {
		case !m.connected && waiting && now.Sub(m.lostAt) > c.opts.Grace:
			c.drop(m, fmt.Errorf("no reconnect within %v", c.opts.Grace))
		case c.overdue(m, now) && still > stall+grace:
			c.drop(m, c.overdueError(now))
		case c.stage == bench.StageCleanup && still > 4*stall+grace:
			c.drop(m, fmt.Errorf("no progress in clean-up for %v", still.Round(time.Second)))
		case !c.begun && !c.stopping && !m.reached(bench.StageBenchmark) && still > stall && now.Sub(m.joinedAt) > stall && !m.warned:
			m.warned = true // large objects may take any time, so the user decides
			c.notice("Client %s has made no progress in its preparation for %v; all clients wait for it.", m.addr, stall)
		}
	}
}

// othersBlocked reports whether all connected clients are past the benchmark, or it has not begun: then a lost client blocks
// them, and gets only the grace period. While the benchmark goes on there is time.
func (c *coordinator) othersBlocked() bool {
	if !c.begun {
		return true
	}
	for _, m := range c.members {
		if m.err == nil && m.report == nil && m.connected && m.live.Stage == bench.StageBenchmark && !m.reached(bench.StageCleanup) {
			return false
		}
	}
	return true
}

// grace is how much longer than others a client may make no progress: without a connection it has time to reconnect. That
// does not add up if the connection comes and goes.
func (c *coordinator) grace(m *member) time.Duration {
	if m.connected {
		return 0
	}
	return c.opts.Grace
}

// reached reports whether the client has reached a stage.
func (m *member) reached(stage string) bool { return m.met[stage] > 0 }

// overdue reports whether a client still measures long after the end of the benchmark, or does not stop.
func (c *coordinator) overdue(m *member, now time.Time) bool {
	if m.reached(bench.StageCleanup) || m.live.Stage == protocol.StageReport || c.deadline.IsZero() {
		return false
	}
	measures := m.reached(bench.StageBenchmark) && m.live.Stage != bench.StagePrepare
	return (measures || c.stopping) && now.Sub(c.deadline) > 2*c.opts.Timing.Stall
}

// overdueError is the error of a client that is overdue.
func (c *coordinator) overdueError(now time.Time) error {
	late := now.Sub(c.deadline).Round(time.Second)
	if c.stopping {
		return fmt.Errorf("still running %v after the request to stop", late)
	}
	return fmt.Errorf("still measuring %v after the end of the benchmark", late)
}

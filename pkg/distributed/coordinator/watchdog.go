package coordinator

import (
	"fmt"
	"time"

	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
)

// lookAfter drops clients for which the others would wait in vain.
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
			c.drop(m, fmt.Errorf("it did not come back within %v", c.opts.Grace))
		case c.overdue(m, now) && still > stall+grace:
			c.drop(m, c.overdueError(now))
		case c.stage == bench.StageCleanup && still > 4*stall+grace:
			c.drop(m, fmt.Errorf("its clean-up got nowhere for %v", still.Round(time.Second)))
		case !c.begun && !c.stopping && !m.reached(bench.StageBenchmark) && still > stall && now.Sub(m.joinedAt) > stall && !m.warned:
			m.warned = true // how long large objects may take nobody knows, so a person must decide
			c.notice("Client %s has got nowhere with its preparation for %v; all wait for it.", m.addr, stall)
		}
	}
}

// othersWait tells whether all clients that are connected have come to the end of the benchmark, or it has not begun: then
// a client that is lost is waited for only so long. While the benchmark goes on there is time.
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

// grace is how much longer than others a client may get nowhere: one whose connection is lost has time to come back, and no
// more, though the connection may come and go.
func (c *coordinator) grace(m *member) time.Duration {
	if m.connected {
		return 0
	}
	return c.opts.Grace
}

// reached tells whether the client has come to a stage at all.
func (m *member) reached(stage string) bool { return m.met[stage] > 0 }

// overdue tells whether a client still measures long after the time of the benchmark was over, or does not stop.
func (c *coordinator) overdue(m *member, now time.Time) bool {
	if m.reached(bench.StageCleanup) || m.live.Stage == protocol.StageReport || c.deadline.IsZero() {
		return false
	}
	measures := m.reached(bench.StageBenchmark) && m.live.Stage != bench.StagePrepare
	return (measures || c.stopping) && now.Sub(c.deadline) > 2*c.opts.Timing.Stall
}

// lateness is what is wrong with a client that is overdue.
func (c *coordinator) overdueError(now time.Time) error {
	late := now.Sub(c.deadline).Round(time.Second)
	if c.stopping {
		return fmt.Errorf("it was told to stop %v ago, and did not", late)
	}
	return fmt.Errorf("its benchmark did not end %v after its time", late)
}

package coordinator

import (
	"context"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/runinfo"
)

// member is what the coordinator knows of a client: records of its own, guarded by its lock. Link and handover synchronize
// themselves.
type member struct {
	*link
	handover handover
	index    int
	id       string // in recordings

	connected    bool
	leaving      bool
	endClock     *runinfo.Clock // when it had measured
	warned       bool           // the user knows that it makes no progress
	lostAt       time.Time      // when the connection was lost; zero: it is connected
	outages      []runinfo.Outage
	err          error          // why it was dropped
	successor    *member        // deletes its part of shared data, if it is lost
	report       *protocol.Done // its last message
	met          map[string]int
	measured     bool             // it has measured all that it will
	firstFailure protocol.Arrival // the first arrival with an error
	live         memberLive
	counts       memberCounts
	notices      int
	known        []int64         // by watch: before that time, all its operations were sent
	end          protocol.RunEnd // how its benchmark went
	handed       int64           // operations in its recording here
	inResult     bool            // its figures are in the result
	cut          string          // why it measured only a part of the benchmark
	leftOut      bool            // of the result, because of that
	finished     int             // the result has only these first phases of it; 0: all
	unrecorded   bool            // its figures are in the result, its recording is not in the merged one
	first        time.Time
	requests     int64
}

func newMember(c *coordinator, index int, addr, id string) *member {
	m := &member{
		link:     &link{opts: &c.opts, dialer: c.dialer, run: c.id, addr: addr, closed: make(chan struct{})},
		handover: handover{stall: c.opts.Timing.Stall, grace: c.opts.Grace, frames: make(chan transport.Frame), done: make(chan struct{})},
		known:    make([]int64, len(c.opts.Watches)), index: index, id: id, met: make(map[string]int), connected: true, live: memberLive{stages: make(map[string]protocol.Count), moved: clock.Now()},
	}
	m.handover.stalled = func(since time.Time) bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return m.stalled(since)
	}
	m.ctx, m.cancel = context.WithCancelCause(context.Background())
	m.session = transport.NewSession(&protocol.Wire, c.opts.Timing.Timing, protocol.Medium, map[string]func(transport.Frame){
		protocol.MsgLive: func(f transport.Frame) { c.onLive(m, f) },
	})
	return m
}

// schedules returns how the client kept its schedules, as far as it is in the result.
func (m *member) schedules() []protocol.Schedule {
	if m.leftOut {
		return nil
	}
	return m.end.Schedules
}

// active reports whether the client takes part, and has not finished.
func (m *member) active() bool { return m.err == nil && m.report == nil }

// reached reports whether the client has reached a stage.
func (m *member) reached(stage string) bool { return m.met[stage] > 0 }

// pastPhases reports whether the client has left all phases behind: it hands over its results, or cleans up.
func (m *member) pastPhases() bool {
	return m.live.Stage == protocol.StageReport || m.reached(bench.StageCleanup)
}

// grace is how much longer than others a client may make no progress: without a connection it has time to reconnect. That
// does not add up if the connection comes and goes.
func (m *member) grace() time.Duration {
	if m.connected {
		return 0
	}
	return m.opts.Grace
}

// stalled reports whether the client makes no progress in its handover since a time, and for longer than it may.
func (m *member) stalled(since time.Time) bool {
	if m.live.Stage != protocol.StageReport {
		return false // the watchdog covers the other stages
	}
	if m.live.moved.After(since) {
		since = m.live.moved
	}
	return clock.Now().Sub(since) > m.opts.Timing.Stall+m.grace()
}

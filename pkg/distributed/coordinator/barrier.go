package coordinator

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
)

// barrier is a stage that all clients reach before any goes on. Clients go through the same stages in the same order, but
// one whose benchmark failed goes straight to the end; so a barrier is identified by its stage and its number.
type barrier struct {
	stage   string
	nth     int
	arrived map[*member]protocol.Arrival
	over    bool
}

// onceState is a value that one client makes for all.
type onceState struct {
	maker   *member
	waiting []*member
	value   *protocol.Once // nil: not made yet
}

// once handles the request for a value that is made once, and the value.
func (c *coordinator) once(m *member, kind string, o *protocol.Once) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.onces[o.Key]
	switch {
	case kind == protocol.MsgMade && (s == nil || s.maker != m || s.value != nil):
		return transport.Violationf("made a value that was not requested")
	case kind == protocol.MsgMade:
		s.value = o
		for _, w := range s.waiting {
			c.command(w, protocol.MsgValue, o)
		}
		s.waiting = nil
	case s == nil && len(c.onces) >= maxOnces:
		return transport.Violationf("requested too many values")
	case s == nil:
		c.onces[o.Key] = &onceState{maker: m}
		c.command(m, protocol.MsgMake, protocol.Once{Key: o.Key})
	case s.value != nil:
		c.command(m, protocol.MsgValue, s.value)
	case s.maker == m || slices.Contains(s.waiting, m):
		return transport.Violationf("requested the same value twice")
	default:
		s.waiting = append(s.waiting, m)
	}
	return nil
}

// maxOnces limits the values that the coordinator keeps.
const maxOnces = 100

// reassign has another waiting client make the values of a lost one; c.mu is held.
func (c *coordinator) reassign(lost *member) {
	for key, s := range c.onces {
		s.waiting = slices.DeleteFunc(s.waiting, func(m *member) bool { return m == lost })
		if s.maker != lost || s.value != nil {
			continue
		}
		if len(s.waiting) == 0 {
			delete(c.onces, key)
			continue
		}
		s.maker, s.waiting = s.waiting[0], s.waiting[1:]
		c.command(s.maker, protocol.MsgMake, protocol.Once{Key: key})
	}
}

// arrive records that a client has reached a stage.
func (c *coordinator) arrive(m *member, k protocol.Arrival) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if protocol.StageOrder(k.Stage) < 0 || !k.Before.Known() {
		return transport.Violationf("arrived at unknown stage %.40q from %.40q", k.Stage, k.Before.Stage)
	}
	nth := m.met[k.Stage]
	if nth > len(c.plan.Phases) {
		return transport.Violationf("arrived at stage %.40q too often", k.Stage)
	}
	m.met[k.Stage]++
	i := slices.IndexFunc(c.barriers, func(g *barrier) bool { return g.stage == k.Stage && g.nth == nth })
	if i < 0 {
		i = len(c.barriers)
		c.barriers = append(c.barriers, &barrier{stage: k.Stage, nth: nth, arrived: make(map[*member]protocol.Arrival)})
	}
	g := c.barriers[i]
	g.arrived[m] = k
	if k.Before.Stage != "" {
		c.progressed(m, k.Before, clock.Now())
	}
	if k.Err != "" && m.firstFailure.Err == "" {
		m.firstFailure = k
	}
	if k.Err != "" && !k.Stopped {
		c.stopOthers(m, string(k.Err))
	}
	switch {
	case g.over: // the others went on without it
		c.command(m, protocol.MsgGo, protocol.Begin{N: k.N})
		return nil
	case protocol.AfterBenchmarks(k.Stage):
		m.handover.end()
	}
	c.releaseBarriers()
	return nil
}

// stopOthers stops all clients because one cannot go on, unless the benchmark has begun; c.mu is held.
func (c *coordinator) stopOthers(m *member, why string) {
	if !c.begun {
		c.stopLocked(protocol.Stop{Reason: transport.PeerText(fmt.Sprintf("client %s cannot go on: %s", m.addr, why))})
	}
}

// done records that a client has finished.
func (c *coordinator) done(m *member, d *protocol.Done) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.report != nil {
		return transport.Violationf("ended twice")
	}
	if !d.Before.Known() {
		return transport.Violationf("ended in unknown stage %.40q", d.Before.Stage)
	}
	m.report = d
	if d.Before.Stage != "" {
		c.progressed(m, d.Before, clock.Now())
	}
	m.handover.end()
	if d.Err != "" && !d.Stopped {
		c.stopOthers(m, string(d.Err))
	}
	c.releaseBarriers()
	select {
	case c.wake <- struct{}{}:
	default:
	}
	return nil
}

// releaseBarriers releases the barriers that no client is missing from; c.mu is held.
func (c *coordinator) releaseBarriers() {
	for _, g := range c.barriers {
		if g.over || slices.ContainsFunc(c.members, func(m *member) bool { return c.awaits(g, m) }) {
			continue
		}
		if protocol.AfterBenchmarks(g.stage) && !c.released && c.begun {
			continue // the results come first
		}
		g.over = true
		c.complete(g)
	}
}

// awaits reports whether a barrier has to wait for a client.
func (c *coordinator) awaits(g *barrier, m *member) bool {
	if _, here := g.arrived[m]; here || m.err != nil || m.report != nil {
		return false
	}
	for stage := range m.met {
		if protocol.StageOrder(stage) > protocol.StageOrder(g.stage) {
			return false // it is past this barrier
		}
	}
	return true
}

// complete lets all clients at a barrier go on; c.mu is held.
func (c *coordinator) complete(g *barrier) {
	var b protocol.Begin
	if !protocol.AfterBenchmarks(g.stage) {
		if err := c.startErrors(g); err != nil {
			b.Err = protocol.Short(err)
			if !c.begun {
				c.aborted = err
			}
		} else if g.stage == bench.StageBenchmark {
			b.Start = c.begin(g.nth)
		}
	}
	if g.stage == bench.StageCleanup {
		c.enter(Stage{Name: g.stage, Workload: c.plan.Phases[0].Workload, Start: clock.Now()})
		b.Orphans = c.orphanIndices()
	}
	for _, m := range c.members { // in order, so that the successor of lost clients is not random
		if k, ok := g.arrived[m]; ok {
			b.N = k.N
			m.live.moved = clock.Now()
			c.command(m, protocol.MsgGo, b)
			for _, i := range b.Orphans {
				c.members[i].successor = m
			}
			b.Orphans = nil // one client deletes for all of them
		}
	}
}

// orphanIndices are the lost clients whose part of the shared data another must delete.
func (c *coordinator) orphanIndices() (indices []uint64) {
	for _, m := range c.members {
		if c.plan.SharedData && m.err != nil {
			indices = append(indices, uint64(m.index))
		}
	}
	return indices
}

// startErrors is what prevents a benchmark. After the first one has begun, lost clients do not.
func (c *coordinator) startErrors(g *barrier) error {
	var errs []error
	stopped := false
	for _, m := range c.members {
		why, wasStopped := "", false
		if k, ok := g.arrived[m]; ok {
			why, wasStopped = string(k.Err), k.Stopped
		} else if c.begun {
			continue
		}
		switch {
		case why != "":
		case m.err != nil && c.plan.SharedData && !c.begun:
			why = fmt.Sprintf("%v; without its part the shared data set is incomplete", m.err)
		case m.err != nil:
			why = m.err.Error()
		case m.firstFailure.Err != "":
			why, wasStopped = string(m.firstFailure.Err), m.firstFailure.Stopped
		case m.report != nil:
			why, wasStopped = string(m.report.Err), m.report.Stopped
		}
		switch {
		case why == "":
		case wasStopped:
			stopped = true
		default:
			errs = append(errs, fmt.Errorf("client %s: %s", m.addr, why))
		}
	}
	if len(errs) == 0 && (stopped || c.stopping) {
		return bench.ErrInterrupted
	}
	return errors.Join(errs...)
}

// begin begins a phase, and returns the start for all clients; c.mu is held.
func (c *coordinator) begin(phase int) int64 {
	start := clock.Now().Add(c.opts.Timing.Lead)
	if phase == 0 {
		switch late := start.Sub(c.opts.StartAt); {
		case c.opts.StartAt.IsZero():
		case late > 0:
			warning := bench.TooLate(late.Round(100 * time.Millisecond))
			c.result.Warnings = append(c.result.Warnings, warning)
			c.notice("Warning: %s", warning)
		default:
			start = protocol.LocalTime(c.opts.StartAt)
		}
		c.start = start
	}
	c.begun, c.phase = true, phase
	ph := &c.plan.Phases[min(phase, len(c.plan.Phases)-1)]
	c.deadline = time.Time{}
	if d := ph.Length(); d > 0 {
		c.deadline = start.Add(d)
	}
	c.live.nextPhase()
	c.enter(Stage{Name: bench.StageBenchmark, Workload: ph.Title(), Duration: ph.Length(), Start: start})
	return start.UnixNano()
}

// enter begins a stage; c.mu is held.
func (c *coordinator) enter(s Stage) {
	c.stage = s.Name
	s.Progress, s.Recent = c.progress(s.Name), c.recent
	c.observe(func(o Observer) { o.Stage(s) })
}

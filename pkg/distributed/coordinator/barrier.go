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

// meeting is a stage that all clients reach before any goes on. Clients go through the same stages in the same order, but
// one whose benchmark failed goes straight to the end; so meetings are told apart by stage, and by how often it came before.
type barrier struct {
	stage   string
	nth     int
	arrived map[*member]protocol.Arrival
	over    bool
}

// onceState is what one client does for all.
type onceState struct {
	maker   *member
	waiting []*member
	value   *protocol.Once // nil: not made yet
}

// once deals with a client that wants something which is made once, or has made it.
func (c *coordinator) once(m *member, kind string, o *protocol.Once) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.onces[o.Key]
	switch {
	case kind == protocol.MsgMade && (s == nil || s.maker != m || s.value != nil):
		return transport.Violationf("it made something that it was not asked for")
	case kind == protocol.MsgMade:
		s.value = o
		for _, w := range s.waiting {
			c.command(w, protocol.MsgValue, o)
		}
		s.waiting = nil
	case s == nil && len(c.onces) >= maxOnces:
		return transport.Violationf("it asks for too many things")
	case s == nil:
		c.onces[o.Key] = &onceState{maker: m}
		c.command(m, protocol.MsgMake, protocol.Once{Key: o.Key})
	case s.value != nil:
		c.command(m, protocol.MsgValue, s.value)
	case s.maker == m || slices.Contains(s.waiting, m):
		return transport.Violationf("it asks for the same thing twice")
	default:
		s.waiting = append(s.waiting, m)
	}
	return nil
}

// maxOnces bounds what clients can have the coordinator keep.
const maxOnces = 100

// reassign gives what a lost client was to make to one that waits for it; c.mu is held.
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

// arrive notes that a client has come to a stage.
func (c *coordinator) arrive(m *member, k protocol.Arrival) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if protocol.StageOrder(k.Stage) < 0 || !k.Before.Known() {
		return transport.Violationf("it came to a stage %.40q from %.40q", k.Stage, k.Before.Stage)
	}
	nth := m.met[k.Stage]
	if nth > len(c.plan.Phases) {
		return transport.Violationf("it came to the stage %.40q too often", k.Stage)
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

// giveUp stops the others because one client cannot go on; c.mu is held. Once the benchmark has begun, they do.
func (c *coordinator) stopOthers(m *member, why string) {
	if !c.begun {
		c.stopLocked(protocol.Stop{Reason: transport.PeerText(fmt.Sprintf("client %s cannot go on: %s", m.addr, why))})
	}
}

// done notes that a client has nothing left to do.
func (c *coordinator) done(m *member, d *protocol.Done) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.report != nil {
		return transport.Violationf("it ended twice")
	}
	if !d.Before.Known() {
		return transport.Violationf("it ended in a stage %.40q", d.Before.Stage)
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

// advance lets those meetings go on for which nobody is awaited any more; c.mu is held.
func (c *coordinator) releaseBarriers() {
	for _, g := range c.barriers {
		if g.over || slices.ContainsFunc(c.members, func(m *member) bool { return c.awaits(g, m) }) {
			continue
		}
		if protocol.AfterBenchmarks(g.stage) && !c.released && c.begun {
			continue // what they measured must be told first
		}
		g.over = true
		c.complete(g)
	}
}

// awaits tells whether a meeting has to wait for a client.
func (c *coordinator) awaits(g *barrier, m *member) bool {
	if _, here := g.arrived[m]; here || m.err != nil || m.report != nil {
		return false
	}
	for stage := range m.met {
		if protocol.StageOrder(stage) > protocol.StageOrder(g.stage) {
			return false // it has gone past this
		}
	}
	return true
}

// conclude sends all clients of a meeting on; c.mu is held.
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
	for _, m := range c.members { // in order: which one is told first shall not be chance
		if k, ok := g.arrived[m]; ok {
			b.N = k.N
			m.live.moved = clock.Now()
			c.command(m, protocol.MsgGo, b)
			for _, i := range b.Orphans {
				c.members[i].successor = m
			}
			b.Orphans = nil // one is enough to look after them
		}
	}
}

// orphans are the lost clients whose part of the shared data others must clean up.
func (c *coordinator) orphanIndices() (indices []uint64) {
	for _, m := range c.members {
		if c.plan.SharedData && m.err != nil {
			indices = append(indices, uint64(m.index))
		}
	}
	return indices
}

// obstacles is what keeps a benchmark from beginning. Once the first has begun, a client that is lost keeps no other.
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

// begin gives the start of a phase, in which all clients begin it; c.mu is held.
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
	if ph.Duration > 0 {
		c.deadline = start.Add(ph.Duration)
	}
	c.live.nextPhase()
	c.enter(Stage{Name: bench.StageBenchmark, Workload: ph.Workload, Duration: ph.Duration, Start: start})
	return start.UnixNano()
}

// enter tells the observer of a stage; c.mu is held.
func (c *coordinator) enter(s Stage) {
	c.stage = s.Name
	s.Progress, s.Recent = c.progress(s.Name), c.recent
	c.observe(func(o Observer) { o.Stage(s) })
}

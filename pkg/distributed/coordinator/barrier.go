package coordinator

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"warp/internal/clock"
	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/search"
)

// barrier is a stage that all clients reach before any goes on. Clients go through the same stages in the same order, but
// one whose benchmark failed goes straight to the end; so a barrier is identified by its stage and its number.
type barrier struct {
	stage   string
	nth     int
	arrived map[*member]protocol.Arrival
	over    bool
}

// barriers are those of a run. The coordinator's lock guards them.
type barriers []*barrier

// arrive records that a client has reached a stage, and returns its barrier. A run has at most so many of a stage.
func (b *barriers) arrive(m *member, k protocol.Arrival, most int) (*barrier, error) {
	if protocol.StageOrder(k.Stage) < 0 || !k.Before.Known() {
		return nil, transport.Violationf("arrived at unknown stage %.40q from %.40q", k.Stage, k.Before.Stage)
	}
	nth := m.met[k.Stage]
	if nth >= most {
		return nil, transport.Violationf("arrived at stage %.40q too often", k.Stage)
	}
	m.met[k.Stage]++
	i := slices.IndexFunc(*b, func(g *barrier) bool { return g.stage == k.Stage && g.nth == nth })
	if i < 0 {
		i = len(*b)
		*b = append(*b, &barrier{stage: k.Stage, nth: nth, arrived: make(map[*member]protocol.Arrival)})
	}
	g := (*b)[i]
	g.arrived[m] = k
	return g, nil
}

// hold reports whether a client waits at a barrier. It makes no progress then, and need not.
func (b barriers) hold(m *member) bool {
	return slices.ContainsFunc(b, func(g *barrier) bool {
		_, here := g.arrived[m]
		return here && !g.over
	})
}

// awaits reports whether a barrier has to wait for a client.
func (g *barrier) awaits(m *member) bool {
	if _, here := g.arrived[m]; here || !m.active() || m.measured && !protocol.AfterBenchmarks(g.stage) {
		return false
	}
	for stage := range m.met {
		if protocol.StageOrder(stage) > protocol.StageOrder(g.stage) {
			return false // it is past this barrier
		}
	}
	return true
}

// arrive records that a client has reached a stage.
func (c *coordinator) arrive(m *member, k protocol.Arrival) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := checkPart(c, m, &k); err != nil {
		return err
	}
	most := len(c.plan.Phases) + 1
	if k.Stage == bench.StageTrial {
		most = search.MostTrials
	}
	g, err := c.barriers.arrive(m, k, most)
	if err != nil {
		return err
	}
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
		c.command(m, protocol.MsgRelease, protocol.Release{N: k.N})
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
		c.stop(protocol.Stop{Reason: transport.PeerText(fmt.Sprintf("client %s cannot go on: %s", m.addr, why))})
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
	c.wakeUp()
	return nil
}

// measured records that a client has measured all that it will: it was interrupted, if others have not.
func (c *coordinator) measured(m *member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m.measured = true
	c.releaseBarriers()
}

// releaseBarriers releases the barriers that no client is missing from; c.mu is held.
func (c *coordinator) releaseBarriers() {
	for _, g := range c.barriers {
		if g.over || slices.ContainsFunc(c.members, g.awaits) || c.programs.running > 0 {
			continue
		}
		if protocol.AfterBenchmarks(g.stage) && !c.released && c.begun {
			continue // the results come first
		}
		g.over = true
		c.complete(g)
	}
}

// complete lets all clients at a barrier go on; c.mu is held.
func (c *coordinator) complete(g *barrier) {
	var b protocol.Release
	if g.stage == bench.StageTrial {
		decideTrial(c, g, &b)
	} else if !protocol.AfterBenchmarks(g.stage) {
		if err := c.startErrors(g); err != nil {
			b.Err = protocol.Short(err)
			c.abort(g, err)
		} else if g.stage == bench.StageBenchmark {
			b.Start = c.begin(g.nth)
		}
	}
	if g.stage == bench.StageCleanup {
		c.enter(Stage{Name: g.stage, Workload: c.plan.Title(), Start: clock.Now()})
		for _, m := range c.members {
			if c.plan.SharedData && m.err != nil { // another must delete its part of the shared data
				b.Orphans = append(b.Orphans, uint64(m.index))
			}
		}
	}
	for _, m := range c.members { // in order, so that the successor of lost clients is not random
		if k, ok := g.arrived[m]; ok {
			b.N = k.N
			m.live.moved = clock.Now()
			c.command(m, protocol.MsgRelease, b)
			for _, i := range b.Orphans {
				c.members[i].successor = m
			}
			b.Orphans = nil // one client deletes for all of them
		}
	}
	if g.stage == bench.StageTrial {
		clear(g.arrived) // the parts are merged
	}
}

// abort records why a phase does not begin; c.mu is held. What was measured before is reported.
func (c *coordinator) abort(g *barrier, why error) {
	switch {
	case !c.begun || c.programs.err != nil && !c.measuring:
		c.aborted = why
	case c.programs.err != nil:
		c.cut = append(c.cut, fmt.Sprintf("the run ended after phase %d of %d: %v", g.nth, len(c.plan.Phases), why))
	}
}

// errStopped means that clients are being stopped, so that no further phase begins.
var errStopped = errors.New("interrupted")

// startErrors is what prevents a benchmark. After the first one has begun, lost clients do not.
func (c *coordinator) startErrors(g *barrier) error {
	errs := []error{c.programs.err}
	stopped := false
	for _, m := range c.members {
		k, here := g.arrived[m]
		if c.begun && (!here || k.Leaving) {
			continue // the others go on without it
		}
		why, wasStopped := string(k.Err), k.Stopped
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
	err := errors.Join(errs...)
	switch {
	case err != nil || !stopped && !c.stopping:
		return err
	case c.begun:
		return errStopped
	}
	return bench.ErrInterrupted
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
	c.begun, c.phase, c.phaseStart = true, phase, start
	c.measuring = c.measuring || c.plan.Phases[min(phase, len(c.plan.Phases)-1)].Measures()
	c.search = bench.NewSearching(c.plan, min(phase, len(c.plan.Phases)-1), len(c.members))
	if c.search != nil {
		c.searches = append(c.searches, c.search)
	}
	ph := &c.plan.Phases[min(phase, len(c.plan.Phases)-1)]
	startPrograms(c, ph)
	c.deadline = time.Time{}
	if d := ph.Length(); d > 0 {
		c.deadline = start.Add(d)
	}
	c.live.begin(ph.Names())
	c.stability = stability{rates: make(map[int]*rateSum)}
	c.enter(Stage{Name: bench.StageBenchmark, Phase: phase, Step: !ph.Measures(), Workload: ph.Title(), Total: ph.Operations(), Warmup: ph.LongestWarmup(), Duration: ph.Measured(), Start: start})
	return start.UnixNano()
}

// enter begins a stage; c.mu is held.
func (c *coordinator) enter(s Stage) {
	c.stage = s.Name
	s.Progress = func() (done, total uint64) {
		c.mu.Lock()
		defer c.mu.Unlock()
		return progress(c.members, s.Name)
	}
	s.Recent = func(now time.Time) (aggregate.Recent, bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.live.recent(c.members, now, staleAfter*c.opts.Timing.LiveInterval)
	}
	s.Detail = func(second, now time.Time) Detail {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.live.detail(c.members, second, now, staleAfter*c.opts.Timing.LiveInterval)
	}
	if c.opts.Counts {
		s.Counts = func() []aggregate.Count { return countsOf(c, clock.Now()) }
	}
	c.observe(func(o Observer) { o.Stage(s) })
}

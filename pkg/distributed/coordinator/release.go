package coordinator

import (
	"errors"
	"fmt"
	"time"

	"warp/internal/clock"
	"warp/pkg/aggregate/live"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/search"
)

// release releases the barriers that no client is missing from; c.mu is held.
func (c *coordinator) release() {
	for _, g := range c.barriers.list {
		if !c.programs.busy() && c.barriers.ready(g, c.members.all, c.phases.begun) {
			g.release(c.pass(g), &c.members, clock.Now())
		}
	}
}

// pass decides how clients go on after a barrier; c.mu is held.
func (c *coordinator) pass(g *barrier) (r protocol.Release) {
	switch g.stage {
	case bench.StageTrial:
		return c.nextTrial(g)
	case bench.StageCleanup:
		c.enter(Stage{Name: g.stage, Workload: c.plan.Title(), Start: clock.Now()})
		for _, m := range c.members.all {
			if c.plan.SharedData && m.err != nil { // another must delete its part of the shared data
				r.Orphans = append(r.Orphans, uint64(m.index))
			}
		}
	case bench.StagePrepare, bench.StageBenchmark:
		if err := c.startErrors(g); err != nil {
			r.Err = protocol.Short(err)
			c.results.abort(err, c.programs.failure(), &c.phases, g.nth)
		} else if g.stage == bench.StageBenchmark {
			r.Start = c.beginPhase(g.nth).UnixNano()
		}
	}
	return r
}

// errStopped means that clients are being stopped, so that no further phase begins.
var errStopped = errors.New("interrupted")

// startErrors returns what prevents a phase: once the benchmark has begun, lost clients do not. c.mu is held.
func (c *coordinator) startErrors(g *barrier) error {
	errs := []error{c.programs.failure()}
	begun, interrupted := c.phases.begun, c.phases.stopping
	for _, m := range c.members.all {
		k, here := g.arrived[m]
		if begun && (!here || k.Leaving) {
			continue // the others go on without it
		}
		switch why, stopped := m.whyNot(&k, c.plan.SharedData && !begun); {
		case why == "":
		case stopped:
			interrupted = true
		default:
			errs = append(errs, fmt.Errorf("client %s: %s", m.addr, why))
		}
	}
	err := errors.Join(errs...)
	switch {
	case err != nil || !interrupted:
		return err
	case begun:
		return errStopped
	}
	return bench.ErrInterrupted
}

// beginPhase begins a phase, and returns the start for all clients; c.mu is held.
func (c *coordinator) beginPhase(nth int) (start time.Time) {
	start = clock.Now().Add(c.opts.Timing.Lead)
	if nth == 0 {
		start = c.firstStart(start)
	}
	ph := c.phases.enter(nth, start)
	c.searches.begin(c.plan, c.phases.current, len(c.members.all))
	c.programs.start(ph.Steps, c.programsEnded)
	c.figures.begin(ph.Names())
	c.stability.begin(ph, c.members.all)
	c.enter(Stage{
		Name:     bench.StageBenchmark,
		Phase:    c.phases.current,
		Step:     !ph.Measures(),
		Workload: ph.Title(),
		Total:    ph.Operations(),
		Warmup:   ph.LongestWarmup(),
		Duration: ph.Measured(),
		Start:    start,
	})
	return start
}

// programsEnded releases the barrier after the programs of a phase.
func (c *coordinator) programsEnded() {
	c.mu.Lock()
	defer c.unlock()
	c.release()
}

// firstStart returns the start of the first phase: when the user wants it, unless that is before the soonest one.
func (c *coordinator) firstStart(soonest time.Time) time.Time {
	at := c.opts.StartAt
	if at.IsZero() {
		return soonest
	}
	if late := soonest.Sub(at); late > 0 {
		warning := bench.TooLate(late.Round(100 * time.Millisecond))
		c.results.warn("%s", warning)
		c.notice("Warning: %s", warning)
		return soonest
	}
	return protocol.LocalTime(at)
}

// nextTrial ends a trial, and begins the next one; c.mu is held.
func (c *coordinator) nextTrial(g *barrier) (r protocol.Release) {
	step, err := c.searches.next(c.members.all, g.arrived)
	if err != nil && !c.phases.stopping {
		c.results.warn("%v", err)
		c.notice("Warning: %v", err)
	}
	r.Done, r.Trial = step.Done, step.Next
	if o := step.Done; o != nil {
		record := &c.searches.current.Record
		number, verdict := len(record.Trials), record.Config.Verdict(o)
		c.observe(func(w Observer) {
			if w, ok := w.(bench.TrialObserver); ok {
				w.Trial(number, o, verdict)
			}
		})
	}
	if r.Trial != nil {
		r.Start = c.beginTrial(r.Trial).UnixNano()
	}
	return r
}

// beginTrial begins a trial, and returns the start for all clients. None has operations in flight. c.mu is held.
func (c *coordinator) beginTrial(t *search.Trial) time.Time {
	start := clock.Now().Add(max(c.opts.Timing.Lead, t.Drain))
	if start.Before(c.phases.begin) { // of the first one
		start = c.phases.begin
	}
	c.phases.deadline = start.Add(t.Settle + t.Duration)
	s := c.searches.current
	c.figures.begin([]string{s.Name(t)})
	c.enter(Stage{
		Name:     bench.StageBenchmark,
		Phase:    c.phases.current,
		Workload: s.Title(t, c.phases.phase().Streams()[0]),
		Warmup:   t.Settle,
		Duration: t.Duration,
		Start:    start,
	})
	return start
}

// enter begins a stage; c.mu is held.
func (c *coordinator) enter(s Stage) {
	c.phases.stage = s.Name
	s.Progress = func() (done, total uint64) {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.members.progress(s.Name)
	}
	s.Recent = func(now time.Time) (live.Recent, bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.figures.recent(c.members.all, now)
	}
	s.Detail = func(second, now time.Time) Detail {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.figures.detail(c.members.all, second, now)
	}
	if c.opts.Counts {
		s.Counts = func() []live.Count { return c.counts(clock.Now()) }
	}
	c.observe(func(o Observer) { o.Stage(s) })
}

// counts returns the counts of all clients together, as views show them at a time.
func (c *coordinator) counts(now time.Time) []live.Count {
	c.mu.Lock()
	all := c.members.counts(now)
	c.mu.Unlock()
	return sumCounts(c.opts.Statistics.Order, all)
}

// progressed records the progress of a client; c.mu is held.
func (c *coordinator) progressed(m *member, k protocol.Count, now time.Time) {
	if m.progress.advance(k, now) && k.Stage == bench.StagePrepare && c.phases.stage == "" {
		c.enter(Stage{Name: k.Stage, Workload: c.plan.Title(), Start: now})
	}
}

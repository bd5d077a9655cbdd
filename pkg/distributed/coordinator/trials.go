package coordinator

import (
	"fmt"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/search"
)

// checkPart returns an error unless a client may have this part of a trial now; c.mu is held.
func checkPart(c *coordinator, m *member, k *protocol.Arrival) error {
	if k.Stage != bench.StageTrial {
		return nil
	}
	if c.search == nil || c.barriers.hold(m) {
		return transport.Violationf("sent a part of a trial that is not under way")
	}
	if err := c.search.Check(partOf(m, k)); err != nil {
		return transport.Violationf("sent %s", err)
	}
	return nil
}

// partOf returns the part that a client has of a trial; nil if it sent none.
func partOf(m *member, k *protocol.Arrival) *bench.TrialPart {
	if k.Part == nil {
		return nil
	}
	p := k.Part.TrialPart
	if k.Part.Limit != "" {
		p.Limit = fmt.Sprintf("client %s: %s", m.addr, k.Part.Limit)
	}
	if k.Part.Ended != "" {
		p.Ended = fmt.Sprintf("of client %s: %s", m.addr, k.Part.Ended)
	}
	return &p
}

// decideTrial ends a trial, and has all clients at the barrier begin the next one; c.mu is held.
func decideTrial(c *coordinator, g *barrier, b *protocol.Release) {
	var parts []*bench.TrialPart
	for _, m := range c.members {
		if k, ok := g.arrived[m]; ok {
			parts = append(parts, partOf(m, &k))
		} else { // its share of the load is missing from the trial, and from all that would follow
			fate := "lost"
			if m.measured {
				fate = "interrupted"
			}
			parts = append(parts, &bench.TrialPart{Ended: fmt.Sprintf("client %s was %s", m.addr, fate)})
		}
	}
	step, err := c.search.Next(parts)
	if err != nil && !c.stopping {
		c.result.Warnings = append(c.result.Warnings, err.Error())
		c.notice("Warning: %v", err)
	}
	b.Done, b.Trial = step.Done, step.Next
	if o := step.Done; o != nil {
		number, verdict := len(c.search.Record.Trials), c.search.Record.Config.Verdict(o)
		c.observe(func(w Observer) {
			if w, ok := w.(bench.TrialObserver); ok {
				w.Trial(number, o, verdict)
			}
		})
	}
	if b.Trial != nil {
		b.Start = beginTrial(c, b.Trial).UnixNano()
	}
}

// beginTrial begins a trial, and returns the start for all clients, none of which has operations in flight; c.mu is held.
func beginTrial(c *coordinator, t *search.Trial) time.Time {
	start := clock.Now().Add(max(c.opts.Timing.Lead, t.Drain))
	if start.Before(c.phaseStart) { // of the first one
		start = c.phaseStart
	}
	c.deadline = start.Add(t.Settle + t.Duration)
	of := c.plan.Phases[c.phase].Streams()[0]
	c.live.begin([]string{c.search.Name(t)})
	c.enter(Stage{Name: bench.StageBenchmark, Phase: c.phase, Workload: c.search.Title(t, of), Warmup: t.Settle, Duration: t.Duration, Start: start})
	return start
}

package coordinator

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench"
	_ "warp/pkg/bench/workload" // that plans name
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/op"
)

// coordinator is a distributed run under way.
type coordinator struct {
	opts Options
	plan *bench.Compiled // the caller's
	*notifier
	programs programs

	mu        sync.Mutex
	members   members
	barriers  barriers
	onces     onces
	phases    phases
	searches  searches
	figures   figures
	stability stability // in this phase
	results   results
}

func newCoordinator(plan *bench.Plan, o Options) (*coordinator, error) {
	compiled, err := bench.Compile(plan)
	if err != nil {
		return nil, err
	}
	switch {
	case len(o.Clients) == 0:
		return nil, errors.New("no clients; use --warp-client")
	case o.Exec == nil && bench.RunsPrograms(plan):
		return nil, bench.ErrExec
	}
	err = errors.Join(
		compiled.CheckStatistics(len(o.Clients)),
		checkBoundsBytes(compiled.BoundsBytes()),
		traces(o.Traces).check(plan, len(o.Clients)),
	)
	if err != nil {
		return nil, err
	}
	o.Statistics.Order = bench.Order(plan)
	o.setDefaults()
	c := &coordinator{
		opts:     o,
		plan:     compiled,
		notifier: newNotifier(o.Observer),
		programs: programs{exec: o.Exec},
		phases:   phases{plan: compiled},
		figures:  figures{maxAge: missedMessages * o.Timing.LiveInterval},
	}
	c.onces = onces{members: &c.members, values: make(map[string]*onceState)}
	c.results = results{opts: &c.opts, plan: compiled}
	c.figures.begin([]string{op.PhasePrepare})
	return c, nil
}

// missedMessages is how many live messages a client may miss before its rate counts as zero.
const missedMessages = 3

// unlock gives up the lock, after the consequences of lost clients.
func (c *coordinator) unlock() {
	c.settle()
	c.mu.Unlock()
}

// settle draws the consequences of lost clients; c.mu is held.
func (c *coordinator) settle() {
	for len(c.members.dropped) > 0 {
		lost := c.members.dropped
		c.members.dropped = nil
		for _, m := range lost {
			if c.phases.begun {
				c.notice("Going on without client %s: %v", m.addr, m.err)
			} else {
				c.stopOthers(m, m.err.Error())
			}
			c.onces.reassign(m)
		}
		c.release()
	}
}

// send sends a message to a client.
func (c *coordinator) send(m *member, kind string, body any) {
	c.mu.Lock()
	defer c.unlock()
	c.members.send(m, kind, body)
}

// drop goes on without a client.
func (c *coordinator) drop(m *member, why error) {
	c.mu.Lock()
	defer c.unlock()
	c.members.drop(m, why)
}

// stop stops all clients; c.mu is held.
func (c *coordinator) stop(s protocol.Stop) {
	if c.phases.stop() {
		c.programs.end()
		c.members.stop(s)
	}
}

// stopOthers stops all clients because one cannot go on, unless the benchmark has begun; c.mu is held.
func (c *coordinator) stopOthers(m *member, why string) {
	if !c.phases.begun {
		c.stop(protocol.Stop{Reason: transport.PeerText(fmt.Sprintf("client %s cannot go on: %s", m.addr, why))})
	}
}

// endPhase ends the phase at one instant for all clients, far enough ahead to reach all of them, and returns it; c.mu is held.
func (c *coordinator) endPhase(cut bool) (at time.Time) {
	at = clock.Now().Add(c.opts.Timing.Lead)
	c.phases.end(at)
	c.members.stop(protocol.Stop{Stable: true, Cut: cut, Phase: c.phases.current, At: at.UnixNano()})
	return at
}

// cutPhase ends a phase early, unless another one has begun.
func (c *coordinator) cutPhase(phase int) {
	c.mu.Lock()
	defer c.unlock()
	if !c.phases.canEnd() || c.phases.current != phase {
		return
	}
	c.programs.end()
	c.results.cut = append(c.results.cut, bench.EndedEarly(c.phases.phase(), c.endPhase(true).Sub(c.phases.begin)))
}

// dropStalled drops clients that block the others.
func (c *coordinator) dropStalled(now time.Time) {
	c.mu.Lock()
	defer c.unlock()
	w := watchdog{c.members.all, &c.barriers, &c.phases}
	blocked := w.othersBlocked()
	for _, m := range c.members.all {
		switch notice, why := w.check(m, blocked, now); {
		case why != nil:
			c.members.drop(m, why)
			c.settle() // others go on
		case notice != "":
			c.notice("%s", notice)
		}
	}
}

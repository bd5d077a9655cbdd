package coordinator

import (
	"slices"
	"time"

	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
)

// barrier is a stage that all clients reach before any goes on. Clients go through the same stages in the same order, but
// one whose benchmark failed goes straight to the end; so a barrier is identified by its stage and its number.
type barrier struct {
	stage   string
	nth     int
	state   barrierState
	err     transport.PeerText // why it failed
	arrived map[*member]protocol.Arrival
}

type barrierState int

const (
	waiting  barrierState = iota // for clients
	released                     // clients go on
	failed                       // clients go on with an error: no phase begins
)

// waitsFor reports whether a barrier has to wait for a client.
func (g *barrier) waitsFor(m *member) bool {
	if _, here := g.arrived[m]; here || !m.active() {
		return false
	}
	left := m.progress.measured && !protocol.AfterBenchmarks(g.stage)
	return !left && !m.progress.pastStage(g.stage)
}

// release lets all clients at a barrier go on: it is the only way out of the state waiting.
func (g *barrier) release(r protocol.Release, all *members, now time.Time) {
	g.state, g.err = released, r.Err
	if r.Err != "" {
		g.state = failed
	}
	for _, m := range all.all { // in order, so that the successor of lost clients is not random
		k, here := g.arrived[m]
		if !here {
			continue
		}
		m.progress.movedAt = now
		r.N = k.N
		all.send(m, protocol.MsgRelease, r)
		for _, i := range r.Orphans {
			all.all[i].successor = m
		}
		r.Orphans = nil // one client deletes for all of them
	}
	if g.stage == bench.StageTrial {
		clear(g.arrived) // the parts are merged
	}
}

// barriers are the barriers that a client has reached. The coordinator's lock guards them.
type barriers struct {
	list       []*barrier
	mayCleanUp bool // results are safe
}

// arrive records that a client has reached a stage, and returns its barrier. limit is how many barriers a run has of this stage.
func (b *barriers) arrive(m *member, k *protocol.Arrival, limit int) (*barrier, error) {
	if protocol.StageOrder(k.Stage) < 0 || !k.Before.Known() {
		return nil, transport.Violationf("arrived at unknown stage %.40q from %.40q", k.Stage, k.Before.Stage)
	}
	nth := m.progress.reached[k.Stage]
	if nth >= limit {
		return nil, transport.Violationf("arrived at stage %.40q too often", k.Stage)
	}
	m.progress.reached[k.Stage]++
	i := slices.IndexFunc(b.list, func(g *barrier) bool { return g.stage == k.Stage && g.nth == nth })
	if i < 0 {
		i = len(b.list)
		b.list = append(b.list, &barrier{stage: k.Stage, nth: nth, arrived: make(map[*member]protocol.Arrival)})
	}
	g := b.list[i]
	g.arrived[m] = *k
	return g, nil
}

// hold reports whether a client waits at a barrier. It makes no progress then, and need not.
func (b *barriers) hold(m *member) bool {
	return slices.ContainsFunc(b.list, func(g *barrier) bool {
		_, here := g.arrived[m]
		return here && g.state == waiting
	})
}

// ready reports whether a barrier can be released: it waits for no client, and results are safe before clients clean up.
func (b *barriers) ready(g *barrier, members []*member, begun bool) bool {
	return g.state == waiting && !slices.ContainsFunc(members, g.waitsFor) &&
		(b.mayCleanUp || !begun || !protocol.AfterBenchmarks(g.stage))
}

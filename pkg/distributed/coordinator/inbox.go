package coordinator

import (
	"time"

	"warp/internal/clock"
	"warp/pkg/aggregate/live"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/search"
)

// inbox handles the messages of one client.
type inbox struct {
	c *coordinator
	m *member
}

// receive handles messages until the session ends.
func (x inbox) receive() {
	for {
		f, err := x.m.session.Receive(x.m.ctx)
		if err == nil {
			err = x.handle(f)
		}
		if err != nil {
			x.c.drop(x.m, err)
			return
		}
	}
}

func (x inbox) handle(f transport.Frame) error {
	switch f.Kind {
	case protocol.MsgRunOnce, protocol.MsgCreated:
		return with(f, func(v *protocol.SharedValue) error { return x.sharedValue(f.Kind, v) })
	case protocol.MsgSteps:
		return with(f, x.steps)
	case protocol.MsgCount:
		return with(f, x.count)
	case protocol.MsgFetchData:
		return with(f, x.fetchData)
	case protocol.MsgBarrierReached:
		return with(f, x.arrival)
	case protocol.MsgNotice:
		return with(f, x.notice)
	case protocol.MsgDone:
		return with(f, x.done)
	case protocol.MsgMeasured:
		x.measured()
		return x.m.handover.put(x.m.ctx, f)
	case protocol.MsgBounds, protocol.MsgAggregated, protocol.MsgSnapshot, transport.Chunk, protocol.MsgHandedOver:
		return x.m.handover.put(x.m.ctx, f)
	}
	return transport.Violationf("invalid message %q of a client", f.Kind)
}

// with handles a message by its body.
func with[T any](f transport.Frame, handle func(*T) error) error {
	var body T
	if err := f.Open(&body); err != nil {
		return err
	}
	return handle(&body)
}

// sharedValue handles the request for a value that one client creates for all, and the value.
func (x inbox) sharedValue(kind string, v *protocol.SharedValue) error {
	x.c.mu.Lock()
	defer x.c.unlock()
	return x.c.onces.handle(x.m, kind, v)
}

// steps passes on operations in sliding windows.
func (x inbox) steps(s *protocol.Steps) error {
	of, err := checkSteps(x.c.opts.Watches, s)
	if err != nil {
		return err
	}
	x.c.mu.Lock()
	defer x.c.unlock()
	x.m.stepsUpTo[s.Watch] = max(x.m.stepsUpTo[s.Watch], s.UpTo)
	until := x.c.members.stepsUpTo(s.Watch)
	x.c.observe(func(o Observer) {
		if w, ok := o.(WindowObserver); ok {
			w.Steps(of, s.Steps, until)
		}
	})
	return nil
}

// count records the counts of a kind of operation.
func (x inbox) count(k *protocol.KindCount) error {
	c := x.c
	c.mu.Lock()
	defer c.unlock()
	return x.m.counts.update(*k, x.m.id, c.searches.maxGroups(c.plan), maxHosts(len(c.plan.Target.Hosts)))
}

// fetchData sends a chunk of a trace.
func (x inbox) fetchData(p *protocol.FetchData) error {
	chunk, err := traces(x.c.opts.Traces).read(x.m.index, p)
	if err == nil {
		x.c.send(x.m, protocol.MsgDataChunk, chunk)
	}
	return err
}

// arrival records that the client has reached a stage.
func (x inbox) arrival(k *protocol.Arrival) error {
	c, p := x.c, &x.m.progress
	c.mu.Lock()
	defer c.unlock()
	if err := c.searches.check(x.m, k, c.barriers.hold(x.m)); err != nil {
		return err
	}
	limit := len(c.plan.Phases) + 1
	if k.Stage == bench.StageTrial {
		limit = search.MaxTrials
	}
	g, err := c.barriers.arrive(x.m, k, limit)
	if err != nil {
		return err
	}
	if k.Before.Stage != "" {
		c.progressed(x.m, k.Before, clock.Now())
	}
	if k.Err != "" && p.firstFailure.Err == "" {
		p.firstFailure = *k
	}
	if k.Err != "" && !k.Stopped {
		c.stopOthers(x.m, string(k.Err))
	}
	switch {
	case g.state != waiting: // the others went on without it
		c.members.send(x.m, protocol.MsgRelease, protocol.Release{N: k.N, Err: g.err})
		return nil
	case protocol.AfterBenchmarks(k.Stage):
		x.m.handover.end()
	}
	c.release()
	return nil
}

// notice passes on a notice for the user.
func (x inbox) notice(n *protocol.Notice) error {
	x.c.mu.Lock()
	defer x.c.unlock()
	if x.m.notices++; x.m.notices <= protocol.MaxNotices {
		x.c.notice("Client %s: %s", x.m.addr, n.Text)
	}
	return nil
}

// measured records that the client has measured all that it will: it was interrupted, if others have not.
func (x inbox) measured() {
	x.c.mu.Lock()
	defer x.c.unlock()
	x.m.progress.measured = true
	x.c.release()
}

// done records that the client has finished.
func (x inbox) done(d *protocol.Done) error {
	c := x.c
	c.mu.Lock()
	defer c.unlock()
	if x.m.progress.done != nil {
		return transport.Violationf("ended twice")
	}
	if !d.Before.Known() {
		return transport.Violationf("ended in unknown stage %.40q", d.Before.Stage)
	}
	x.m.progress.done = d
	if d.Before.Stage != "" {
		c.progressed(x.m, d.Before, clock.Now())
	}
	x.m.handover.end()
	if d.Err != "" && !d.Stopped {
		c.stopOthers(x.m, string(d.Err))
	}
	c.release()
	c.wakeUp()
	return nil
}

// live handles a live message. The goroutine that reads the connection calls it.
func (x inbox) live(f transport.Frame) {
	err := with(f, func(l *protocol.Live) error {
		x.c.mu.Lock()
		defer x.c.unlock()
		return x.update(l)
	})
	if err != nil {
		x.c.drop(x.m, err)
	}
}

// update records a live message; c.mu is held.
func (x inbox) update(l *protocol.Live) error {
	c, now := x.c, clock.Now()
	if err := checkLive(l, c.searches.maxGroups(c.plan)); err != nil {
		return err
	}
	if err := c.figures.record(x.m, l, now); err != nil {
		return err
	}
	if err := c.stability.add(x.m, l.Rates); err != nil {
		return err
	}
	c.progressed(x.m, l.Count, now)
	if len(l.Rates) > 0 {
		c.checkStability(l.Rates)
	}
	return nil
}

// checkStability ends the phase when the throughput of all clients together is stable in one of these seconds; c.mu is held.
func (c *coordinator) checkStability(news []protocol.Rates) {
	if !c.phases.canEnd() {
		return
	}
	if now, ok := c.stability.reached(news); ok {
		c.endStable(&now)
	}
}

// endStable ends the phase, because its throughput is stable; c.mu is held.
func (c *coordinator) endStable(now *live.Settled) {
	a, prefix := c.stability.autoterm, ""
	if name := c.phases.phase().Name; name != "" {
		prefix = name + ": "
	}
	c.notice("%s", a.Notice(" of all clients", now))
	c.results.notes = append(c.results.notes, prefix+a.Note(now))
	c.results.stable = true
	c.endPhase(false)
}

// lost records the loss of the connection, and reports whether to reconnect.
func (x inbox) lost(err error) bool {
	m := x.m
	x.c.mu.Lock()
	defer x.c.unlock()
	m.connected = false
	why := m.session.Err()
	switch {
	case m.leaving || m.err != nil:
		return false
	case why != nil:
		x.c.members.drop(m, why)
		return false
	}
	m.lostAt = clock.Now()
	x.c.notice("Lost the connection to client %s (%v). Reconnecting; the client goes on meanwhile.", m.addr, err)
	return true
}

// back records a new connection.
func (x inbox) back() {
	x.c.mu.Lock()
	defer x.c.unlock()
	outage := x.m.reconnected(clock.Now())
	x.c.notice("Client %s is back after %v.", x.m.addr, outage.Round(100*time.Millisecond))
}

// keep keeps the link to the client.
func (x inbox) keep(conn *transport.Conn) {
	if err := x.m.link.keep(conn, x.lost, x.back); err != nil {
		x.c.drop(x.m, err)
	}
}

// stalled reports whether the client makes no progress in its handover since a time, and for longer than it may.
func (x inbox) stalled(since time.Time) bool {
	x.c.mu.Lock()
	defer x.c.mu.Unlock()
	return x.m.stalled(since)
}

// Package coordinator runs a plan on many clients, and makes one result of what they measure.
package coordinator

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/runinfo"
	"warp/pkg/s3/target"
)

// coordinator is a distributed run under way.
type coordinator struct {
	opts    Options
	plan    *bench.Compiled // the caller's
	common  bool            // several clients read the same objects
	dialer  *transport.Dialer
	id      string
	members []*member
	wg      sync.WaitGroup
	*notifier

	mu          sync.Mutex
	barriers    barriers
	onces       onces
	live        liveState
	stability   stability // in this phase
	stage       string
	phase       int              // the latest
	begun       bool             // the benchmark has begun
	measuring   bool             // a phase that measures something has begun
	start       time.Time        // of the first phase
	phaseStart  time.Time        // of the latest
	deadline    time.Time        // when the latest phase ends or was stopped; zero: not known
	aborted     error            // why the benchmark did not begin
	stopping    bool             // clients were sent stop
	search      *bench.Searching // of the latest phase; nil: that is no search
	searches    []*bench.Searching
	endedPhases int      // so many phases ended because throughput was stable, or because of an interrupt
	stable      bool     // one did because throughput was stable
	cut         []string // warnings of those that were interrupted
	notes       []string // of those that ended since their throughput was stable
	programs    programs
	released    bool // clients may clean up
	result      *Result
}

// Run performs a plan with many clients. Cancelling ctx stops it early: clients then report and clean up just the same.
// The plan's own credentials are ignored. An error that is a *Refusal lists the clients that could not take part; nothing was
// started then.
func Run(ctx context.Context, plan *bench.Plan, credentials target.Credentials, o Options) (*Result, error) {
	c, err := newCoordinator(plan, o)
	if err != nil {
		return nil, err
	}
	if err := gather(ctx, c); err != nil {
		return nil, err
	}
	defer c.wg.Wait()
	sendPlan(c, &credentials)
	collected := make(chan error, 1)
	go func() { collected <- collect(context.WithoutCancel(ctx), c) }()
	err = c.supervise(ctx, collected)
	c.finish()
	c.notify()
	if failed := verdict(c); failed != nil {
		return nil, errors.Join(failed, err)
	}
	return c.result, errors.Join(err, c.programs.err)
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
	if err := errors.Join(compiled.CheckStatistics(len(o.Clients)), checkBoundsBytes(compiled.BoundsBytes()), checkTraces(plan, &o)); err != nil {
		return nil, err
	}
	o.Statistics.Order = bench.Order(plan)
	if o.Observer == nil {
		o.Observer = noObserver{}
	}
	if o.Grace == 0 {
		o.Grace = protocol.DefaultGrace
	}
	if o.Timing == (protocol.Timing{}) {
		o.Timing = protocol.DefaultTiming
	}
	if o.Limits == nil {
		o.Limits = (*observe.Summary).Limits
	}
	if o.Merge == nil {
		o.Merge = concatenate
	}
	if o.Name == "" {
		o.Name, _ = os.Hostname() // optional
	}
	dialer, err := transport.NewDialer(transport.Options{Protocol: &protocol.Wire, Timing: o.Timing.Timing, Token: o.Token, TLS: o.TLS})
	if err != nil {
		return nil, err
	}
	c := &coordinator{
		opts: o, plan: compiled, common: len(o.Clients) > 1 && compiled.Common(), id: rand.Text(), dialer: dialer,
		notifier: &notifier{observer: o.Observer, wake: make(chan struct{}, 1)}, result: &Result{},
	}
	c.live.begin([]string{op.PhasePrepare})
	c.onces = onces{command: c.command, values: make(map[string]*onceState)}
	return c, nil
}

// watchInterval is how often the watchdog runs.
const watchInterval = 200 * time.Millisecond

// supervise returns when all clients are done and everything is collected.
func (c *coordinator) supervise(ctx context.Context, collected <-chan error) (err error) {
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	interrupt := ctx.Done()
	for collected != nil || !c.allDone() {
		c.notify()
		select {
		case <-c.wake:
		case err = <-collected:
			collected = nil
		case <-tick.C:
			dropStalled(c, clock.Now())
		case phase := <-c.opts.EndPhase:
			cutPhase(c, phase)
		case <-interrupt:
			interrupt = nil
			c.mu.Lock()
			c.stop(protocol.Stop{Reason: "interrupted"})
			c.mu.Unlock()
		}
	}
	return err
}

// allDone reports whether all clients have finished.
func (c *coordinator) allDone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !slices.ContainsFunc(c.members, (*member).active)
}

// stop stops all clients; c.mu is held.
func (c *coordinator) stop(s protocol.Stop) {
	if c.stopping {
		return
	}
	c.stopping = true
	c.programs.end()
	c.endBy(clock.Now())
	c.stopAll(s)
}

// endBy has the phase end at a time, unless it ends earlier: the watchdog gives up on clients that go on; c.mu is held.
func (c *coordinator) endBy(at time.Time) {
	if c.deadline.IsZero() || at.Before(c.deadline) {
		c.deadline = at
	}
}

func (c *coordinator) stopAll(s protocol.Stop) {
	for _, m := range c.members {
		if m.active() {
			c.command(m, protocol.MsgStop, s)
		}
	}
}

// endPhase ends the phase at one instant for all clients, far enough ahead to reach all of them, and returns it; c.mu is held.
func (c *coordinator) endPhase(cut bool) (at time.Time) {
	at = clock.Now().Add(c.opts.Timing.Lead)
	c.endedPhases = c.phase + 1
	c.endBy(at)
	c.stopAll(protocol.Stop{Stable: true, Cut: cut, Phase: c.phase, At: at.UnixNano()})
	return at
}

// finish ends the sessions and completes the result.
func (c *coordinator) finish() {
	c.mu.Lock()
	for _, m := range c.members {
		if m.err == nil {
			m.leaving = true
			c.command(m, protocol.MsgBye, struct{}{})
		}
	}
	c.mu.Unlock()
	each(c.members, func(m *member) {
		t := time.NewTimer(c.opts.Timing.Goodbye)
		defer t.Stop()
		select {
		case <-m.closed: // the client closes the connection when it is free again
		case <-t.C:
		}
		m.cancel(transport.ErrEnded)
		m.session.Close(transport.ErrEnded)
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	completeResult(c)
}

// command sends a message; c.mu is held. There are so few that a full window means a client that does not read.
func (c *coordinator) command(m *member, kind string, body any) {
	if m.err != nil {
		return
	}
	ok, err := m.session.TrySend(kind, body)
	if err == nil && !ok {
		err = errors.New("too many unread messages")
	}
	if err != nil {
		c.drop(m, err)
	}
}

// send sends a message to a client.
func (c *coordinator) send(m *member, kind string, body any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.command(m, kind, body)
}

// keep keeps the link to a client.
func (c *coordinator) keep(m *member, conn *transport.Conn) {
	err := m.link.keep(conn, func(err error) bool { return c.lost(m, err) }, func() { c.back(m) })
	if err != nil {
		c.dropNow(m, err)
	}
}

// dropNow is drop with the lock.
func (c *coordinator) dropNow(m *member, why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(m, why)
}

// lost records the loss of the connection, and reports whether to reconnect.
func (c *coordinator) lost(m *member, err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	m.connected = false
	why := m.session.Err()
	switch {
	case m.leaving || m.err != nil:
		return false
	case why != nil:
		c.drop(m, why)
		return false
	}
	m.lostAt = clock.Now()
	c.notice("Lost the connection to client %s (%v). Reconnecting; the client goes on meanwhile.", m.addr, err)
	return true
}

// back records a new connection.
func (c *coordinator) back(m *member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := clock.Now()
	m.connected = true
	m.outages = append(m.outages, runinfo.Outage{From: m.lostAt, To: now})
	c.notice("Client %s is back after %v.", m.addr, now.Sub(m.lostAt).Round(100*time.Millisecond))
	m.lostAt = time.Time{}
}

// receive handles the messages of a client.
func (c *coordinator) receive(m *member) {
	for {
		f, err := m.session.Receive(m.ctx)
		if err == nil {
			err = c.handle(m, f)
		}
		if err != nil {
			c.dropNow(m, err)
			return
		}
	}
}

func (c *coordinator) handle(m *member, f transport.Frame) error {
	switch f.Kind {
	case protocol.MsgRunOnce, protocol.MsgCreated:
		var o protocol.SharedValue
		if err := f.Open(&o); err != nil {
			return err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.onces.handle(m, f.Kind, &o)
	case protocol.MsgSteps:
		var s protocol.Steps
		if err := f.Open(&s); err != nil {
			return err
		}
		return takeSteps(c, m, &s)
	case protocol.MsgCount:
		return onCount(c, m, f)
	case protocol.MsgFetchData:
		return onFetchData(c, m, f)
	case protocol.MsgBarrierReached:
		var k protocol.Arrival
		if err := f.Open(&k); err != nil {
			return err
		}
		return c.arrive(m, k)
	case protocol.MsgNotice:
		return onNotice(c, m, f)
	case protocol.MsgDone:
		var d protocol.Done
		if err := f.Open(&d); err != nil {
			return err
		}
		return c.done(m, &d)
	case protocol.MsgMeasured:
		c.measured(m)
		return m.handover.put(m.ctx, f)
	case protocol.MsgBounds, protocol.MsgAggregated, protocol.MsgSnapshot, transport.Chunk, protocol.MsgHandedOver:
		return m.handover.put(m.ctx, f)
	}
	return transport.Violationf("invalid message %q of a client", f.Kind)
}

// drop goes on without the client; c.mu is held. Dropping one that is done, or was dropped, changes nothing.
func (c *coordinator) drop(m *member, why error) {
	if m.leaving || !m.active() {
		return
	}
	now := clock.Now()
	if m.lostAt.IsZero() {
		m.lostAt = now
	}
	m.err, m.connected = why, false
	m.outages = append(m.outages, runinfo.Outage{From: m.lostAt, Final: true})
	m.session.Close(why)
	m.cancel(why)
	m.handover.end()
	if c.begun {
		c.notice("Going on without client %s: %v", m.addr, why)
	} else {
		c.stopOthers(m, why.Error())
	}
	c.onces.reassign(m)
	c.releaseBarriers()
}

// onLive handles a live message. The goroutine that reads the connection calls it.
func (c *coordinator) onLive(m *member, f transport.Frame) {
	var l protocol.Live
	err := f.Open(&l)
	c.mu.Lock()
	defer c.mu.Unlock()
	now := clock.Now()
	if err == nil && (len(l.Kinds) > maxGroups(c) || len(l.Rates) > protocol.MaxPending) {
		err = transport.Violationf("live message has too many entries")
	}
	if err == nil && !l.Known() {
		err = transport.Violationf("live message of unknown stage %.40q", l.Stage)
	}
	p50, p99 := latest(&l)
	if err == nil {
		err = c.live.record(&l, now)
	}
	if err == nil {
		err = c.stability.add(m, l.Rates)
	}
	if err != nil {
		c.drop(m, err)
		return
	}
	s := &m.live
	s.rates = rates(&s.last, &l)
	s.heard, s.last, s.p50, s.p99 = now, l, p50, p99
	c.progressed(m, l.Count, now)
	if len(l.Rates) > 0 {
		checkStability(c, l.Rates)
	}
}

package coordinator

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"warp/internal/clock"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/load"
	"warp/pkg/runinfo"
)

// member is a client as the coordinator sees it.
type member struct {
	c             *coordinator
	index         int
	addr          string
	id            string // in recordings
	greeting      protocol.Welcome
	clock         runinfo.Clock
	endClock      *runinfo.Clock // at the end of the run
	session       *transport.Session
	ctx           context.Context // ends when the client is dropped, or the run is over
	cancel        context.CancelCauseFunc
	disconnected  chan struct{}        // closed when the connection has ended for good
	handover      chan transport.Frame // what belongs to the handing over
	handoverDone  chan struct{}        // closed when no more of that comes
	closeHandover sync.Once

	// Guarded by c.mu.
	connected    bool
	leaving      bool
	joinedAt     time.Time
	warned       bool      // a person was told that it gets nowhere
	lostAt       time.Time // when the connection was lost, if it is
	outages      []runinfo.Outage
	err          error          // why it was dropped
	successor    *member        // who removes its part of shared data, if it is lost
	report       *protocol.Done // what it said at its end
	met          map[string]int
	firstFailure protocol.Arrival // the first meeting to which it came with an error
	live         memberLive
	notices      int
	end          protocol.RunEnd // how its benchmark went
	handed       int64           // operations in the recording that it handed over
	inResult     bool            // its figures are in the result
	cut          string          // why it measured only a part of what it was to
	leftOut      bool            // so that its figures are not in the result
	// unrecorded: its figures are in the result, and its recording is not in the merged one.
	unrecorded bool
	first      time.Time
	requests   int64
}

func newMember(c *coordinator, index int, addr, id string) *member {
	m := &member{
		c: c, index: index, addr: addr, id: id, disconnected: make(chan struct{}), handover: make(chan transport.Frame), handoverDone: make(chan struct{}),
		met: make(map[string]int), connected: true, joinedAt: clock.Now(), live: memberLive{stages: make(map[string]protocol.Count)},
	}
	m.ctx, m.cancel = context.WithCancelCause(context.Background())
	m.session = transport.NewSession(&protocol.Wire, c.opts.Timing.Timing, protocol.Medium, map[string]func(transport.Frame){protocol.MsgLive: m.onLive})
	return m
}

func (m *member) share() load.Share {
	return load.Share{Index: uint64(m.index), Total: uint64(len(m.c.members))}
}

// command sends a message; c.mu is held. There are so few that a client for which they pile up does not listen.
func (m *member) sendLocked(kind string, body any) {
	if m.err != nil {
		return
	}
	ok, err := m.session.TrySend(kind, body)
	if err == nil && !ok {
		err = errors.New("it does not take what it is told")
	}
	if err != nil {
		m.drop(err)
	}
}

// keep carries the session over one connection after the other.
func (m *member) maintain(ws *transport.Conn) {
	defer close(m.disconnected)
	received, wait := uint64(0), time.Duration(0)
	for {
		begun := clock.Now()
		err := m.session.Serve(ws, received)
		if !m.lost(err) {
			return
		}
		if clock.Now().Sub(begun) > m.c.opts.Timing.RetryMax {
			wait = 0
		}
		if ws, received, err = m.reconnect(&wait); err != nil {
			m.c.mu.Lock()
			m.drop(err)
			m.c.mu.Unlock()
			return
		}
	}
}

// lost notes that the connection was, and tells whether to look for another.
func (m *member) lost(err error) bool {
	c := m.c
	c.mu.Lock()
	defer c.mu.Unlock()
	m.connected = false
	why := m.session.Err()
	switch {
	case m.leaving || m.err != nil:
		return false
	case why != nil:
		m.drop(why)
		return false
	}
	m.lostAt = clock.Now()
	c.notice("The connection to client %s was lost (%v). Trying to get it back; the client goes on meanwhile.", m.addr, err)
	return true
}

// comeBack reconnects, for as long as it makes sense, after waits that grow: also from one time to the next, so that a
// connection that breaks as soon as it is made keeps nobody busy.
func (m *member) reconnect(wait *time.Duration) (*transport.Conn, uint64, error) {
	t := m.c.opts.Timing
	for {
		// Many clients behind one switch come back at the same time.
		if !clock.Pause(m.ctx, *wait/2+rand.N(*wait/2+1)) {
			return nil, 0, context.Cause(m.ctx)
		}
		*wait = min(max(2**wait, t.RetryMin), t.RetryMax)
		ws, received, err := m.tryReconnect()
		var final *transport.Refused
		switch {
		case err == nil:
			return ws, received, nil
		case errors.As(err, &final) && final.Final, errors.Is(err, errRestarted):
			return nil, 0, err
		case m.ctx.Err() != nil:
			return nil, 0, context.Cause(m.ctx)
		}
	}
}

var errRestarted = errors.New("it was started anew, and lost what it had measured")

func (m *member) tryReconnect() (*transport.Conn, uint64, error) {
	ws, w, _, err := m.connect(m.ctx)
	if err != nil {
		return nil, 0, err
	}
	if w.Instance != m.greeting.Instance {
		_ = ws.Close() // the error is what matters
		return nil, 0, errRestarted
	}
	received, err := m.rejoin(ws, true)
	if err != nil {
		_ = ws.Close() // the error is what matters
		return nil, 0, err
	}
	c := m.c
	c.mu.Lock()
	defer c.mu.Unlock()
	now := clock.Now()
	m.connected = true
	m.outages = append(m.outages, runinfo.Outage{From: m.lostAt, To: now})
	c.notice("Client %s is back after %v.", m.addr, now.Sub(m.lostAt).Round(100*time.Millisecond))
	m.lostAt = time.Time{}
	return ws, received, nil
}

// listen takes in what the client says.
func (m *member) receive() {
	for {
		f, err := m.session.Receive(m.ctx)
		if err == nil {
			err = m.handle(f)
		}
		if err != nil {
			m.c.mu.Lock()
			m.drop(err)
			m.c.mu.Unlock()
			return
		}
	}
}

func (m *member) handle(f transport.Frame) error {
	switch f.Kind {
	case protocol.MsgOnce, protocol.MsgMade:
		var o protocol.Once
		if err := f.Open(&o); err != nil {
			return err
		}
		return m.c.once(m, f.Kind, &o)
	case protocol.MsgMeet:
		var k protocol.Arrival
		if err := f.Open(&k); err != nil {
			return err
		}
		return m.c.arrive(m, k)
	case protocol.MsgNotice:
		var n protocol.Notice
		if err := f.Open(&n); err != nil {
			return err
		}
		m.c.mu.Lock()
		defer m.c.mu.Unlock()
		if m.notices++; m.notices <= protocol.MaxNotices {
			m.c.notice("Client %s: %s", m.addr, n.Text)
		}
		return nil
	case protocol.MsgDone:
		var d protocol.Done
		if err := f.Open(&d); err != nil {
			return err
		}
		return m.c.done(m, &d)
	case protocol.MsgMeasured, protocol.MsgBounds, protocol.MsgAggregated, protocol.MsgSnapshot, transport.Chunk, protocol.MsgHanded:
		select {
		case m.handover <- f:
			return nil
		case <-m.handoverDone:
			return transport.Violationf("it said %q when nothing of the kind was due", f.Kind)
		case <-m.ctx.Done():
			return context.Cause(m.ctx)
		}
	}
	return transport.Violationf("it said %q, which is not for clients to say", f.Kind)
}

// noMore tells that nothing more of the handing over comes.
func (m *member) endHandover() { m.closeHandover.Do(func() { close(m.handoverDone) }) }

// drop goes on without the client; c.mu is held. Dropping one that is done, or was dropped, changes nothing.
func (m *member) drop(why error) {
	c := m.c
	if m.err != nil || m.leaving || m.report != nil {
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
	m.endHandover()
	if c.begun {
		c.notice("Going on without client %s: %v", m.addr, why)
	} else {
		c.stopOthers(m, why.Error())
	}
	c.reassign(m)
	c.releaseBarriers()
}

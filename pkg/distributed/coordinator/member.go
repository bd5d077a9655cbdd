package coordinator

import (
	"context"
	"errors"
	"sync"
	"time"

	"warp/internal/clock"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/runinfo"
)

// handover is the stream of frames in which a client hands over its results.
type handover struct {
	frames chan transport.Frame
	done   chan struct{} // closed when no more frames come
	once   sync.Once
}

// end closes the stream.
func (h *handover) end() { h.once.Do(func() { close(h.done) }) }

// member is what the coordinator knows of a client: records of its own, guarded by its lock. Link and handover synchronize
// themselves.
type member struct {
	*link
	handover handover
	index    int
	id       string // in recordings

	connected    bool
	leaving      bool
	joinedAt     time.Time
	endClock     *runinfo.Clock // when it had measured
	warned       bool           // the user knows that it makes no progress
	lostAt       time.Time      // when the connection was lost; zero: it is connected
	outages      []runinfo.Outage
	err          error          // why it was dropped
	successor    *member        // deletes its part of shared data, if it is lost
	report       *protocol.Done // its last message
	met          map[string]int
	firstFailure protocol.Arrival // the first arrival with an error
	live         memberLive
	notices      int
	end          protocol.RunEnd // how its benchmark went
	handed       int64           // operations in its recording here
	inResult     bool            // its figures are in the result
	cut          string          // why it measured only a part of the benchmark
	leftOut      bool            // of the result, because of that
	unrecorded   bool            // its figures are in the result, its recording is not in the merged one
	first        time.Time
	requests     int64
}

func (c *coordinator) newMember(index int, addr, id string) *member {
	m := &member{
		link:     &link{opts: &c.opts, dialer: c.dialer, run: c.id, addr: addr, closed: make(chan struct{})},
		handover: handover{frames: make(chan transport.Frame), done: make(chan struct{})},
		index:    index, id: id, met: make(map[string]int), connected: true, joinedAt: clock.Now(), live: memberLive{stages: make(map[string]protocol.Count)},
	}
	m.ctx, m.cancel = context.WithCancelCause(context.Background())
	m.session = transport.NewSession(&protocol.Wire, c.opts.Timing.Timing, protocol.Medium, map[string]func(transport.Frame){
		protocol.MsgLive: func(f transport.Frame) { c.onLive(m, f) },
	})
	return m
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
	case protocol.MsgOnce, protocol.MsgMade:
		var o protocol.Once
		if err := f.Open(&o); err != nil {
			return err
		}
		return c.once(m, f.Kind, &o)
	case protocol.MsgMeet:
		var k protocol.Arrival
		if err := f.Open(&k); err != nil {
			return err
		}
		return c.arrive(m, k)
	case protocol.MsgNotice:
		var n protocol.Notice
		if err := f.Open(&n); err != nil {
			return err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if m.notices++; m.notices <= protocol.MaxNotices {
			c.notice("Client %s: %s", m.addr, n.Text)
		}
		return nil
	case protocol.MsgDone:
		var d protocol.Done
		if err := f.Open(&d); err != nil {
			return err
		}
		return c.done(m, &d)
	case protocol.MsgMeasured, protocol.MsgBounds, protocol.MsgAggregated, protocol.MsgSnapshot, transport.Chunk, protocol.MsgHanded:
		select {
		case m.handover.frames <- f:
			return nil
		case <-m.handover.done:
			return transport.Violationf("unexpected message %q", f.Kind)
		case <-m.ctx.Done():
			return context.Cause(m.ctx)
		}
	}
	return transport.Violationf("invalid message %q of a client", f.Kind)
}

// drop goes on without the client; c.mu is held. Dropping one that is done, or was dropped, changes nothing.
func (c *coordinator) drop(m *member, why error) {
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
	m.handover.end()
	if c.begun {
		c.notice("Going on without client %s: %v", m.addr, why)
	} else {
		c.stopOthers(m, why.Error())
	}
	c.reassign(m)
	c.releaseBarriers()
}

package distributed

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"warp/internal/clock"
	"warp/pkg/load"
)

// member is a client as the coordinator sees it.
type member struct {
	c        *coordinator
	index    int
	addr     string
	id       string // in recordings
	greeting welcome
	clock    Clock
	parting  *Clock // at the end of the run
	session  *session
	ctx      context.Context // ends when the client is dropped, or the run is over
	cancel   context.CancelCauseFunc
	parted   chan struct{} // closed when the connection has ended for good
	talk     chan frame    // what belongs to the handing over
	quiet    chan struct{} // closed when no more of that comes
	hush     sync.Once

	// Guarded by c.mu.
	connected bool
	leaving   bool
	joined    time.Time
	asked     bool      // a person was told that it gets nowhere
	lostAt    time.Time // when the connection was lost, if it is
	outages   []Outage
	err       error   // why it was dropped
	heir      *member // who removes its part of shared data, if it is lost
	report    *done   // what it said at its end
	met       map[string]int
	trouble   meet // the first meeting to which it came with an error
	live      memberLive
	notices   int
	end       runEnd // how its benchmark went
	handed    int64  // operations in the recording that it handed over
	inResult  bool   // its figures are in the result
	cut       string // why it measured only a part of what it was to
	leftOut   bool   // so that its figures are not in the result
	// unrecorded: its figures are in the result, and its recording is not in the merged one.
	unrecorded bool
	first      time.Time
	requests   int64
}

func newMember(c *coordinator, index int, addr, id string) *member {
	m := &member{
		c: c, index: index, addr: addr, id: id, parted: make(chan struct{}), talk: make(chan frame), quiet: make(chan struct{}),
		met: make(map[string]int), connected: true, joined: clock.Now(), live: memberLive{stages: make(map[string]count)},
	}
	m.ctx, m.cancel = context.WithCancelCause(context.Background())
	m.session = newSession(c.opts.timing, medium, m.onLive)
	return m
}

func (m *member) share() load.Share {
	return load.Share{Index: uint64(m.index), Total: uint64(len(m.c.members))}
}

// command sends a message; c.mu is held. There are so few that a client for which they pile up does not listen.
func (m *member) command(kind string, body any) {
	if m.err != nil {
		return
	}
	b, err := encodeBody(kind, body)
	ok := false
	if err == nil {
		ok, _, err = m.session.queue(kind, b)
	}
	if err == nil && !ok {
		err = errors.New("it does not take what it is told")
	}
	if err != nil {
		m.drop(err)
	}
}

// keep carries the session over one connection after the other.
func (m *member) keep(ws *websocket.Conn) {
	defer close(m.parted)
	received, wait := uint64(0), time.Duration(0)
	for {
		begun := clock.Now()
		err := m.session.serve(ws, received)
		if !m.lost(err) {
			return
		}
		if clock.Now().Sub(begun) > m.c.opts.timing.retryMax {
			wait = 0
		}
		if ws, received, err = m.comeBack(&wait); err != nil {
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
	why := m.session.reason()
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
func (m *member) comeBack(wait *time.Duration) (*websocket.Conn, uint64, error) {
	t := m.c.opts.timing
	for {
		// Many clients behind one switch come back at the same time.
		if !clock.Pause(m.ctx, *wait/2+rand.N(*wait/2+1)) {
			return nil, 0, context.Cause(m.ctx)
		}
		*wait = min(max(2**wait, t.retryMin), t.retryMax)
		ws, received, err := m.again()
		var final *refused
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

func (m *member) again() (*websocket.Conn, uint64, error) {
	ws, w, _, err := m.meetAgain(m.ctx)
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
	m.outages = append(m.outages, Outage{From: m.lostAt, To: now})
	c.notice("Client %s is back after %v.", m.addr, now.Sub(m.lostAt).Round(100*time.Millisecond))
	m.lostAt = time.Time{}
	return ws, received, nil
}

// listen takes in what the client says.
func (m *member) listen() {
	for {
		f, err := m.session.recv(m.ctx)
		if err == nil {
			err = m.take(f)
		}
		if err != nil {
			m.c.mu.Lock()
			m.drop(err)
			m.c.mu.Unlock()
			return
		}
	}
}

func (m *member) take(f frame) error {
	switch f.kind {
	case msgOnce, msgMade:
		var o once
		if err := f.open(&o); err != nil {
			return err
		}
		return m.c.once(m, f.kind, &o)
	case msgMeet:
		var k meet
		if err := f.open(&k); err != nil {
			return err
		}
		return m.c.arrive(m, k)
	case msgNotice:
		var n notice
		if err := f.open(&n); err != nil {
			return err
		}
		m.c.mu.Lock()
		defer m.c.mu.Unlock()
		if m.notices++; m.notices <= maxNotices {
			m.c.notice("Client %s: %s", m.addr, n.Text)
		}
		return nil
	case msgDone:
		var d done
		if err := f.open(&d); err != nil {
			return err
		}
		return m.c.done(m, &d)
	case msgMeasured, msgBounds, msgAggregated, msgSnapshot, msgChunk, msgHanded:
		select {
		case m.talk <- f:
			return nil
		case <-m.quiet:
			return &violation{fmt.Sprintf("it said %q when nothing of the kind was due", f.kind)}
		case <-m.ctx.Done():
			return context.Cause(m.ctx)
		}
	}
	return &violation{fmt.Sprintf("it said %q, which is not for clients to say", f.kind)}
}

// noMore tells that nothing more of the handing over comes.
func (m *member) noMore() { m.hush.Do(func() { close(m.quiet) }) }

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
	m.outages = append(m.outages, Outage{From: m.lostAt, Final: true})
	m.session.close(why)
	m.cancel(why)
	m.noMore()
	if c.begun {
		c.notice("Going on without client %s: %v", m.addr, why)
	} else {
		c.giveUp(m, why.Error())
	}
	c.reassign(m)
	c.advance()
}

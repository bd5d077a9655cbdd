package coordinator

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"warp/internal/clock"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/runinfo"
)

// maxOffset is how far a client's clock may be off: more says that nobody looks after it.
const maxOffset = time.Second

// Refusal tells which clients cannot take part in a run, and why. Without all of them nothing is begun.
type Refusal struct {
	Of      int // clients that were named
	Clients []ClientError
}

// ClientError is what is wrong with one client.
type ClientError struct {
	Addr string
	Err  error
}

// Error lists the clients, one on each line.
func (r *Refusal) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d clients cannot take part, so nothing was begun:", len(r.Clients), r.Of)
	for _, c := range r.Clients {
		fmt.Fprintf(&b, "\n  %s: %v", c.Addr, c.Err)
	}
	return b.String()
}

// Unwrap gives the errors of the clients.
func (r *Refusal) Unwrap() []error {
	errs := make([]error, len(r.Clients))
	for i, c := range r.Clients {
		errs[i] = c.Err
	}
	return errs
}

// gather connects to all clients and has them join, or none.
func (c *coordinator) gather(ctx context.Context) error {
	ids := make(map[string]bool)
	for i, addr := range c.opts.Clients {
		m := newMember(c, i, transport.WithPort(addr), freshID(ids))
		c.members = append(c.members, m)
	}
	var mu sync.Mutex
	conns, errs := make([]*transport.Conn, len(c.members)), make([]error, len(c.members))
	c.each(func(m *member) {
		ws, err := m.greet(ctx)
		mu.Lock()
		defer mu.Unlock()
		conns[m.index], errs[m.index] = ws, err
	})
	c.rejectDuplicates(errs)
	err := c.refusalOf(errs)
	if err == nil {
		c.each(func(m *member) { errs[m.index] = m.join(conns[m.index]) })
		err = c.refusalOf(errs)
	}
	if ctx.Err() != nil {
		err = errors.Join(context.Cause(ctx), err)
	}
	if err != nil {
		for i, m := range c.members {
			m.session.Close(errors.New("the coordinator gave the run up before it began"))
			m.cancel(transport.ErrEnded)
			if conns[i] != nil && errs[i] == nil {
				_ = m.session.Serve(conns[i], 0) // says so, and closes
			} else if conns[i] != nil {
				_ = conns[i].Close()
			}
		}
		return err
	}
	for i, m := range c.members {
		c.wg.Go(func() { m.maintain(conns[i]) })
		c.wg.Go(m.receive)
	}
	return nil
}

// compare finds clients that are one and the same.
func (c *coordinator) rejectDuplicates(errs []error) {
	first := make(map[string]*member)
	for _, m := range c.members {
		if errs[m.index] != nil {
			continue
		}
		if o := first[m.greeting.Instance]; o != nil {
			errs[m.index] = fmt.Errorf("it is the same client as %s, which would count twice; name each one once", o.addr)
			continue
		}
		first[m.greeting.Instance] = m
	}
}

func (c *coordinator) refusalOf(errs []error) error {
	r := &Refusal{Of: len(c.members)}
	for i, err := range errs {
		if err != nil {
			r.Clients = append(r.Clients, ClientError{c.members[i].addr, err})
		}
	}
	if len(r.Clients) == 0 {
		return nil
	}
	return r
}

// greet connects to the client and finds out whether it can take part.
func (m *member) greet(ctx context.Context) (ws *transport.Conn, err error) {
	ws, w, k, err := m.connect(ctx)
	if err != nil {
		return nil, err
	}
	m.greeting, m.clock = w, k
	switch {
	case string(w.Version) != m.c.opts.Version:
		err = fmt.Errorf("it has version %.40q of warp, this coordinator has %q; use the same version everywhere", w.Version, m.c.opts.Version)
	case w.Busy != "":
		err = errors.New(string(w.Busy))
	case k.Wall.Abs() > maxOffset:
		err = fmt.Errorf("its clock is %v %s this machine's, more than the %v that can be allowed for; set both by NTP",
			k.Wall.Abs().Round(time.Millisecond), aheadOrBehind(k.Wall), maxOffset)
	}
	if err != nil {
		_ = ws.Close() // the error above is what matters
		return nil, err
	}
	return ws, nil
}

func aheadOrBehind(d time.Duration) string {
	if d > 0 {
		return "ahead of"
	}
	return "behind"
}

// meetAgain connects to the client, and asks who it is and what time it has.
func (m *member) connect(ctx context.Context) (ws *transport.Conn, w protocol.Welcome, k runinfo.Clock, err error) {
	o := &m.c.opts
	if ws, err = m.c.dialer.Dial(ctx, m.addr); err != nil {
		return nil, w, k, err
	}
	defer func() {
		if err != nil {
			_ = ws.Close() // the error is what matters
			ws = nil
		}
	}()
	if err = ws.SetReadTimeout(o.Timing.Handshake); err != nil {
		return ws, w, k, err
	}
	if err = ws.Send(protocol.MsgHello, protocol.Hello{Version: transport.PeerText(o.Version), Name: transport.PeerText(o.Name)}); err != nil {
		return ws, w, k, err
	}
	if err = ws.Receive(protocol.MsgWelcome, &w); err != nil {
		return ws, w, k, err
	}
	k, err = measureClock(ws)
	return ws, w, k, err
}

// join begins the run, on a new connection.
func (m *member) join(ws *transport.Conn) error {
	_, err := m.rejoin(ws, false)
	return err
}

// rejoin joins the run, and tells up to where the client has come.
func (m *member) rejoin(ws *transport.Conn, resume bool) (received uint64, err error) {
	t := m.c.opts.Timing
	if err := ws.SetReadTimeout(t.Handshake); err != nil {
		return 0, err
	}
	if err := ws.Send(protocol.MsgJoin, protocol.Join{Run: m.c.id, Resume: resume, Received: m.session.Received()}); err != nil {
		return 0, err
	}
	var j protocol.Joined
	err = ws.Receive(protocol.MsgJoined, &j)
	return j.Received, err
}

const idChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// freshID names a client in the recordings of a run: four characters, as the established recordings have them, and not
// twice the same, which would make one client of two.
func freshID(taken map[string]bool) string {
	for {
		id := make([]byte, 4)
		for i := range id {
			id[i] = idChars[rand.IntN(len(idChars))]
		}
		if !taken[string(id)] {
			taken[string(id)] = true
			return string(id)
		}
	}
}

// measureClock asks a client for its time, and takes the answer that came back first: it waited the least on its way.
// Offset and round trip are those of NTP (RFC 5905, 8).
func measureClock(ws *transport.Conn) (best runinfo.Clock, err error) {
	for i := range protocol.ClockProbes {
		t0 := clock.Now()
		if err := ws.Send(protocol.MsgClock, protocol.ClockProbe{T0: t0.UnixNano()}); err != nil {
			return best, err
		}
		var c protocol.ClockProbe
		if err := ws.Receive(protocol.MsgClock, &c); err != nil {
			return best, err
		}
		t3 := clock.Now().UnixNano()
		k := runinfo.Clock{At: t0.UTC(), Offset: time.Duration((c.T1-c.T0)/2 + (c.T2-t3)/2), RTT: time.Duration((t3 - c.T0) - (c.T2 - c.T1))}
		k.Wall = k.Offset + time.Duration(c.Stepped) - clock.Stepped()
		if i == 0 || k.RTT < best.RTT {
			best = k
		}
	}
	return best, nil
}

// partingClock asks the client for its time, now that it has measured, on a connection of its own. If it does not answer,
// its clock stays corrected by what it was at the start.
func (m *member) measureEndClock(ctx context.Context) *runinfo.Clock {
	ws, w, k, err := m.connect(ctx)
	if err != nil {
		return nil
	}
	_ = ws.Close() // all is said
	if w.Instance != m.greeting.Instance {
		return nil
	}
	m.c.mu.Lock()
	defer m.c.mu.Unlock()
	m.endClock = &k
	return &k
}

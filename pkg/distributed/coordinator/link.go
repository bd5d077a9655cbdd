package coordinator

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"warp/internal/clock"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/runinfo"
)

// maxOffset is how far a client's clock may be off: a larger offset means that its clock is not synchronized.
const maxOffset = time.Second

// link is the connection to one client. It outlives the network connections that carry it.
type link struct {
	opts    *Options
	dialer  *transport.Dialer
	run     string // its id
	addr    string
	session *transport.Session
	ctx     context.Context // ends when the client is dropped, or the run is over
	cancel  context.CancelCauseFunc
	closed  chan struct{} // closed when the link has ended for good

	// Set by greet.
	greeting protocol.Welcome
	clock    runinfo.Clock
}

func newLink(opts *Options, dialer *transport.Dialer, run, addr string) *link {
	l := &link{opts: opts, dialer: dialer, run: run, addr: addr, closed: make(chan struct{})}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	return l
}

// greet connects to the client and checks whether it can take part.
func (l *link) greet(ctx context.Context) (conn *transport.Conn, err error) {
	conn, w, k, err := l.connect(ctx)
	if err != nil {
		return nil, err
	}
	l.greeting, l.clock = w, k
	switch {
	case string(w.Version) != l.opts.Version:
		err = fmt.Errorf("warp version %.40q, this coordinator has %q; use the same version everywhere", w.Version, l.opts.Version)
	case w.Busy != "":
		err = errors.New(string(w.Busy))
	case k.Wall.Abs() > maxOffset:
		err = fmt.Errorf("its clock is %v %s this machine's, want at most %v; synchronize both by NTP",
			k.Wall.Abs().Round(time.Millisecond), aheadOrBehind(k.Wall), maxOffset)
	}
	if err != nil {
		_ = conn.Close() // the first error is returned
		return nil, err
	}
	return conn, nil
}

func aheadOrBehind(d time.Duration) string {
	if d > 0 {
		return "ahead of"
	}
	return "behind"
}

// connect connects to the client, and learns its identity and the offset of its clock.
func (l *link) connect(ctx context.Context) (conn *transport.Conn, w protocol.Welcome, k runinfo.Clock, err error) {
	o := l.opts
	if conn, err = l.dialer.Dial(ctx, l.addr); err != nil {
		return nil, w, k, err
	}
	defer func() {
		if err != nil {
			_ = conn.Close() // the first error is returned
			conn = nil
		}
	}()
	if err = conn.SetReadTimeout(o.Timing.Handshake); err != nil {
		return conn, w, k, err
	}
	hello := protocol.Hello{Version: transport.PeerText(o.Version), Name: transport.PeerText(o.Name)}
	if err = conn.Send(protocol.MsgHello, hello); err != nil {
		return conn, w, k, err
	}
	if err = conn.Receive(protocol.MsgWelcome, &w); err != nil {
		return conn, w, k, err
	}
	k, err = measureClock(conn)
	return conn, w, k, err
}

// join joins the run, and returns how many messages the client has received.
func (l *link) join(conn *transport.Conn, resume bool) (received uint64, err error) {
	t := l.opts.Timing
	if err := conn.SetReadTimeout(t.Handshake); err != nil {
		return 0, err
	}
	if err := conn.Send(protocol.MsgJoin, protocol.Join{Run: l.run, Resume: resume, Received: l.session.Received()}); err != nil {
		return 0, err
	}
	var j protocol.Joined
	err = conn.Receive(protocol.MsgJoined, &j)
	return j.Received, err
}

// keep carries the session over one connection after the other, until that makes no sense any more. It calls lost when a connection
// was lost; lost reports whether to reconnect. It calls back when there is a new one.
func (l *link) keep(conn *transport.Conn, lost func(error) bool, back func()) error {
	defer close(l.closed)
	received, wait := uint64(0), time.Duration(0)
	for {
		begun := clock.Now()
		err := l.session.Serve(conn, received)
		if !lost(err) {
			return nil
		}
		if clock.Now().Sub(begun) > l.opts.Timing.RetryMax {
			wait = 0
		}
		if conn, received, err = l.reconnect(&wait); err != nil {
			return err
		}
		back()
	}
}

// reconnect tries for as long as it makes sense, with growing pauses. They also grow from one call to the next, so that a connection
// that breaks at once does not keep both sides busy.
func (l *link) reconnect(wait *time.Duration) (*transport.Conn, uint64, error) {
	t := l.opts.Timing
	for {
		// Many clients behind one switch come back at the same time.
		if !clock.Pause(l.ctx, *wait/2+rand.N(*wait/2+1)) {
			return nil, 0, context.Cause(l.ctx)
		}
		*wait = min(max(2**wait, t.RetryMin), t.RetryMax)
		conn, received, err := l.tryReconnect()
		var final *transport.Refused
		switch {
		case err == nil:
			return conn, received, nil
		case errors.As(err, &final) && final.Final, errors.Is(err, errRestarted):
			return nil, 0, err
		case l.ctx.Err() != nil:
			return nil, 0, context.Cause(l.ctx)
		}
	}
}

var errRestarted = errors.New("the client was restarted and lost its measurements")

func (l *link) tryReconnect() (*transport.Conn, uint64, error) {
	conn, w, _, err := l.connect(l.ctx)
	if err != nil {
		return nil, 0, err
	}
	if w.Instance != l.greeting.Instance {
		_ = conn.Close() // the first error is returned
		return nil, 0, errRestarted
	}
	received, err := l.join(conn, true)
	if err != nil {
		_ = conn.Close() // the first error is returned
		return nil, 0, err
	}
	return conn, received, nil
}

// measureClock probes the clock of a client, and keeps the fastest probe: it waited least on its way.
// Offset and round trip are computed as in NTP (RFC 5905, 8).
func measureClock(conn *transport.Conn) (best runinfo.Clock, err error) {
	for i := range protocol.ClockProbes {
		t0 := clock.Now()
		if err := conn.Send(protocol.MsgClock, protocol.ClockProbe{T0: t0.UnixNano()}); err != nil {
			return best, err
		}
		var c protocol.ClockProbe
		if err := conn.Receive(protocol.MsgClock, &c); err != nil {
			return best, err
		}
		t3 := clock.Now().UnixNano()
		offset, rtt := (c.T1-c.T0)/2+(c.T2-t3)/2, (t3-c.T0)-(c.T2-c.T1)
		k := runinfo.Clock{At: t0.UTC(), Offset: time.Duration(offset), RTT: time.Duration(rtt)}
		k.Wall = k.Offset + time.Duration(c.Stepped) - clock.Stepped()
		if i == 0 || k.RTT < best.RTT {
			best = k
		}
	}
	return best, nil
}

// endClock measures the client's clock again after the measurement, on a connection of its own. It returns nil if that fails; times are
// then corrected by the offset at the start.
func (l *link) endClock() *runinfo.Clock {
	conn, w, k, err := l.connect(l.ctx)
	if err != nil {
		return nil
	}
	_ = conn.Close() // no longer needed
	if w.Instance != l.greeting.Instance {
		return nil
	}
	return &k
}

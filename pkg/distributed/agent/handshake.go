package agent

import (
	"context"
	"errors"

	"warp/internal/clock"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
)

// greet answers a coordinator until it joins a run, which the connection then carries.
func (c *Agent) greet(ctx context.Context, conn *transport.Conn) (serve func()) {
	if err := conn.SetReadTimeout(c.opts.Timing.Greeting); err != nil {
		return nil
	}
	var name string
	for range 8 * protocol.ClockProbes {
		f, err := conn.ReadFrame(transport.Small)
		at := c.opts.now().UnixNano()
		if err != nil {
			return nil
		}
		switch f.Kind {
		case protocol.MsgHello:
			var h protocol.Hello
			if err = f.Open(&h); err == nil {
				name = string(h.Name)
				err = conn.Send(protocol.MsgWelcome, protocol.Welcome{Version: transport.PeerText(c.opts.Version), Instance: c.instance, Host: transport.PeerText(c.host), Busy: transport.PeerText(c.Busy())})
			}
		case protocol.MsgClock:
			var k protocol.ClockProbe
			if err = f.Open(&k); err == nil {
				k.Stepped, k.T1, k.T2 = int64(clock.Stepped()), at, c.opts.now().UnixNano()
				err = conn.Send(protocol.MsgClock, k)
			}
		case protocol.MsgJoin:
			var j protocol.Join
			if err = f.Open(&j); err == nil {
				return c.join(ctx, conn, j, name)
			}
		default:
			err = transport.Violationf("unexpected message %q before it joined a run", f.Kind)
		}
		if err != nil {
			_ = conn.Refuse(err) // the connection ends anyway
			return nil
		}
	}
	return nil
}

// busy says with what the client is busy; empty: it is free.
func (c *Agent) Busy() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.job == nil {
		return ""
	}
	return c.job.describe()
}

// join lets a coordinator begin a run, or come back to one.
func (c *Agent) join(ctx context.Context, conn *transport.Conn, j protocol.Join, name string) (serve func()) {
	c.mu.Lock()
	run, reason := c.job, ""
	switch {
	case c.closing && (run == nil || run.id != j.Run):
		reason = errShutDown.Error()
	case run != nil && run.id != j.Run:
		reason = run.describe()
	case run == nil && j.Resume:
		reason = "it knows nothing of this run: it was started anew, or gave the run up when it had waited long enough; its own recording stays"
	case run == nil:
		run = newJob(c, j.Run, name, conn.RemoteAddr().String())
		c.job = run
		c.jobs.Go(func() { run.perform(ctx) })
	}
	c.mu.Unlock()
	if reason != "" {
		_ = conn.Refuse(errors.New(reason)) // the connection ends anyway
		return nil
	}
	return func() { run.attach(conn, j.Received) }
}

// free tells that a run is over.
func (c *Agent) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.job = nil
}

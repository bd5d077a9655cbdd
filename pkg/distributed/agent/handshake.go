package agent

import (
	"context"
	"errors"

	"warp/internal/clock"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
)

// greet serves a connection until the coordinator joins a run, whose session the connection then carries.
func (a *Agent) greet(ctx context.Context, conn *transport.Conn) (serve func()) {
	if err := conn.SetReadTimeout(a.opts.Timing.Greeting); err != nil {
		return nil
	}
	var name string
	for range 8 * protocol.ClockProbes {
		f, err := conn.ReadFrame(transport.Small)
		at := a.opts.now().UnixNano()
		if err != nil {
			return nil
		}
		switch f.Kind {
		case protocol.MsgHello:
			var h protocol.Hello
			if err = f.Open(&h); err == nil {
				name = string(h.Name)
				err = conn.Send(protocol.MsgWelcome, protocol.Welcome{Version: transport.PeerText(a.opts.Version), Instance: a.instance, Host: transport.PeerText(a.host), Busy: transport.PeerText(a.Busy())})
			}
		case protocol.MsgClock:
			var k protocol.ClockProbe
			if err = f.Open(&k); err == nil {
				k.Stepped, k.T1, k.T2 = int64(clock.Stepped()), at, a.opts.now().UnixNano()
				err = conn.Send(protocol.MsgClock, k)
			}
		case protocol.MsgJoin:
			var j protocol.Join
			if err = f.Open(&j); err == nil {
				return a.join(ctx, conn, j, name)
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

// Busy describes what the agent is busy with; empty: it is free.
func (a *Agent) Busy() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.job == nil {
		return ""
	}
	return a.job.describe()
}

// join lets a coordinator begin a run, or resume it.
func (a *Agent) join(ctx context.Context, conn *transport.Conn, j protocol.Join, name string) (serve func()) {
	a.mu.Lock()
	run, reason := a.job, ""
	switch {
	case a.closing && (run == nil || run.id != j.Run):
		reason = errShutDown.Error()
	case run != nil && run.id != j.Run:
		reason = run.describe()
	case run == nil && j.Resume:
		reason = "unknown run: the client was restarted, or gave up waiting for its coordinator; its own recording is kept"
	case run == nil:
		run = newJob(a, j.Run, name, conn.RemoteAddr().String())
		a.job = run
		a.jobs.Go(func() { run.perform(ctx) })
	}
	a.mu.Unlock()
	if reason != "" {
		_ = conn.Refuse(errors.New(reason)) // the connection ends anyway
		return nil
	}
	return func() { run.attach(conn, j.Received) }
}

// release makes the agent free again.
func (a *Agent) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.job = nil
}

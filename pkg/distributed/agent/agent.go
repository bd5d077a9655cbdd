// Package agent is a client of distributed runs: it performs plans for coordinators, and hands over what it measured.
package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"

	"warp/internal/clock"
	_ "warp/pkg/bench/workload" // that plans name
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
)

// Agent is a client: it performs runs for coordinators, one at a time.
type Agent struct {
	opts     Options
	server   *transport.Server
	instance string
	host     string
	jobs     sync.WaitGroup

	mu      sync.Mutex
	job     *job // the run under way; nil: free
	closing bool
}

// New makes an Agent. Listen opens its port.
func New(o Options) (*Agent, error) {
	if o.Listen == "" {
		o.Listen = net.JoinHostPort("127.0.0.1", transport.DefaultPort)
	}
	o.Listen = transport.WithPort(o.Listen)
	o.setDefaults()
	if o.run == nil {
		o.run = performPlan
	}
	server, err := transport.NewServer(transport.Options{
		Protocol: &protocol.Wire,
		Timing:   o.Timing.Timing,
		Token:    o.Token,
		TLS:      o.TLS,
		Logf:     o.Logf,
	})
	if err != nil {
		return nil, err
	}
	a := &Agent{opts: o, server: server, instance: rand.Text()}
	if a.host, err = os.Hostname(); err != nil {
		a.host = "unknown"
	}
	return a, nil
}

// Listen opens the port. Without a token it must be on the loopback interface.
func (a *Agent) Listen(ctx context.Context) error { return a.server.Listen(ctx, a.opts.Listen) }

// Addr is where the client listens.
func (a *Agent) Addr() net.Addr { return a.server.Addr() }

// listen returns Addr, which is one of TCP.
func (a *Agent) listen() netip.AddrPort {
	at, _ := netip.ParseAddrPort(a.Addr().String())
	return at
}

// Serve performs runs until ctx is cancelled. A run under way is then stopped and cleaned up first. Listen was called before.
func (a *Agent) Serve(ctx context.Context) error {
	down := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(down)
		a.shutDown()
	})
	err := a.server.Serve(ctx, a.greet)
	if !stop() {
		<-down
	}
	a.jobs.Wait()
	return err
}

// shutDown stops the run under way.
func (a *Agent) shutDown() {
	a.mu.Lock()
	a.closing = true
	j := a.job
	a.mu.Unlock()
	if j == nil {
		a.opts.Logf("The client ends.")
		return
	}
	a.opts.Logf("The client ends when the run for the coordinator %s has stopped and cleaned up. Interrupt again (Ctrl-C) to leave at once.",
		j.coordinator)
	j.shutDown()
}

// greet serves a connection until the coordinator joins a run, whose session the connection then carries.
func (a *Agent) greet(conn *transport.Conn) (serve func()) {
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
				err = conn.Send(protocol.MsgWelcome, a.welcome())
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
				return a.join(conn, j, name)
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

func (a *Agent) welcome() protocol.Welcome {
	return protocol.Welcome{
		Version:  transport.PeerText(a.opts.Version),
		Instance: a.instance,
		Host:     transport.PeerText(a.host),
		Busy:     transport.PeerText(a.busy()),
	}
}

// busy describes what the agent is busy with; empty: it is free.
func (a *Agent) busy() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.job == nil {
		return ""
	}
	return a.job.describe()
}

// join lets a coordinator begin a run, or resume it.
func (a *Agent) join(conn *transport.Conn, j protocol.Join, name string) (serve func()) {
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
		run = newJob(&a.opts, identity{a.host, a.listen()}, j.Run, fmt.Sprintf("%.100q at %s", name, conn.RemoteAddr()))
		a.job = run
		a.jobs.Go(func() { a.perform(run) })
	}
	a.mu.Unlock()
	if reason != "" {
		_ = conn.Refuse(errors.New(reason)) // the connection ends anyway
		return nil
	}
	return func() { run.connection.attach(conn, j.Received) }
}

// perform performs a run from join to bye, and makes the agent free again.
func (a *Agent) perform(j *job) {
	a.opts.Logf("A run begins for the coordinator %s.", j.coordinator)
	err := j.perform()
	// Whenever the connection has ended, the agent is free.
	a.mu.Lock()
	a.job = nil
	a.mu.Unlock()
	j.end()
	if err != nil {
		a.opts.Logf("The run for the coordinator %s is over: %s", j.coordinator, protocol.OneLine(err))
		return
	}
	a.opts.Logf("The run for the coordinator %s is over.", j.coordinator)
}

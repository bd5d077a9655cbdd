// Package coordinator runs a plan on many clients, and makes one result of what they measure.
package coordinator

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/load"
	"warp/pkg/s3/target"
)

// Run performs a plan with many clients. Cancelling ctx stops it early: clients then report and clean up just the same.
// The plan's own credentials are ignored. An error that is a *Refusal lists the clients that could not take part; nothing was
// started then.
func Run(ctx context.Context, plan *bench.Plan, credentials target.Credentials, o Options) (*Result, error) {
	c, err := newCoordinator(plan, o)
	if err != nil {
		return nil, err
	}
	conns, err := c.gather(ctx)
	if err != nil {
		return nil, err
	}
	defer c.programs.wg.Wait()
	var wg sync.WaitGroup
	defer wg.Wait()
	for i, m := range c.members.all {
		wg.Go(func() { inbox{c, m}.keep(conns[i]) })
		wg.Go(inbox{c, m}.receive)
	}
	c.sendPlan(&credentials)
	collected := make(chan error, 1)
	go func() { collected <- collect(context.WithoutCancel(ctx), c) }()
	err = c.supervise(ctx, collected)
	c.finish()
	result, failed := c.conclude()
	c.notify()
	if failed != nil {
		return nil, errors.Join(failed, err)
	}
	return result, errors.Join(err, c.programs.failure())
}

// gather connects to the clients, and has them join the run: all or none.
func (c *coordinator) gather(ctx context.Context) ([]*transport.Conn, error) {
	dialer, err := transport.NewDialer(transport.Options{
		Protocol: &protocol.Wire,
		Timing:   c.opts.Timing.Timing,
		Token:    c.opts.Token,
		TLS:      c.opts.TLS,
	})
	if err != nil {
		return nil, err
	}
	run, ids := rand.Text(), make(map[string]bool)
	for _, addr := range c.opts.Clients {
		c.addMember(newLink(&c.opts, dialer, run, transport.WithPort(addr)), freshID(ids))
	}
	await(ctx, c.members.all, &c.opts, c.notifier)
	n := len(c.members.all)
	g := gathering{members: c.members.all, conns: make([]*transport.Conn, n), errs: make([]error, n)}
	return g.conns, g.gather(ctx)
}

// sendPlan sends the plan to all clients.
func (c *coordinator) sendPlan(credentials *target.Credentials) {
	plan := *c.plan.Plan
	tls := &plan.Target.TLSOptions
	secrets := protocol.Secrets{TLSKey: string(tls.Key), Authorities: tls.Authorities.Text, Certificate: tls.Certificate.Text}
	secrets.SetKeys(credentials)
	plan.Target.AccessKey, plan.Target.SecretKey, plan.Target.SessionToken, plan.Target.TLSOptions.Key = "", "", "", ""
	plan.Phases = append([]bench.Phase(nil), plan.Phases...)
	points := false
	for i := range plan.Phases {
		points = points || plan.Phases[i].Autoterm != nil
		plan.Phases[i].Autoterm = nil // the coordinator decides, by the sum of all clients
	}
	startAt := int64(0)
	if !c.opts.StartAt.IsZero() {
		startAt = c.opts.StartAt.UnixNano()
	}
	c.mu.Lock()
	defer c.unlock()
	for _, m := range c.members.all {
		c.members.send(m, protocol.MsgSecrets, secrets)
		plan, files, err := traces(c.opts.Traces).plan(&plan, m.index)
		if err != nil {
			c.members.drop(m, err)
			continue
		}
		c.members.send(m, protocol.MsgStart, protocol.Start{
			Plan:        plan,
			Traces:      files,
			Share:       load.Share{Index: uint64(m.index), Total: uint64(len(c.members.all))},
			ID:          m.id,
			Name:        c.opts.Name,
			Clock:       m.clock,
			StartAt:     startAt,
			Config:      c.opts.Config,
			CommandLine: c.opts.CommandLine,
			Points:      points,
			Counts:      c.opts.Counts,
			Options:     protocol.StatisticsOf(c.opts.Statistics),
			Watches:     c.opts.Watches,
		})
	}
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
			c.dropStalled(clock.Now())
		case phase := <-c.opts.EndPhase:
			c.cutPhase(phase)
		case <-interrupt:
			interrupt = nil
			c.mu.Lock()
			c.stop(protocol.Stop{Reason: "interrupted"})
			c.unlock()
		}
	}
	return err
}

// allDone reports whether all clients have finished.
func (c *coordinator) allDone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.members.allDone()
}

// finish ends the sessions.
func (c *coordinator) finish() {
	c.mu.Lock()
	for _, m := range c.members.all {
		if m.err == nil {
			m.leaving = true
			c.members.send(m, protocol.MsgBye, struct{}{})
		}
	}
	c.mu.Unlock()
	each(c.members.all, func(m *member) {
		t := time.NewTimer(c.opts.Timing.Goodbye)
		defer t.Stop()
		select {
		case <-m.closed: // the client closes the connection when it is free again
		case <-t.C:
		}
		m.cancel(transport.ErrEnded)
		m.session.Close(transport.ErrEnded)
	})
}

// conclude returns the result, or why there is none.
func (c *coordinator) conclude() (*Result, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.results.complete(c.members.all, &c.phases, &c.searches)
	return r, c.results.verdict(r, c.members.all, &c.phases, c.startErrors(&barrier{}))
}

// Package coordinator runs a plan on many clients, and makes one result of what they measure.
package coordinator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"warp/internal/clock"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/load"
	"warp/pkg/observe"
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
	wake    chan struct{}
	wg      sync.WaitGroup

	mu          sync.Mutex
	queued      []func(Observer) // calls of the observer
	barriers    []*barrier
	onces       map[string]*onceState
	live        liveState
	stage       string
	phase       int       // the latest
	begun       bool      // the benchmark has begun
	start       time.Time // of the first phase
	deadline    time.Time // when the latest phase ends or was stopped; zero: not known
	aborted     error     // why the benchmark did not begin
	stopping    bool      // clients were sent stop
	endedPhases int       // so many phases ended because throughput was stable
	released    bool      // clients may clean up
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
	if err := c.gather(ctx); err != nil {
		return nil, err
	}
	defer c.wg.Wait()
	c.sendPlan(&credentials)
	collected := make(chan error, 1)
	go func() { collected <- c.collect(context.WithoutCancel(ctx)) }()
	err = c.supervise(ctx, collected)
	c.finish()
	c.notifyObserver()
	if failed := c.verdict(); failed != nil {
		return nil, errors.Join(failed, err)
	}
	return c.result, err
}

func newCoordinator(plan *bench.Plan, o Options) (*coordinator, error) {
	compiled, err := bench.Compile(plan)
	if err != nil {
		return nil, err
	}
	for i := range plan.Phases {
		if len(plan.Phases[i].Beside) > 0 {
			return nil, errors.New("clients cannot run streams side by side")
		}
	}
	if len(o.Clients) == 0 {
		return nil, errors.New("no clients; use --warp-client")
	}
	if o.Observer == nil {
		o.Observer = noObserver{}
	}
	if o.Grace == 0 {
		o.Grace = protocol.DefaultGrace
	}
	if o.Timing == (protocol.Timing{}) {
		o.Timing = protocol.DefaultTiming
	}
	if o.Verdict == nil {
		o.Verdict = (*observe.Summary).Verdict
	}
	if o.Name == "" {
		o.Name, _ = os.Hostname() // optional
	}
	dialer, err := transport.NewDialer(transport.Options{Protocol: &protocol.Wire, Timing: o.Timing.Timing, Token: o.Token, TLS: o.TLS})
	if err != nil {
		return nil, err
	}
	return &coordinator{
		opts: o, plan: compiled, common: len(o.Clients) > 1 && compiled.Common(), id: protocol.RandomID(16), wake: make(chan struct{}, 1), onces: make(map[string]*onceState),
		dialer: dialer, result: &Result{},
	}, nil
}

// verdict is why there is no result; nil if there is one.
func (c *coordinator) verdict() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.aborted != nil:
		err := c.aborted
		for _, text := range c.leftBehind() {
			err = errors.Join(err, errors.New(text))
		}
		return err
	case !c.begun:
		return c.startErrors(&barrier{}) // no client reached the first barrier
	case c.result.InResult > 0:
		return nil
	}
	return fmt.Errorf("no client handed over results:\n%s", strings.Join(c.result.Warnings, "\n"))
}

// sendPlan sends the plan to all clients.
func (c *coordinator) sendPlan(credentials *target.Credentials) {
	plan := *c.plan.Plan
	plan.Target.AccessKey, plan.Target.SecretKey, plan.Target.SessionToken = "", "", ""
	plan.Phases = append([]bench.Phase(nil), plan.Phases...)
	points := false
	for i := range plan.Phases {
		points = points || plan.Phases[i].Autoterm != nil
		plan.Phases[i].Autoterm = nil // the coordinator decides, by the sum of all clients
	}
	s, startAt := c.opts.Statistics, int64(0)
	if !c.opts.StartAt.IsZero() {
		startAt = c.opts.StartAt.UnixNano()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		c.command(m, protocol.MsgSecrets, protocol.Secrets{AccessKey: string(credentials.AccessKey), SecretKey: string(credentials.SecretKey), SessionToken: string(credentials.SessionToken)})
		c.command(m, protocol.MsgStart, protocol.Start{
			Plan: &plan, Share: load.Share{Index: uint64(m.index), Total: uint64(len(c.members))}, ID: m.id, Name: c.opts.Name, Clock: m.clock, StartAt: startAt,
			Config: c.opts.Config, CommandLine: c.opts.CommandLine, Points: points,
			Options: protocol.Statistics(s),
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
		c.notifyObserver()
		select {
		case <-c.wake:
		case err = <-collected:
			collected = nil
		case <-tick.C:
			c.dropStalled(clock.Now())
		case <-interrupt:
			interrupt = nil
			c.stop(protocol.Stop{Reason: "interrupted"})
		}
	}
	return err
}

// notifyObserver makes the queued calls of the observer.
func (c *coordinator) notifyObserver() {
	c.mu.Lock()
	list := c.queued
	c.queued = nil
	c.mu.Unlock()
	for _, f := range list {
		f(c.opts.Observer)
	}
}

// observe queues a call of the observer; c.mu is held.
func (c *coordinator) observe(f func(Observer)) {
	c.queued = append(c.queued, f)
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// notice queues a notice for the observer; c.mu is held.
func (c *coordinator) notice(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	c.observe(func(o Observer) { o.Notice(text) })
}

// allDone reports whether all clients have finished.
func (c *coordinator) allDone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		if m.err == nil && m.report == nil {
			return false
		}
	}
	return true
}

// stop stops all clients.
func (c *coordinator) stop(s protocol.Stop) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopLocked(s)
}

func (c *coordinator) stopLocked(s protocol.Stop) {
	if c.stopping {
		return
	}
	c.stopping = true
	if now := clock.Now(); c.deadline.IsZero() || now.Before(c.deadline) {
		c.deadline = now
	}
	c.stopAll(s)
}

func (c *coordinator) stopAll(s protocol.Stop) {
	for _, m := range c.members {
		if m.err == nil && m.report == nil {
			c.command(m, protocol.MsgStop, s)
		}
	}
}

// endPhase ends the phase at one instant for all clients, far enough ahead to reach all of them; c.mu is held.
func (c *coordinator) endPhase() {
	c.endedPhases = c.phase + 1
	c.stopAll(protocol.Stop{Stable: true, Phase: c.phase, At: clock.Now().Add(c.opts.Timing.Lead).UnixNano()})
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
	c.each(func(m *member) {
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
	c.completeResult()
}

// maxParallel is how many clients are handled at a time where each one costs memory or sockets.
const maxParallel = 32

// each calls f for every member, several at a time, and waits for all.
func (c *coordinator) each(f func(*member)) {
	var g errgroup.Group
	g.SetLimit(maxParallel)
	for _, m := range c.members {
		g.Go(func() error {
			f(m)
			return nil
		})
	}
	_ = g.Wait() // f returns no error
}

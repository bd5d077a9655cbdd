package coordinator

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/load"
	"warp/pkg/runinfo"
	"warp/pkg/s3/target"
)

// Refusal lists the clients that cannot take part in a run, and why. Nothing is started without all of them.
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
	fmt.Fprintf(&b, "%d of %d clients cannot take part; the run was not started:", len(r.Clients), r.Of)
	for _, c := range r.Clients {
		fmt.Fprintf(&b, "\n  %s: %v", c.Addr, c.Err)
	}
	return b.String()
}

// Unwrap returns the errors of the clients.
func (r *Refusal) Unwrap() []error {
	errs := make([]error, len(r.Clients))
	for i, c := range r.Clients {
		errs[i] = c.Err
	}
	return errs
}

// gather connects to all clients, which join the run; all or none.
func gather(ctx context.Context, c *coordinator) error {
	ids := make(map[string]bool)
	for i, addr := range c.opts.Clients {
		c.members = append(c.members, newMember(c, i, transport.WithPort(addr), freshID(ids)))
	}
	await(ctx, c)
	conns, errs := make([]*transport.Conn, len(c.members)), make([]error, len(c.members))
	each(c.members, func(m *member) { conns[m.index], errs[m.index] = m.link.greet(ctx) })
	rejectDuplicates(c.members, errs)
	err := refusalOf(c.members, errs)
	if err == nil {
		each(c.members, func(m *member) { _, errs[m.index] = m.link.join(conns[m.index], false) })
		err = refusalOf(c.members, errs)
	}
	if ctx.Err() != nil {
		err = errors.Join(context.Cause(ctx), err)
	}
	if err != nil {
		for i, m := range c.members {
			m.session.Close(errors.New("the coordinator cancelled the run before it began"))
			m.cancel(transport.ErrEnded)
			if conns[i] != nil && errs[i] == nil {
				_ = m.session.Serve(conns[i], 0) // sends the reason, and closes
			} else if conns[i] != nil {
				_ = conns[i].Close()
			}
		}
		return err
	}
	for i, m := range c.members {
		c.wg.Go(func() { c.keep(m, conns[i]) })
		c.wg.Go(func() { c.receive(m) })
	}
	return nil
}

// rejectDuplicates finds clients that are one and the same.
func rejectDuplicates(members []*member, errs []error) {
	first := make(map[string]*member)
	for _, m := range members {
		if errs[m.index] != nil {
			continue
		}
		if o := first[m.greeting.Instance]; o != nil {
			errs[m.index] = fmt.Errorf("same client as %s; name each client once", o.addr)
			continue
		}
		first[m.greeting.Instance] = m
	}
}

func refusalOf(members []*member, errs []error) error {
	r := &Refusal{Of: len(members)}
	for i, err := range errs {
		if err != nil {
			r.Clients = append(r.Clients, ClientError{members[i].addr, err})
		}
	}
	if len(r.Clients) == 0 {
		return nil
	}
	return r
}

// freshID returns an id for a client in recordings, which is unique in the run.
func freshID(taken map[string]bool) string {
	for {
		if id := runinfo.NewID(); !taken[id] {
			taken[id] = true
			return id
		}
	}
}

// sendPlan sends the plan to all clients.
func sendPlan(c *coordinator, credentials *target.Credentials) {
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
	s, startAt := c.opts.Statistics, int64(0)
	if !c.opts.StartAt.IsZero() {
		startAt = c.opts.StartAt.UnixNano()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		c.command(m, protocol.MsgSecrets, secrets)
		plan, traces, err := planOf(c, &plan, m)
		if err != nil {
			c.drop(m, err)
			continue
		}
		c.command(m, protocol.MsgStart, protocol.Start{
			Plan: plan, Traces: traces, Share: load.Share{Index: uint64(m.index), Total: uint64(len(c.members))}, ID: m.id, Name: c.opts.Name, Clock: m.clock, StartAt: startAt,
			Config: c.opts.Config, CommandLine: c.opts.CommandLine, Points: points, Counts: c.opts.Counts,
			Options: protocol.StatisticsOf(s), Watches: c.opts.Watches,
		})
	}
}

// maxParallel is how many clients are handled at a time where each one costs memory or sockets.
const maxParallel = 32

// each calls f for every client, several at a time, and waits for all.
func each(members []*member, f func(*member)) {
	var g errgroup.Group
	g.SetLimit(maxParallel)
	for _, m := range members {
		g.Go(func() error {
			f(m)
			return nil
		})
	}
	_ = g.Wait() // f returns no error
}

package coordinator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"warp/pkg/distributed/transport"
	"warp/pkg/runinfo"
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

// gather connects to all clients and has them join the run; all or none.
func (c *coordinator) gather(ctx context.Context) error {
	ids := make(map[string]bool)
	for i, addr := range c.opts.Clients {
		c.members = append(c.members, c.newMember(i, transport.WithPort(addr), freshID(ids)))
	}
	var mu sync.Mutex
	conns, errs := make([]*transport.Conn, len(c.members)), make([]error, len(c.members))
	c.each(func(m *member) {
		ws, err := m.link.greet(ctx)
		mu.Lock()
		defer mu.Unlock()
		conns[m.index], errs[m.index] = ws, err
	})
	c.rejectDuplicates(errs)
	err := c.refusalOf(errs)
	if err == nil {
		c.each(func(m *member) { _, errs[m.index] = m.link.join(conns[m.index], false) })
		err = c.refusalOf(errs)
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
func (c *coordinator) rejectDuplicates(errs []error) {
	first := make(map[string]*member)
	for _, m := range c.members {
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

// freshID returns an id for a client in recordings, which is unique in the run.
func freshID(taken map[string]bool) string {
	for {
		if id := runinfo.NewID(); !taken[id] {
			taken[id] = true
			return id
		}
	}
}

package coordinator

import (
	"context"
	"errors"
	"fmt"

	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/runinfo"
)

// gathering is the beginning of a run: all clients join it, or none.
type gathering struct {
	members []*member
	conns   []*transport.Conn
	errs    []error // of the clients
}

// addMember adds a client to the run.
func (c *coordinator) addMember(l *link, id string) *member {
	m := newMember(l, len(c.members.all), id, &c.opts)
	x := inbox{c, m}
	m.handover.stalled = x.stalled
	m.session = transport.NewSession(&protocol.Wire, c.opts.Timing.Timing, protocol.Medium, map[string]func(transport.Frame){
		protocol.MsgLive: x.live,
	})
	c.members.all = append(c.members.all, m)
	return m
}

// gather connects to the clients, and has them join the run: all or none.
func (g *gathering) gather(ctx context.Context) error {
	each(g.members, func(m *member) { g.conns[m.index], g.errs[m.index] = m.link.greet(ctx) })
	g.rejectDuplicates()
	err := refusalOf(g.members, g.errs)
	if err == nil {
		each(g.members, func(m *member) { _, g.errs[m.index] = m.link.join(g.conns[m.index], false) })
		err = refusalOf(g.members, g.errs)
	}
	if ctx.Err() != nil {
		err = errors.Join(context.Cause(ctx), err)
	}
	if err != nil {
		g.cancel()
	}
	return err
}

// cancel tells the clients that there is no run.
func (g *gathering) cancel() {
	for i, m := range g.members {
		m.session.Close(errors.New("the coordinator cancelled the run before it began"))
		m.cancel(transport.ErrEnded)
		if g.conns[i] != nil && g.errs[i] == nil {
			_ = m.session.Serve(g.conns[i], 0) // sends the reason, and closes
		} else if g.conns[i] != nil {
			_ = g.conns[i].Close()
		}
	}
}

// rejectDuplicates finds clients that are one and the same.
func (g *gathering) rejectDuplicates() {
	first := make(map[string]*member)
	for _, m := range g.members {
		if g.errs[m.index] != nil {
			continue
		}
		if o := first[m.greeting.Instance]; o != nil {
			g.errs[m.index] = fmt.Errorf("same client as %s; name each client once", o.addr)
			continue
		}
		first[m.greeting.Instance] = m
	}
}

// freshID returns an id for a client in recordings, unique in the run.
func freshID(taken map[string]bool) string {
	for {
		if id := runinfo.NewID(); !taken[id] {
			taken[id] = true
			return id
		}
	}
}

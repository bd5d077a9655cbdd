package coordinator

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/distributed/transport"
)

// What a coordinator takes from a client beside the lengths of messages, so that its memory has a bound whatever clients
// tell: it is in proportion to their number. The client's operations are its own, of the phases of the plan.
const maxHosts = 1024 // or twice as many as the plan names

// checkBounds is an error if bounds are not those of this client alone, or too many.
func (c *coordinator) checkBounds(m *member, b *aggregate.Bounds) error {
	if b == nil {
		return transport.Violationf("it sent no bounds")
	}
	if n := b.Groups(); n > maxKinds {
		return transport.Violationf("its bounds are of %d phases and kinds of operations, more than %d", n, maxKinds)
	}
	return c.checkNames(m, slices.Values(b.Clients()))
}

// checkSnapshot is the same for statistics.
func (c *coordinator) checkSnapshot(m *member, s *aggregate.Snapshot) error {
	if s == nil {
		return transport.Violationf("it sent no snapshot")
	}
	if n := len(s.Groups) + len(s.Totals); n > 2*maxKinds {
		return transport.Violationf("its statistics are of %d phases and kinds of operations, more than %d", n, 2*maxKinds)
	}
	most := max(maxHosts, 2*len(c.plan.Target.Hosts))
	for _, list := range [][]*aggregate.Group{s.Groups, s.Totals} {
		for _, g := range list {
			switch {
			case g == nil:
				return transport.Violationf("a group of its statistics is null")
			case !validName(string(g.Kind)) || !validName(g.Phase):
				return transport.Violationf("it reports operations %.40q in a phase %.40q", g.Kind, g.Phase)
			case len(g.ByHost) > most || len(g.Hosts) > most:
				return transport.Violationf("its statistics are of more than %d hosts", most)
			case len(g.ByClient) > 1 || len(g.ThreadIDs) > 1 || len(g.ThreadIDs[m.id]) > bench.MaxThreads:
				return transport.Violationf("its statistics are of other clients too")
			}
			if err := cmp.Or(c.checkNames(m, maps.Keys(g.ByClient)), c.checkNames(m, maps.Keys(g.ThreadIDs))); err != nil {
				return err
			}
		}
	}
	return nil
}

// isName reports whether a text may be that of a kind or a phase; empty is fine.
func validName(s string) bool { return len(s) <= 100 && transport.Printable(s) == s }

// own is an error unless all names are that of the client in recordings.
func (c *coordinator) checkNames(m *member, names iter.Seq[string]) error {
	for name := range names {
		if name != m.id {
			return transport.Violationf("it reports a client %.40q, and is %q", name, m.id)
		}
	}
	return nil
}

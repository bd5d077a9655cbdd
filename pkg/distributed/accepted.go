package distributed

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
)

// What a coordinator takes from a client beside the lengths of messages, so that its memory has a bound whatever clients
// tell: it is in proportion to their number. The client's operations are its own, of the phases of the plan.
const maxHosts = 1024 // or twice as many as the plan names

// checkBounds is an error if bounds are not those of this client alone, or too many.
func (m *member) checkBounds(b *aggregate.Bounds) error {
	if b == nil {
		return &violation{"it sent no bounds"}
	}
	if n := b.Groups(); n > maxKinds {
		return &violation{fmt.Sprintf("its bounds are of %d phases and kinds of operations, more than %d", n, maxKinds)}
	}
	return m.own(slices.Values(b.Clients()))
}

// checkSnapshot is the same for statistics.
func (m *member) checkSnapshot(s *aggregate.Snapshot) error {
	if s == nil {
		return &violation{"it sent no snapshot"}
	}
	if n := len(s.Groups) + len(s.Totals); n > 2*maxKinds {
		return &violation{fmt.Sprintf("its statistics are of %d phases and kinds of operations, more than %d", n, 2*maxKinds)}
	}
	most := max(maxHosts, 2*len(m.c.plan.Target.Hosts))
	for _, list := range [][]*aggregate.Group{s.Groups, s.Totals} {
		for _, g := range list {
			switch {
			case g == nil:
				return &violation{"a group of its statistics is null"}
			case !isName(string(g.Kind)) || !isName(g.Phase):
				return &violation{fmt.Sprintf("it reports operations %.40q in a phase %.40q", g.Kind, g.Phase)}
			case len(g.ByHost) > most || len(g.Hosts) > most:
				return &violation{fmt.Sprintf("its statistics are of more than %d hosts", most)}
			case len(g.ByClient) > 1 || len(g.ThreadIDs) > 1 || len(g.ThreadIDs[m.id]) > bench.MaxThreads:
				return &violation{"its statistics are of other clients too"}
			}
			if err := cmp.Or(m.own(maps.Keys(g.ByClient)), m.own(maps.Keys(g.ThreadIDs))); err != nil {
				return err
			}
		}
	}
	return nil
}

// isName reports whether a text may be that of a kind or a phase; empty is fine.
func isName(s string) bool { return len(s) <= 100 && showable(s) == s }

// own is an error unless all names are that of the client in recordings.
func (m *member) own(names iter.Seq[string]) error {
	for name := range names {
		if name != m.id {
			return &violation{fmt.Sprintf("it reports a client %.40q, and is %q", name, m.id)}
		}
	}
	return nil
}

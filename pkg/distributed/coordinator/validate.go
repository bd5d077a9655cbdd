package coordinator

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/units"
)

// maxHosts is how many hosts a client may report, or twice as many as the plan names. Limits like this bound the memory of
// the coordinator whatever clients send.
const maxHosts = 1024

// mostHosts returns how many hosts a client may report in a benchmark of so many.
func mostHosts(hosts int) int { return max(maxHosts, 2*hosts) }

// maxGroups is how many kinds of operations a client may report, counted in each stream, trial and the preparation; c.mu is held.
func maxGroups(c *coordinator) int {
	streams := 1
	for _, s := range c.searches {
		streams += s.Number()
	}
	for i := range c.plan.Phases {
		streams += len(c.plan.Phases[i].Names())
	}
	return aggregate.MaxKinds * streams
}

// checkBoundsBytes returns an error if the bounds of a client may be longer than the message for them.
func checkBoundsBytes(planned int64) error {
	if most := int64(protocol.Wire.Documents[protocol.MsgBounds]) / 2; planned > most { // the message may have those of finished phases again
		return fmt.Errorf("when the threads of a client were at work in all phases takes up to %s to report (want at most %s): "+
			"use more clients with fewer threads each, fewer phases or points, or several runs", units.Size(planned), units.Size(most))
	}
	return nil
}

// checkBounds checks that bounds are of this client alone, and not too many.
func checkBounds(id string, b *protocol.Bounds, groups, phases int) error {
	if b.Phases < 0 || b.Phases > phases {
		return transport.Violationf("finished %d of %d phases", b.Phases, phases)
	}
	for _, of := range []*aggregate.Bounds{b.Bounds, b.Finished} {
		if of == nil {
			return transport.Violationf("no bounds were sent")
		}
		if n := of.Groups(); n > groups {
			return transport.Violationf("bounds of %d phases and kinds of operations, want at most %d", n, groups)
		}
		if err := checkNames(id, slices.Values(of.Clients())); err != nil {
			return err
		}
	}
	return nil
}

// checkSnapshot is the same for statistics, of a benchmark with so many hosts.
func checkSnapshot(id string, s *aggregate.Snapshot, groups, hosts int) error {
	if s == nil {
		return transport.Violationf("no snapshot was sent")
	}
	if n := len(s.Groups) + len(s.Totals); n > 2*groups {
		return transport.Violationf("statistics of %d phases and kinds of operations, want at most %d", n, 2*groups)
	}
	most := mostHosts(hosts)
	for _, list := range [][]*aggregate.Group{s.Groups, s.Totals} {
		for _, g := range list {
			switch {
			case g == nil:
				return transport.Violationf("a group of the statistics is null")
			case !validName(string(g.Kind)) || !validName(g.Phase):
				return transport.Violationf("invalid kind %.40q or phase %.40q of operations", g.Kind, g.Phase)
			case len(g.ByHost) > most || len(g.Hosts) > most:
				return transport.Violationf("statistics of more than %d hosts", most)
			case len(g.ByBucket) > most:
				return transport.Violationf("statistics of more than %d buckets", most)
			case len(g.ByClient) > 1 || len(g.ThreadIDs) > 1 || len(g.ThreadIDs[id]) > bench.MaxThreads:
				return transport.Violationf("statistics of other clients")
			}
			if err := cmp.Or(checkNames(id, slices.Values(slices.Sorted(maps.Keys(g.ByClient)))), checkNames(id, slices.Values(slices.Sorted(maps.Keys(g.ThreadIDs))))); err != nil {
				return err
			}
		}
	}
	return nil
}

// validName reports whether a text is valid as a kind or a phase; empty is.
func validName(s string) bool { return len(s) <= 100 && transport.Printable(s) == s }

// checkNames checks that all names are the id of the client.
func checkNames(id string, names iter.Seq[string]) error {
	for name := range names {
		if name != id {
			return transport.Violationf("reports operations of client %.40q, want %q", name, id)
		}
	}
	return nil
}

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

// maxHosts is how many hosts a client may report in a benchmark of planned hosts. Limits like this bound the memory of the coordinator
// whatever clients send.
func maxHosts(planned int) int { return max(1024, 2*planned) }

// checkBoundsBytes returns an error if the bounds of a client may be longer than the message for them.
func checkBoundsBytes(planned int64) error {
	if limit := int64(protocol.Wire.Documents[protocol.MsgBounds]) / 2; planned > limit { // the message may repeat bounds of finished phases
		return fmt.Errorf("when the threads of a client were at work in all phases takes up to %s to report (want at most %s): "+
			"use more clients with fewer threads each, fewer phases or points, or several runs", units.Size(planned), units.Size(limit))
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

// checkSnapshot checks that statistics are of this client alone, and not too many. hosts is the number of hosts of the plan.
func checkSnapshot(id string, s *aggregate.Snapshot, groups, hosts int) error {
	if s == nil {
		return transport.Violationf("no snapshot was sent")
	}
	if n := len(s.Groups) + len(s.Totals); n > 2*groups {
		return transport.Violationf("statistics of %d phases and kinds of operations, want at most %d", n, 2*groups)
	}
	limit := maxHosts(hosts)
	for _, list := range [][]*aggregate.Group{s.Groups, s.Totals} {
		for _, g := range list {
			switch {
			case g == nil:
				return transport.Violationf("a group of the statistics is null")
			case !validName(string(g.Kind)) || !validName(g.Phase):
				return transport.Violationf("invalid kind %.40q or phase %.40q of operations", g.Kind, g.Phase)
			case len(g.ByHost) > limit || len(g.Hosts) > limit:
				return transport.Violationf("statistics of more than %d hosts", limit)
			case len(g.ByBucket) > limit:
				return transport.Violationf("statistics of more than %d buckets", limit)
			case len(g.ByClient) > 1 || len(g.ThreadIDs) > 1 || len(g.ThreadIDs[id]) > bench.MaxThreads:
				return transport.Violationf("statistics of other clients")
			}
			clients, threads := slices.Sorted(maps.Keys(g.ByClient)), slices.Sorted(maps.Keys(g.ThreadIDs))
			if err := cmp.Or(checkNames(id, slices.Values(clients)), checkNames(id, slices.Values(threads))); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkLive checks a live message. groups is the number of kinds of operations that a client may report.
func checkLive(l *protocol.Live, groups int) error {
	switch {
	case len(l.Kinds) > groups || len(l.Rates) > protocol.MaxPending:
		return transport.Violationf("live message has too many entries")
	case !l.Known():
		return transport.Violationf("live message of unknown stage %.40q", l.Stage)
	}
	return nil
}

// checkReplays checks a client's account of the traces that it replayed.
func checkReplays(list []protocol.Replay) error {
	for _, r := range list {
		if len(r.Kinds) > aggregate.MaxKinds {
			return transport.Violationf("a replay of %d kinds of operations, want at most %d", len(r.Kinds), aggregate.MaxKinds)
		}
		for _, k := range r.Kinds {
			if !validName(string(k.Kind)) {
				return transport.Violationf("invalid kind %.40q of operations", k.Kind)
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

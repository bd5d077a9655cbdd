package aggregate

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"warp/pkg/aggregate/internal/decode"
	"warp/pkg/hist"
)

// Merge adds another part of the same run, aggregated with the same windows and segments; o is not modified. The result
// does not depend on order or grouping: counts and histograms are exactly the same as of all operations together (first and
// last access: see Group). On an error s is unchanged. An empty Snapshot may be the start.
func (s *Snapshot) Merge(o *Snapshot) error {
	version, segment := s.Version, s.Segment
	if version == 0 && len(s.Groups) == 0 {
		version, segment = o.Version, o.Segment
	}
	if version != o.Version || version != Version {
		return fmt.Errorf("merge snapshots: versions %d and %d (want %d): use the same version of warp everywhere",
			version, o.Version, Version)
	}
	if segment != o.Segment {
		return fmt.Errorf("merge snapshots: segment lengths %v and %v (want equal ones)", segment, o.Segment)
	}
	for _, pair := range [][2][]*Group{{s.Groups, o.Groups}, {s.Totals, o.Totals}} {
		if err := fit(pair[0], pair[1]); err != nil {
			return fmt.Errorf("merge snapshots: %w", err)
		}
	}
	s.Version, s.Segment = version, segment
	if s.Order == nil {
		s.Order = o.Order
	}
	s.Groups = mergeGroups(s.Groups, o.Groups)
	s.Totals = mergeGroups(s.Totals, o.Totals)
	s.Finish()
	return nil
}

// fit reports what prevents the groups of b from being added to the groups of a. The groups of b may come from the network.
func fit(a, b []*Group) error {
	for _, og := range b {
		if err := og.whole(); err != nil {
			return err
		}
		if g := find(a, og); g != nil {
			if err := g.fits(og); err != nil {
				return err
			}
		}
	}
	return nil
}

// DropDetails removes the bulk of the data: segments of parts, and the times of segments.
func (s *Snapshot) DropDetails() {
	for _, g := range slices.Concat(s.Groups, s.Totals) {
		for i := range g.Segments {
			g.Segments[i].Latency, g.Segments[i].TTFB = nil, nil
		}
		g.Rest.Latency, g.Rest.TTFB = nil, nil
		for _, parts := range []map[string]*Part{g.ByHost, g.ByClient, g.ByBucket} {
			for _, p := range parts {
				p.Series, p.Rest = nil, nil
			}
		}
	}
}

// whole checks that nothing required is missing.
func (g *Group) whole() error {
	if g == nil {
		return errors.New("null group")
	}
	if g.Approx != nil {
		return fmt.Errorf("%s: statistics of an aggregated recording do not merge", g.Name())
	}
	for _, parts := range []map[string]*Part{g.ByHost, g.ByClient, g.ByBucket} {
		for _, name := range slices.Sorted(maps.Keys(parts)) {
			p := parts[name]
			if p == nil {
				return fmt.Errorf("%s: null part of %q", g.Name(), name)
			}
			if p.Series != nil && len(p.Series) != len(g.Segments) {
				return fmt.Errorf("%s: %q has %d segments (want %d)", g.Name(), name, len(p.Series), len(g.Segments))
			}
		}
	}
	return nil
}

// find returns the group of the same phase and kind, nil if there is none.
func find(groups []*Group, like *Group) *Group {
	i := slices.IndexFunc(groups, func(g *Group) bool {
		return g.Phase == like.Phase && g.Kind == like.Kind && g.Combined() == like.Combined()
	})
	if i < 0 {
		return nil
	}
	return groups[i]
}

func mergeGroups(a, b []*Group) []*Group {
	for _, og := range b {
		if g := find(a, og); g != nil {
			g.merge(og)
		} else {
			a = append(a, og.clone())
		}
	}
	return a
}

// fits reports what prevents o from being added.
func (g *Group) fits(o *Group) error {
	if !g.Window.equal(o.Window) {
		return fmt.Errorf("%s: windows %v to %v and %v to %v (want equal ones)",
			g.Name(), g.Window.Start, g.Window.End, o.Window.Start, o.Window.End)
	}
	if len(g.Segments) != len(o.Segments) {
		return fmt.Errorf("%s: %d and %d segments (want equal windows)",
			g.Name(), len(g.Segments), len(o.Segments))
	}
	return nil
}

// clone returns an independent copy.
func (g *Group) clone() *Group {
	c := &Group{Phase: g.Phase, Kind: g.Kind, Streams: g.Streams, Window: g.Window}
	c.Window.Begun, c.Window.Ended = g.Window.Begun.clone(), g.Window.Ended.clone()
	c.merge(g)
	return c
}

// merge adds o, which fits.
func (g *Group) merge(o *Group) {
	g.mergeCounts(o)
	g.mergeThreads(o)
	g.mergeService(o) // before the latencies are merged
	g.Considered += o.Considered
	g.InFlight += o.InFlight
	g.Pending.merge(&o.Pending)
	g.Window.Begun.complete(o.Window.Begun)
	g.Window.Ended.complete(o.Window.Ended)
	g.Part.merge(&o.Part)
	g.Rest.Merge(&o.Rest)
	g.Segments = mergeSegments(g.Segments, o.Segments)
	g.mergeAccess(o)
	g.Touched = joinTouched(g.Touched, o.Touched)
	g.ByHost = mergeParts(g.ByHost, o.ByHost)
	g.ByClient = mergeParts(g.ByClient, o.ByClient)
	g.ByBucket = mergeParts(g.ByBucket, o.ByBucket)
	g.Hosts = decode.Union(g.Hosts, o.Hosts)
	g.BySize = mergeSizes(g.BySize, o.BySize)
	failures := Failures{g.ErrorsByClass, g.FirstErrors}
	failures.Merge(Failures{o.ErrorsByClass, o.FirstErrors})
	g.ErrorsByClass, g.FirstErrors = failures.ByClass, failures.First
}

func (g *Group) mergeCounts(o *Group) {
	mine, theirs := g.Requests-g.Errors, o.Requests-o.Errors
	if theirs > 0 {
		g.Include(o.OpSizes, mine == 0)
	}
	all := Span{g.First, g.Last}
	all.Widen(Span{o.First, o.Last})
	g.First, g.Last = all.From, all.To
	g.Requests += o.Requests
	g.Errors += o.Errors
	g.Broken += o.Broken
	g.Resent += o.Resent
}

func (g *Group) mergeThreads(o *Group) {
	if g.ThreadIDs == nil {
		g.ThreadIDs = make(map[string][]uint32, len(o.ThreadIDs))
	}
	for client, ids := range o.ThreadIDs {
		g.ThreadIDs[client] = decode.Union(g.ThreadIDs[client], ids)
	}
	g.Threads = 0
	for _, ids := range g.ThreadIDs {
		g.Threads += len(ids)
	}
	g.Clients = slices.Sorted(maps.Keys(g.ThreadIDs))
}

// mergeService adds service times. A part without due times has none: there they equal the latencies.
func (g *Group) mergeService(o *Group) {
	switch {
	case g.Service == nil && o.Service == nil:
	case g.Service == nil:
		g.Service = hist.Join(g.Latency.Clone(), o.Service)
	case o.Service == nil:
		g.Service = hist.Join(g.Service, o.Latency)
	default:
		g.Service.Merge(o.Service)
	}
}

// mergeAccess adds first and last accesses; if they are omitted on one side, they are omitted in the sum.
func (g *Group) mergeAccess(o *Group) {
	if g.AccessOmitted || o.AccessOmitted {
		g.AccessOmitted, g.RepeatReads = true, 0
		g.FirstAccess, g.FirstAccessTTFB, g.LastAccess, g.LastAccessTTFB = nil, nil, nil, nil
		return
	}
	g.RepeatReads += o.RepeatReads
	g.FirstAccess = hist.Join(g.FirstAccess, o.FirstAccess)
	g.FirstAccessTTFB = hist.Join(g.FirstAccessTTFB, o.FirstAccessTTFB)
	g.LastAccess = hist.Join(g.LastAccess, o.LastAccess)
	g.LastAccessTTFB = hist.Join(g.LastAccessTTFB, o.LastAccessTTFB)
}

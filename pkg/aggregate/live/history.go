package live

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/aggregate/internal/decode"
	"warp/pkg/hist"
	"warp/pkg/op"
)

// historySegments is the maximum number of segments that a History keeps of each kind; beyond, they are joined in pairs.
const historySegments = 480

// History is the counts of a run in progress over time: what happened between two of them is a segment. An operation counts
// when it reaches the statistics, which is up to a second after its end. Memory is that of the segments: about 10 KiB each
// with their histograms.
//
// It is not safe for concurrent use.
type History struct {
	step   time.Duration // between two counts
	length time.Duration // of a segment
	last   time.Time     // of the newest counts
	groups []*past
}

// past is one kind of operations in one phase.
type past struct {
	Count              // the newest
	origin   time.Time // of the first segment
	segments []aggregate.Segment
}

// NewHistory returns a History of counts that are added so often.
func NewHistory(step time.Duration) *History { return &History{step: step, length: step} }

// Add adds the counts of a time. Times are a multiple of the step apart; counts that come late make a longer gap without known
// operations, and an earlier time than the newest counts' is taken for theirs. Warm-up does not count.
func (h *History) Add(at time.Time, counts []Count) {
	if at.Before(h.last) { // the one who adds was held up
		at = h.last
	}
	h.last = at
	for i := range counts {
		c := &counts[i]
		if c.Phase == op.PhaseWarmup {
			continue
		}
		k := slices.IndexFunc(h.groups, func(p *past) bool { return p.Phase == c.Phase && p.Kind == c.Kind })
		if k < 0 {
			// It began somewhere since the counts before, so a rate would be too low.
			h.groups = append(h.groups, &past{Count: *c, origin: at})
			h.arrange(counts)
			continue
		}
		p := h.groups[k]
		if c.Requests > p.Requests {
			for int(at.Sub(p.origin)/h.length) > historySegments {
				h.double()
			}
			n := max(0, int((at.Sub(p.origin)-h.step/2)/h.length))
			p.segments = decode.GrowTo(p.segments, n)
			s := since(&p.Count, c)
			p.segments[n].Merge(&s)
		}
		p.Count = *c
	}
}

// arrange brings the groups in the order of the counts.
func (h *History) arrange(counts []Count) {
	place := func(p *past) int {
		return slices.IndexFunc(counts, func(c Count) bool { return c.Phase == p.Phase && c.Kind == p.Kind })
	}
	slices.SortStableFunc(h.groups, func(a, b *past) int { return cmp.Compare(place(a), place(b)) })
}

// since returns what happened between two counts. The histograms of a segment are coarse.
func since(before, now *Count) aggregate.Segment {
	s := aggregate.Segment{
		Bytes:   float64(now.Bytes - before.Bytes),
		Objects: float64(now.Objects - before.Objects),
		Ended:   now.Ops - before.Ops,
		Errors:  now.Errors - before.Errors,
		Latency: hist.Since(before.Latency, now.Latency, hist.Coarse),
		TTFB:    hist.Since(before.TTFB, now.TTFB, hist.Coarse),
	}
	for class, n := range now.ErrorsByClass {
		if n -= before.ErrorsByClass[class]; n > 0 {
			decode.CountClass(&s.ErrorsByClass, class, n, decode.MaxPartClasses)
		}
	}
	return s
}

// double joins segments in pairs.
func (h *History) double() {
	h.length *= 2
	for _, p := range h.groups {
		n := (len(p.segments) + 1) / 2
		joined := make([]aggregate.Segment, n)
		for i := range p.segments {
			joined[i/2].Merge(&p.segments[i])
		}
		p.segments = joined
	}
}

// Snapshot returns the statistics so far, which later counts do not change. Windows are of whole segments. There are no totals,
// parts, size classes and accesses, and no warnings of windows that are short as yet.
func (h *History) Snapshot() *aggregate.Snapshot {
	s := &aggregate.Snapshot{Version: aggregate.Version, Segment: h.length}
	for _, p := range h.groups {
		s.Groups = append(s.Groups, p.group(h.length, h.last))
	}
	for _, g := range s.Groups {
		s.Warnings = append(s.Warnings, g.OperationWarnings()...)
	}
	return s
}

// group returns the statistics of a kind until a time. A segment that is not over would have too low a rate.
func (p *past) group(length time.Duration, until time.Time) *aggregate.Group {
	g := &aggregate.Group{
		Phase:         p.Phase,
		Kind:          p.Kind,
		Requests:      p.Requests,
		Errors:        p.Errors,
		Resent:        p.Resent,
		First:         p.First,
		Last:          p.Last,
		Threads:       p.Threads,
		Clients:       p.Clients,
		Hosts:         p.Hosts,
		Considered:    p.Ops,
		OpSizes:       p.OpSizes,
		Service:       p.Service,
		ErrorsByClass: maps.Clone(p.ErrorsByClass),
		FirstErrors:   p.FirstErrors,
		Part:          aggregate.Part{Latency: p.Latency, TTFB: p.TTFB, Own: p.Own},
	}
	g.Segments = p.segments[:min(len(p.segments), int(until.Sub(p.origin)/length))]
	if len(g.Segments) == 0 { // too short for a rate over time
		g.Bytes, g.Objects, g.Ops = float64(p.Bytes), float64(p.Objects), float64(p.Ops)
		g.Window = aggregate.Window{Start: p.First, End: p.Last}
		return g
	}
	for i := range g.Segments {
		g.Bytes, g.Objects, g.Ops = g.Bytes+g.Segments[i].Bytes, g.Objects+g.Segments[i].Objects, g.Ops+float64(g.Segments[i].Ended)
	}
	g.Window = aggregate.Window{Start: p.origin, End: p.origin.Add(time.Duration(len(g.Segments)) * length)}
	return g
}

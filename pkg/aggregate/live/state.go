// Package live keeps the figures of a run in progress, for all who watch it: the progress line, the full screen, the live page, metrics,
// the rules that end a run, and the coordinator.
package live

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/aggregate/internal/decode"
	"warp/pkg/hist"
	"warp/pkg/observe"
	"warp/pkg/op"
)

// State is the statistics of a run in progress, when no window is known yet: every group counts from its first operation
// until now. It is an op.Sink whose figures may be read at any time by other goroutines. Memory grows with threads and
// kinds: about 0.7 MB each.
//
// Its figures are for display during the run, and for a report without a recording. Figures of other reports come from
// Bounds and Aggregator.
type State struct {
	mu     sync.Mutex
	opts   aggregate.Options
	filter decode.Filter
	tables decode.Tables
	groups []*group // in order
	totals []*group // one for each phase
	last   *group

	details *details // nil: nobody watches
	more    bool     // see CountMore
}

// group is one kind in one phase, or all kinds of a phase.
type group struct {
	decode.Key
	*counts                       // a total shares the counts of its only kind, as long as it has one
	total      *group             // nil for a total itself
	kinds      int                // of a total
	failures   aggregate.Failures // empty in a total
	moreCounts                    // empty in a total
}

// counts are what is known of the operations of a group.
type counts struct {
	requests, errors, considered, broken int64
	resent                               int64
	bytes                                int64
	objects                              int64
	sizes                                aggregate.OpSizes
	hosts                                []bool  // by host number
	lastEnd                              []int64 // by thread number; 0: not active in this group
	latency, ttfb                        *hist.Histogram
	own                                  aggregate.OwnPart
	series                               series
	recent                               recent
}

// New returns an empty State. Of the options it uses Op, Host, AllTime and Order.
func New(opts aggregate.Options) *State {
	l := &State{opts: opts, filter: decode.NewFilter(opts.Op, opts.Host)}
	l.filter.Warmup = true // is shown, but in no snapshot
	return l
}

// Write counts operations.
func (l *State) Write(ops []op.Op) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range ops {
		o := &ops[i]
		if !l.filter.Keep(o) {
			continue
		}
		r := l.tables.Decode(o)
		g := l.group(decode.Key{Phase: o.Phase, Kind: o.Kind})
		g.add(&r)
		if l.more {
			g.observe(&r, o)
		}
		if !g.Kind.IsComposite() && g.total.counts != g.counts {
			g.total.add(&r)
		}
		if r.Failed {
			g.failures.Add(o)
		}
		if l.details != nil && g.measured() && !g.Kind.IsComposite() {
			l.details.add(o, &r)
		}
	}
	return nil
}

// Close does nothing; figures remain available.
func (l *State) Close() error { return nil }

func (l *State) group(k decode.Key) *group {
	if l.last != nil && l.last.Key == k {
		return l.last
	}
	if i := slices.IndexFunc(l.groups, func(g *group) bool { return g.Key == k }); i >= 0 {
		l.last = l.groups[i]
		return l.last
	}
	k = k.Clone()
	l.last = newGroup(k, l.totalOf(k.Phase))
	if !k.Kind.IsComposite() {
		l.last.total.join(l.last)
	}
	l.groups = aggregate.Insert(l.opts.Order, l.groups, l.last, func(g *group) (string, op.Kind) { return g.Phase, g.Kind })
	return l.last
}

func (l *State) totalOf(phase string) *group {
	for _, g := range l.totals {
		if g.Phase == phase {
			return g
		}
	}
	g := newGroup(decode.Key{Phase: phase}, nil)
	l.totals = append(l.totals, g)
	return g
}

func newGroup(k decode.Key, total *group) *group {
	return &group{Key: k, counts: new(counts), total: total}
}

// join makes a kind part of a total. The first one is all of it, so that most operations are counted once.
func (g *group) join(kind *group) {
	switch g.kinds {
	case 0:
		g.counts = kind.counts
	case 1:
		g.counts = g.counts.clone()
	}
	g.kinds++
}

// add counts an operation in one group.
func (g *counts) add(r *decode.Record) {
	g.requests++
	if r.Failed {
		g.errors++
	}
	if r.Resent {
		g.resent++
	}
	if r.Broken {
		g.broken++
		return
	}
	g.lastEnd = decode.GrowTo(g.lastEnd, r.Thread)
	g.lastEnd[r.Thread] = max(g.lastEnd[r.Thread], r.End)
	g.series.add(r)
	if r.Failed {
		return
	}
	g.considered++
	g.bytes += r.Bytes
	g.objects += int64(r.Objects)
	g.sizes.IncludeOperation(r.Objects, r.Bytes, g.considered == 1)
	g.hosts = decode.GrowTo(g.hosts, r.Host)
	g.hosts[r.Host] = true
	g.recent.add(r)
	hist.RecordIn(&g.latency, hist.Fine, r.Latency)
	g.own.Record(r)
	if r.HasTTFB {
		hist.RecordIn(&g.ttfb, hist.Fine, r.TTFB)
	}
}

// Snapshot returns the statistics until now. Windows run from the first start to the last end, whose segments (100 ms,
// or longer in long runs) hold bytes, objects, ended operations and errors. There are no parts, size classes, accesses
// or warnings.
func (l *State) Snapshot() *aggregate.Snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	length := int64(tick)
	groups, totals := without(l.groups, op.PhaseWarmup), without(l.totals, op.PhaseWarmup)
	for _, g := range slices.Concat(groups, totals) {
		length = max(length, g.series.length)
	}
	s := &aggregate.Snapshot{Version: aggregate.Version, Segment: time.Duration(length), Order: l.opts.Order}
	kinds := make(map[string]int)
	for _, g := range groups {
		if !g.Kind.IsComposite() {
			kinds[g.Phase]++
		}
		s.Groups = append(s.Groups, l.snapshot(g, length))
	}
	for _, g := range totals {
		if kinds[g.Phase] > 1 {
			s.Totals = append(s.Totals, l.snapshot(g, length))
		}
	}
	s.Finish()
	s.Warnings = nil
	return s
}

// without returns the groups of all phases but one.
func without(groups []*group, phase string) []*group {
	return slices.DeleteFunc(slices.Clone(groups), func(g *group) bool { return g.Phase == phase })
}

func (l *State) snapshot(g *group, length int64) *aggregate.Group {
	s := &aggregate.Group{
		Phase:         g.Phase,
		Kind:          g.Kind,
		Requests:      g.requests,
		Errors:        g.errors,
		Resent:        g.resent,
		Broken:        g.broken,
		Considered:    g.considered,
		OpSizes:       g.sizes,
		ThreadIDs:     make(map[string][]uint32),
		ErrorsByClass: maps.Clone(g.failures.ByClass),
		FirstErrors:   slices.Clone(g.failures.First),
		Part: aggregate.Part{
			Bytes:   float64(g.bytes),
			Objects: float64(g.objects),
			Ops:     float64(g.considered),
			Latency: g.latency.Clone(),
			TTFB:    g.ttfb.Clone(),
			Own:     g.own.Clone(),
		},
	}
	for i, end := range g.lastEnd {
		if end > 0 {
			client, thread := l.tables.Threads.At(i)
			s.ThreadIDs[client] = append(s.ThreadIDs[client], thread)
			s.Threads++
		}
	}
	for i, seen := range g.hosts {
		if seen {
			s.Hosts = append(s.Hosts, l.tables.Hosts.List[i])
		}
	}
	slices.Sort(s.Hosts)
	for client, ids := range s.ThreadIDs {
		slices.Sort(ids)
		s.Clients = append(s.Clients, client)
	}
	slices.Sort(s.Clients)
	if g.series.origin == 0 {
		return s
	}
	series := g.series.atLength(length)
	s.First, s.Last = time.Unix(0, series.first).UTC(), time.Unix(0, series.last).UTC()
	s.Window = aggregate.Window{Start: time.Unix(0, series.origin).UTC(), End: s.Last}
	s.Segments = make([]aggregate.Segment, (series.last-series.origin)/length)
	for i := range s.Segments {
		p := &series.points[i]
		s.Segments[i] = aggregate.Segment{Bytes: p.bytes, Objects: p.objects, Ended: p.ended, Errors: p.errors}
	}
	return s
}

// measured reports whether a group is neither of a preparation nor of a warm-up.
func (g *group) measured() bool {
	return !strings.EqualFold(g.Phase, op.PhasePrepare) && g.Phase != op.PhaseWarmup
}

// newest returns the total of the phase that began last, of those that are measured if main is set; nil if no phase qualifies.
func (l *State) newest(main bool) *group {
	var n *group
	for _, g := range l.totals {
		if g.series.origin == 0 || main && !g.measured() {
			continue
		}
		if n == nil || g.series.first > n.series.first {
			n = g
		}
	}
	return n
}

// Recent returns the current figures of the phase that began last, and of those that overlap it: streams in parallel. Their
// total has no percentiles. ok is false before its first operation ended.
// Operations reach the statistics up to a second late, so now is moved back to the last end if that is within a second.
func (l *State) Recent(now time.Time) (r Recent, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	total := l.newest(false)
	if total == nil {
		return Recent{}, false
	}
	at := now.UnixNano()
	if d := at - total.series.last; d > 0 && d <= int64(time.Second) {
		at = total.series.last
	}
	r = Recent{Phase: total.Phase, Start: time.Unix(0, total.series.first).UTC(), Total: total.figures(at)}
	for _, g := range l.groups {
		if g.Phase == total.Phase || g.total.overlaps(total) {
			r.Kinds = append(r.Kinds, g.figures(at))
		}
	}
	for _, g := range l.totals {
		if g != total && g.overlaps(total) {
			r.Total.Add(g.figures(at))
		}
	}
	return r, true
}

// overlaps reports whether operations of a phase ended after the newest one began.
func (g *group) overlaps(newest *group) bool {
	return g.series.origin != 0 && g.series.last > newest.series.first && g.measured()
}

// Add adds the figures of other operations. Percentiles cannot be added.
func (f *Figures) Add(o Figures) {
	f.Ops, f.Errors, f.Resent = f.Ops+o.Ops, f.Errors+o.Errors, f.Resent+o.Resent
	f.BytesPerSec, f.ObjectsPerSec, f.OpsPerSec = f.BytesPerSec+o.BytesPerSec, f.ObjectsPerSec+o.ObjectsPerSec, f.OpsPerSec+o.OpsPerSec
	f.P50, f.P99, f.Share = 0, 0, observe.Share{}
}

func (g *group) figures(at int64) Figures {
	f := Figures{Phase: g.Phase, Kind: g.Kind, Ops: g.requests, Errors: g.errors, Resent: g.resent}
	g.recent.figures(&f, g.series.first, at)
	return f
}

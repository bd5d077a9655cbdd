package aggregate

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"warp/pkg/hist"
	"warp/pkg/op"
)

// Live is the statistics of a run that goes on, when no window is known yet: every group counts from its first operation
// until now. It is an op.Sink whose figures may be asked at any time by other goroutines. Memory grows with threads and
// kinds: about 0.7 MB each.
//
// Its figures are for looking at while the run lasts, and for a report where there is no recording. Those of other reports
// come from Bounds and Aggregator.
type Live struct {
	mu     sync.Mutex
	filter filter
	tables tables
	groups []*liveGroup
	totals []*liveGroup // one for each phase
	last   *liveGroup
}

// liveGroup is one kind in one phase, or all kinds of a phase.
type liveGroup struct {
	groupKey
	total *liveGroup // nil if this is one

	requests, errors, considered, broken int64
	bytes                                int64
	objects                              int64
	about                                Group   // sizes and failures
	hosts                                []bool  // by number of the host
	lastEnd                              []int64 // by number of the thread; 0: has done nothing here
	latency, ttfb                        *hist.Histogram
	series                               series
	recent                               recent
}

// NewLive makes a Live. Of the options, Op and Host matter.
func NewLive(opts Options) *Live {
	return &Live{filter: newFilter(opts)}
}

// Write counts operations.
func (l *Live) Write(ops []op.Op) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range ops {
		o := &ops[i]
		if !l.filter.keep(o) {
			continue
		}
		r := l.tables.decode(o)
		g := l.group(groupKey{o.Phase, o.Kind})
		g.add(&r)
		g.total.add(&r)
		if r.failed {
			g.about.addFailure(o)
		}
	}
	return nil
}

// Close does nothing; the figures may be asked at any time.
func (l *Live) Close() error { return nil }

func (l *Live) group(k groupKey) *liveGroup {
	if l.last != nil && l.last.groupKey == k {
		return l.last
	}
	i := slices.IndexFunc(l.groups, func(g *liveGroup) bool { return g.groupKey == k })
	if i < 0 {
		i = len(l.groups)
		k = k.clone()
		l.groups = append(l.groups, newLiveGroup(k, l.totalOf(k.phase)))
	}
	l.last = l.groups[i]
	return l.last
}

func (l *Live) totalOf(phase string) *liveGroup {
	for _, g := range l.totals {
		if g.phase == phase {
			return g
		}
	}
	g := newLiveGroup(groupKey{phase: phase}, nil)
	l.totals = append(l.totals, g)
	return g
}

func newLiveGroup(k groupKey, total *liveGroup) *liveGroup {
	return &liveGroup{groupKey: k, total: total}
}

// add counts an operation in one group.
func (g *liveGroup) add(r *record) {
	g.requests++
	if r.failed {
		g.errors++
	}
	if r.broken {
		g.broken++
		return
	}
	g.lastEnd = grown(g.lastEnd, r.thread)
	g.lastEnd[r.thread] = max(g.lastEnd[r.thread], r.end)
	g.series.add(r)
	if r.failed {
		return
	}
	g.considered++
	g.bytes += r.bytes
	g.objects += int64(r.objects)
	g.about.extend(r, g.considered == 1)
	g.hosts = grown(g.hosts, r.host)
	g.hosts[r.host] = true
	g.recent.add(r)
	recordIn(&g.latency, r.latency)
	if r.hasTTFB {
		recordIn(&g.ttfb, r.ttfb)
	}
}

// Snapshot is everything until now. Windows run from the first start to the last end, whose segments (100 ms, or longer
// in long runs) hold bytes, objects, ended operations and errors. There are no parts, size classes, accesses or warnings.
func (l *Live) Snapshot() *Snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	length := int64(tick)
	for _, g := range slices.Concat(l.groups, l.totals) {
		length = max(length, g.series.length)
	}
	s := &Snapshot{Version: Version, Segment: time.Duration(length)}
	kinds := make(map[string]int)
	for _, g := range l.groups {
		kinds[g.phase]++
		s.Groups = append(s.Groups, l.snapshot(g, length))
	}
	for _, g := range l.totals {
		if kinds[g.phase] > 1 {
			s.Totals = append(s.Totals, l.snapshot(g, length))
		}
	}
	slices.SortFunc(s.Groups, compareGroups)
	slices.SortFunc(s.Totals, compareGroups)
	return s
}

// Overall is Snapshot for a report: windows run from the first start itself, for exact averages, so there are no segments. It
// has warnings.
func (l *Live) Overall() *Snapshot {
	s := l.Snapshot()
	for _, g := range slices.Concat(s.Groups, s.Totals) {
		g.Window.Start, g.Segments = g.First, nil
	}
	s.Warnings = warnings(s)
	return s
}

func (l *Live) snapshot(g *liveGroup, length int64) *Group {
	s := &Group{
		Phase: g.phase, Kind: g.kind,
		Requests: g.requests, Errors: g.errors, Broken: g.broken, Considered: g.considered,
		MinObjects: g.about.MinObjects, MaxObjects: g.about.MaxObjects, MinSize: g.about.MinSize, MaxSize: g.about.MaxSize,
		ThreadIDs: make(map[string][]uint32), ErrorsByClass: maps.Clone(g.about.ErrorsByClass), FirstErrors: slices.Clone(g.about.FirstErrors),
		Part: Part{
			Bytes: float64(g.bytes), Objects: float64(g.objects), Ops: float64(g.considered),
			Latency: g.latency.Clone(), TTFB: g.ttfb.Clone(),
		},
	}
	for i, end := range g.lastEnd {
		if end > 0 {
			k := l.tables.threads.list[i]
			client := l.tables.threads.clients.list[k.client]
			s.ThreadIDs[client] = append(s.ThreadIDs[client], k.thread)
			s.Threads++
		}
	}
	for i, seen := range g.hosts {
		if seen {
			s.Hosts = append(s.Hosts, l.tables.hosts.list[i])
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
	s.Window = Window{Start: time.Unix(0, series.origin).UTC(), End: s.Last}
	s.Segments = make([]Segment, (series.last-series.origin)/length)
	for i := range s.Segments {
		p := &series.points[i]
		s.Segments[i] = Segment{Bytes: p.bytes, Objects: p.objects, Ended: p.ended, Errors: p.errors}
	}
	return s
}

// newest is the total of the phase that began last, leaving out the preparation if main is set; nil if there is none.
func (l *Live) newest(main bool) *liveGroup {
	var n *liveGroup
	for _, g := range l.totals {
		if g.series.origin == 0 || main && strings.EqualFold(g.phase, op.PhasePrepare) {
			continue
		}
		if n == nil || g.series.first > n.series.first {
			n = g
		}
	}
	return n
}

// Recent is how the phase that began last is doing at the time now; ok is false before its first operation ended.
// Operations reach the statistics up to a second late, so now is moved back to the last end if that is within a second.
func (l *Live) Recent(now time.Time) (r Recent, ok bool) {
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
	r = Recent{Phase: total.phase, Start: time.Unix(0, total.series.first).UTC(), Total: total.figures(at)}
	for _, g := range l.groups {
		if g.phase == total.phase {
			r.Kinds = append(r.Kinds, g.figures(at))
		}
	}
	return r, true
}

func (g *liveGroup) figures(at int64) Figures {
	f := Figures{Kind: g.kind, Ops: g.requests, Errors: g.errors}
	g.recent.figures(&f, g.series.first, at)
	return f
}

package aggregate

import (
	"slices"
	"time"

	"warp/pkg/aggregate/internal/decode"
	"warp/pkg/hist"
	"warp/pkg/op"
)

// group is a Group under construction. What Group holds in maps is held in slices by number, see tables.
type group struct {
	Group
	from, to int64 // the window
	sent     int64 // when sending stopped; 0: not known
	timeline decode.Timeline
	tables   *decode.Tables
	memory   *memory
	totals   []*group // that include the group: of its phase, and of phases in parallel

	hostSegments, segmentTimes, seriesTimes bool // as in Options; a total has no hosts
	sized                                   bool // has size classes

	first, last int64 // first start and last end, 0 without operations
	threads     []bool
	hosts       []*Part
	clients     []*Part
	buckets     []*Part
	hostTimes   partTimes
	clientTimes partTimes
	bucketTimes partTimes
	sizes       []*SizeClass
	objects     objects
	failures    Failures
	inFlight    []inFlight // by client number, in an open loop
}

// newGroup returns an empty group. Only a group of one kind (not a total) has size classes and accesses.
func newGroup(w GroupWindow, length time.Duration, opts Options, t *decode.Tables, m *memory) *group {
	key := decode.Key{Phase: w.Phase, Kind: w.Kind}.Clone()
	g := &group{tables: t, memory: m, Group: Group{Phase: key.Phase, Kind: key.Kind, Streams: w.Streams}}
	g.hostSegments, g.segmentTimes = opts.HostSegments && w.Kind != "", opts.SegmentTimes
	g.sized = w.Kind != "" && w.Kind.MovesBytes()
	g.seriesTimes = opts.SegmentTimes && !opts.HostCounts // of hosts
	g.setWindow(w.Window, length)
	if k := w.Kind.Unlabelled(); k == op.Get || k == op.MultipartGet {
		g.objects.accesses = newAccesses(maxAccessKeys)
	}
	return g
}

// partOf has operations count in a total too; nil: there is none.
func (g *group) partOf(total *group) {
	if total != nil {
		g.totals = append(g.totals, total)
		g.objects.totals = append(g.objects.totals, &total.objects)
	}
}

// setWindow sets the window, and the length of segments.
func (g *group) setWindow(w Window, length time.Duration) {
	g.Window = w
	if !w.Sent.To.IsZero() {
		g.sent = w.Sent.To.UnixNano()
	}
	if d := w.Duration(); d > 0 {
		g.from, g.to = w.Start.UnixNano(), w.End.UnixNano()
		g.timeline = decode.Timeline{From: g.from, Length: int64(length), N: int(d / length)}
		g.Segments = make([]Segment, g.timeline.N)
	}
}

// add counts one operation, except for its object; see objectQueue.
func (g *group) add(o *op.Op, r *decode.Record) {
	host, client := g.part(&g.hosts, &g.hostTimes, r.Host), g.part(&g.clients, &g.clientTimes, r.Client)
	g.count(r, host, client, g.part(&g.buckets, &g.bucketTimes, r.Bucket))
	if r.Failed {
		g.failures.Add(o)
	}
	if r.Broken {
		return
	}
	if g.first == 0 || r.Start < g.first {
		g.first = r.Start
	}
	g.last = max(g.last, r.End)
	if r.Open {
		g.inFlight = decode.GrowTo(g.inFlight, r.Client)
		g.inFlight[r.Client].add(r.Start, r.End)
	}
	if r.Start <= g.sent && r.End > g.sent {
		g.Pending.add(o, r.End-g.sent)
	}
	g.place(r)
}

// place counts what an operation with valid times did in the window.
func (g *group) place(r *decode.Record) {
	host, client := g.hosts[r.Host], g.clients[r.Client]
	g.spread(r, host)
	if r.Failed {
		return
	}
	if s := decode.Share(r.Start, r.End, g.from, g.to); s > 0 {
		g.Part.add(s, r)
		host.add(s, r)
		client.add(s, r)
		g.buckets[r.Bucket].add(s, r)
	}
	if g.considers(r.Start, r.End) {
		g.measure(r)
	}
}

// considers reports whether an operation counts for latencies: if it starts in the window, however long it takes, since long operations
// would else be left out more often than short ones; under Classic, if it lies wholly in the window.
func (g *group) considers(start, end int64) bool {
	return g.from < g.to && start >= g.from && (start <= g.to && !g.Window.Classic || end <= g.to)
}

// spread counts an operation in the segments that it overlaps.
func (g *group) spread(r *decode.Record, host *Part) {
	to := parted{g.Segments, &g.Rest, g.segmentTimes, g.Window.Classic, g.tables}
	to.spread(g.timeline, r)
	if g.hostSegments {
		if host.Rest == nil {
			host.Rest = new(Segment)
			if g.timeline.N > 0 {
				host.Series = make([]Segment, g.timeline.N)
			}
		}
		to.segments, to.outside, to.times = host.Series, host.Rest, g.seriesTimes
		to.spread(g.timeline, r)
	}
}

// count does what is done for every operation, also failed and broken ones.
func (g *group) count(r *decode.Record, parts ...*Part) {
	if n := r.Thread + 1 - len(g.threads); n > 0 {
		g.threads = decode.GrowTo(g.threads, r.Thread)
		if g.Kind != "" {
			g.memory.Threads += int64(n)
		}
	}
	g.threads[r.Thread] = true
	if r.Broken {
		g.Broken++
	}
	g.Requests++
	if r.Resent {
		g.Resent++
	}
	for _, p := range parts {
		p.Total++
	}
	if r.Failed {
		g.Errors++
		for _, p := range parts {
			p.fail(g.tables.Classes.List[r.Class])
		}
		return
	}
	g.IncludeOperation(r.Objects, r.Bytes, g.Requests-g.Errors == 1)
}

// measure counts the times of a considered request.
func (g *group) measure(r *decode.Record) {
	g.Considered++
	if r.Open && g.Service == nil {
		g.Service = g.Latency.Clone() // no due times so far: service time equals latency
		if g.Service == nil {
			g.Service = hist.New(hist.Fine)
		}
	}
	if g.Service != nil {
		g.Service.Record(r.End - r.Start)
	}
	if g.Kind != "" {
		g.hostTimes.measure(&g.Part, g.hosts, r.Host, r)
		g.clientTimes.measure(&g.Part, g.clients, r.Client, r)
		g.bucketTimes.measure(&g.Part, g.buckets, r.Bucket, r)
	}
	g.Part.measure(r, hist.Fine)
	if g.sized {
		i := sizeClass(r.Bytes)
		g.sizes = decode.GrowTo(g.sizes, i)
		if g.sizes[i] == nil {
			g.sizes[i] = newSizeClass(i)
		}
		g.sizes[i].add(r)
	}
}

// setAccesses sets the figures of first and last reads.
func (g *group) setAccesses(a *accesses) {
	g.RepeatReads, g.AccessOmitted = 0, a.full
	g.FirstAccess, g.FirstAccessTTFB, g.LastAccess, g.LastAccessTTFB = nil, nil, nil, nil
	count := func(v visit, late int64, latency, ttfb **hist.Histogram) {
		if !g.considers(v.start, v.start+v.service) {
			return
		}
		hist.RecordIn(latency, hist.Fine, v.service+late)
		if v.ttfb >= 0 {
			hist.RecordIn(ttfb, hist.Fine, v.ttfb)
		}
	}
	for i := range a.count {
		e, l := a.at(i)
		g.RepeatReads += int64(e.hash & 1)
		count(e.first, l.first, &g.FirstAccess, &g.FirstAccessTTFB)
		count(e.last, l.last, &g.LastAccess, &g.LastAccessTTFB)
	}
}

// snapshot returns a copy of the group in its present state.
func (g *group) snapshot(t *decode.Tables) *Group {
	if g.objects.accesses != nil {
		g.setAccesses(g.objects.accesses)
	}
	g.Touched = g.objects.tally.touched()
	g.InFlight = 0
	for i := range g.inFlight {
		g.InFlight += g.inFlight[i].maximum()
	}
	view := g.Group
	view.ErrorsByClass, view.FirstErrors = g.failures.ByClass, g.failures.First
	if g.first != 0 {
		view.First, view.Last = time.Unix(0, g.first).UTC(), time.Unix(0, g.last).UTC()
	}
	view.ThreadIDs = make(map[string][]uint32)
	for i, seen := range g.threads {
		if seen {
			client, thread := t.Threads.At(i)
			view.ThreadIDs[client] = append(view.ThreadIDs[client], thread)
		}
	}
	for _, ids := range view.ThreadIDs {
		slices.Sort(ids)
	}
	view.ByHost, view.Hosts = named(g.hostTimes.all(&g.Part, g.hosts), t.Hosts.List)
	view.ByClient, _ = named(g.clientTimes.all(&g.Part, g.clients), t.Threads.Clients.List)
	view.ByBucket, _ = named(g.bucketTimes.all(&g.Part, g.buckets), t.Buckets.List)
	delete(view.ByBucket, "")
	for _, c := range g.sizes {
		if c != nil {
			view.BySize = append(view.BySize, *c)
		}
	}
	return view.clone()
}

// part returns number i of parts, created on first use.
func (g *group) part(parts *[]*Part, times *partTimes, i int) *Part {
	*parts = decode.GrowTo(*parts, i)
	if (*parts)[i] == nil {
		(*parts)[i] = new(Part)
		if times.parts++; g.Kind != "" {
			g.memory.addPart(times.parts)
		}
	}
	return (*parts)[i]
}

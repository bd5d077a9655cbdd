package aggregate

import (
	"slices"
	"strings"
	"time"

	"warp/pkg/hist"
	"warp/pkg/op"
)

// group is a Group under construction. What Group holds in maps is held in slices by number, see tables.
type group struct {
	Group
	from, to int64 // the window
	timeline timeline
	inTotal  *group   // all kinds of the phase; nil if there is only one
	wait     *waiting // until the window is known; see finder

	hostSegments, segmentTimes bool // as in Options; a total has no hosts

	first, last int64 // first start and last end, 0 without operations
	threads     []bool
	hosts       []*Part
	clients     []*Part
	hostTimes   partTimes
	clientTimes partTimes
	sizes       []*SizeClass
	accesses    *accesses
}

// newGroup returns an empty group. Only a group of one kind (not a total) has size classes and accesses.
func newGroup(w GroupWindow, length time.Duration, opts Options) *group {
	g := &group{Group: Group{Phase: strings.Clone(w.Phase), Kind: op.Kind(strings.Clone(string(w.Kind)))}}
	g.hostSegments, g.segmentTimes = opts.HostSegments && w.Kind != "", opts.SegmentTimes
	g.setWindow(w.Window, length)
	if w.Kind == op.Get {
		g.accesses = newAccesses(MaxAccessKeys)
	}
	return g
}

// setWindow sets the window, and the length of segments.
func (g *group) setWindow(w Window, length time.Duration) {
	g.Window = w
	g.from, g.to = 0, 0
	if d := w.Duration(); d > 0 {
		g.from, g.to = w.Start.UnixNano(), w.End.UnixNano()
		g.timeline = timeline{from: g.from, length: int64(length), n: int(d / length)}
		g.Segments = make([]Segment, g.timeline.n)
	}
}

// add counts one operation.
func (g *group) add(o *op.Op, r *record) {
	host, client := part(&g.hosts, r.host), part(&g.clients, r.client)
	g.count(r, host, client)
	if r.failed {
		g.addFailure(o)
	}
	if r.broken {
		return
	}
	if g.first == 0 || r.start < g.first {
		g.first = r.start
	}
	g.last = max(g.last, r.end)
	if g.accesses != nil && !r.failed {
		g.accesses.add(o.Key, r)
	}
	if g.wait != nil {
		g.wait.held = append(g.wait.held, *r)
		return
	}
	g.place(r)
}

// place counts what an operation with valid times did in the window.
func (g *group) place(r *record) {
	host, client := g.hosts[r.host], g.clients[r.client]
	if g.wait != nil {
		g.wait.climb(r, g.hostSegments, g.segmentTimes)
	} else {
		g.spread(r, host)
	}
	if r.failed {
		return
	}
	if s := share(r.start, r.end, g.from, g.to); s > 0 {
		g.Part.add(s, r)
		host.add(s, r)
		client.add(s, r)
	}
	if considered(r.start, r.end, g.from, g.to) {
		g.measure(r)
	}
}

// spread counts an operation in the segments that it overlaps.
func (g *group) spread(r *record, host *Part) {
	g.timeline.spread(g.Segments, r, g.segmentTimes)
	if g.hostSegments && g.timeline.n > 0 {
		if host.Series == nil {
			host.Series = make([]Segment, g.timeline.n)
		}
		g.timeline.spread(host.Series, r, g.segmentTimes)
	}
}

// count does what is done for every operation, also failed and broken ones.
func (g *group) count(r *record, host, client *Part) {
	g.threads = grown(g.threads, r.thread)
	g.threads[r.thread] = true
	if r.broken {
		g.Broken++
	}
	g.Requests++
	host.Total++
	client.Total++
	if r.failed {
		g.Errors++
		host.Failed++
		client.Failed++
		return
	}
	g.extend(r, g.Requests-g.Errors == 1)
}

// extend includes the size of a successful operation.
func (g *Group) extend(r *record, first bool) {
	if first {
		g.MinObjects, g.MaxObjects, g.MinSize, g.MaxSize = r.objects, r.objects, r.bytes, r.bytes
		return
	}
	g.MinObjects, g.MaxObjects = min(g.MinObjects, r.objects), max(g.MaxObjects, r.objects)
	g.MinSize, g.MaxSize = min(g.MinSize, r.bytes), max(g.MaxSize, r.bytes)
}

// measure counts the times of a considered request.
func (g *group) measure(r *record) {
	g.Considered++
	if r.open && g.Service == nil {
		g.Service = g.Latency.Clone() // no due times so far: service time equals latency
		if g.Service == nil {
			g.Service = hist.New(hist.Fine)
		}
	}
	if g.Service != nil {
		g.Service.Record(r.end - r.start)
	}
	if g.Kind != "" {
		g.hostTimes.measure(&g.Part, g.hosts, r.host, r)
		g.clientTimes.measure(&g.Part, g.clients, r.client, r)
	}
	g.Part.measure(r, hist.Fine)
	if g.Kind != "" && g.Kind.MovesBytes() {
		i := sizeClass(r.bytes)
		g.sizes = grown(g.sizes, i)
		if g.sizes[i] == nil {
			g.sizes[i] = newSizeClass(i)
		}
		g.sizes[i].add(r)
	}
}

// snapshot returns a copy of the group in its present state.
func (g *group) snapshot(t *tables) *Group {
	if g.accesses != nil {
		g.accesses.fill(&g.Group, g.from, g.to)
	}
	view := g.Group
	if g.first != 0 {
		view.First, view.Last = time.Unix(0, g.first).UTC(), time.Unix(0, g.last).UTC()
	}
	view.ThreadIDs = make(map[string][]uint32)
	for i, seen := range g.threads {
		if seen {
			k := t.threads.list[i]
			client := t.threads.clients.list[k.client]
			view.ThreadIDs[client] = append(view.ThreadIDs[client], k.thread)
		}
	}
	for _, ids := range view.ThreadIDs {
		slices.Sort(ids)
	}
	view.ByHost, view.Hosts = named(g.hostTimes.all(&g.Part, g.hosts), t.hosts.list)
	view.ByClient, _ = named(g.clientTimes.all(&g.Part, g.clients), t.threads.clients.list)
	for _, c := range g.sizes {
		if c != nil {
			view.BySize = append(view.BySize, *c)
		}
	}
	return view.clone()
}

package aggregate

import (
	"cmp"
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
	sent     int64 // when sending stopped; 0: not known
	timeline timeline
	tables   *tables
	inTotal  *group // all kinds of the phase; nil if there is only one, or the total leaves this one out
	beside   *group // the total of phases side by side; nil without any

	hostSegments, segmentTimes, seriesTimes bool // as in Options; a total has no hosts

	first, last int64 // first start and last end, 0 without operations
	threads     []bool
	hosts       []*Part
	clients     []*Part
	buckets     []*Part
	hostTimes   partTimes
	clientTimes partTimes
	bucketTimes partTimes
	sizes       []*SizeClass
	accesses    *accesses
	tally       tally      // of the objects that were used
	underway    []underway // by client number, in an open loop
}

// newGroup returns an empty group. Only a group of one kind (not a total) has size classes and accesses.
func newGroup(w GroupWindow, length time.Duration, opts Options, t *tables) *group {
	g := &group{tables: t, Group: Group{Phase: strings.Clone(w.Phase), Kind: op.Kind(strings.Clone(string(w.Kind))), Streams: w.Streams}}
	g.hostSegments, g.segmentTimes = opts.HostSegments && w.Kind != "", opts.SegmentTimes
	g.seriesTimes = opts.SegmentTimes && !opts.HostCounts // of hosts
	g.setWindow(w.Window, length)
	if k := w.Kind.Unlabelled(); k == op.Get || k == op.MultipartGet {
		g.accesses = newAccesses(MaxAccessKeys)
	}
	return g
}

// setWindow sets the window, and the length of segments.
func (g *group) setWindow(w Window, length time.Duration) {
	g.Window = w
	if !w.Sent.To.IsZero() {
		g.sent = w.Sent.To.UnixNano()
	}
	if d := w.Duration(); d > 0 {
		g.from, g.to = w.Start.UnixNano(), w.End.UnixNano()
		g.timeline = timeline{from: g.from, length: int64(length), n: int(d / length)}
		g.Segments = make([]Segment, g.timeline.n)
	}
}

// add counts one operation, except for its object; see objectQueue.
func (g *group) add(o *op.Op, r *record) {
	g.count(r, g.part(&g.hosts, &g.hostTimes, r.host), g.part(&g.clients, &g.clientTimes, r.client), g.part(&g.buckets, &g.bucketTimes, r.bucket))
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
	if r.open {
		g.underway = grown(g.underway, r.client)
		g.underway[r.client].add(r.start, r.end)
	}
	if r.start <= g.sent && r.end > g.sent {
		g.Pending.add(o, r.end-g.sent)
	}
	g.place(r)
}

// place counts what an operation with valid times did in the window.
func (g *group) place(r *record) {
	host, client := g.hosts[r.host], g.clients[r.client]
	g.spread(r, host)
	if r.failed {
		return
	}
	if s := share(r.start, r.end, g.from, g.to); s > 0 {
		g.Part.add(s, r)
		host.add(s, r)
		client.add(s, r)
		g.buckets[r.bucket].add(s, r)
	}
	if g.considers(r.start, r.end) {
		g.measure(r)
	}
}

// considers reports whether an operation counts for latencies: if it starts in the window, however long it takes, since long operations
// would else be left out more often than short ones; under Classic, if it lies wholly in the window.
func (g *group) considers(start, end int64) bool {
	return g.from < g.to && start >= g.from && (start <= g.to && !g.Window.Classic || end <= g.to)
}

// spread counts an operation in the segments that it overlaps.
func (g *group) spread(r *record, host *Part) {
	to := parted{g.Segments, &g.Rest, g.segmentTimes, g.Window.Classic, g.tables}
	to.spread(g.timeline, r)
	if g.hostSegments {
		if host.Rest == nil {
			host.Rest = new(Segment)
			if g.timeline.n > 0 {
				host.Series = make([]Segment, g.timeline.n)
			}
		}
		to.segments, to.outside, to.times = host.Series, host.Rest, g.seriesTimes
		to.spread(g.timeline, r)
	}
}

// count does what is done for every operation, also failed and broken ones.
func (g *group) count(r *record, parts ...*Part) {
	if n := r.thread + 1 - len(g.threads); n > 0 {
		g.threads = grown(g.threads, r.thread)
		if g.Kind != "" {
			g.tables.use.Threads += int64(n)
		}
	}
	g.threads[r.thread] = true
	if r.broken {
		g.Broken++
	}
	g.Requests++
	if r.resent {
		g.Resent++
	}
	for _, p := range parts {
		p.Total++
	}
	if r.failed {
		g.Errors++
		for _, p := range parts {
			p.fail(g.tables.classes.list[r.class])
		}
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
		g.bucketTimes.measure(&g.Part, g.buckets, r.bucket, r)
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
		g.accesses.fill(g)
	}
	g.Touched = g.tally.touched()
	g.InFlight = 0
	for i := range g.underway {
		g.InFlight += g.underway[i].most()
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
	view.ByBucket, _ = named(g.bucketTimes.all(&g.Part, g.buckets), t.buckets.list)
	delete(view.ByBucket, "")
	for _, c := range g.sizes {
		if c != nil {
			view.BySize = append(view.BySize, *c)
		}
	}
	return view.clone()
}

// Limits on memory for error texts.
const (
	MaxErrorSamples = 10
	maxErrorText    = 1024 // bytes kept of an error
)

// addFailure counts a failed operation by its class and keeps the earliest as samples.
func (g *Group) addFailure(o *op.Op) {
	countClass(&g.ErrorsByClass, op.Class(o.Err), 1, maxErrorClasses)
	if n := len(g.FirstErrors); n == MaxErrorSamples && o.End.After(g.FirstErrors[n-1].Time) {
		return
	}
	g.FirstErrors = withSample(g.FirstErrors, ErrorSample{Time: o.End, Host: strings.Clone(o.Endpoint), Key: strings.Clone(o.Key), Err: errorText(o.Err)})
}

// errorText returns what is kept of an error.
func errorText(text string) string {
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + "..."
	}
	return strings.Clone(text)
}

// withSample returns the samples with s, if it is among the earliest. It changes the list.
func withSample(list []ErrorSample, s ErrorSample) []ErrorSample {
	i, _ := slices.BinarySearchFunc(list, s, compareSamples)
	if i == MaxErrorSamples {
		return list
	}
	list = slices.Insert(list, i, s)
	return list[:min(len(list), MaxErrorSamples)]
}

func compareSamples(a, b ErrorSample) int {
	return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Host, b.Host), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Err, b.Err))
}

// mergeErrors adds the failures of o.
func (g *Group) mergeErrors(o *Group) {
	mergeClasses(&g.ErrorsByClass, o.ErrorsByClass, maxErrorClasses)
	for _, s := range o.FirstErrors {
		g.FirstErrors = withSample(g.FirstErrors, s)
	}
}

// BytesPerSec returns the average in the window: shares of successful operations divided by the window's length; 0 if
// the window is empty.
func (g *Group) BytesPerSec() float64 { b, _, _ := g.PerSecond(g.Window.Duration()); return b }

// ObjectsPerSec returns the average number of objects per second in the window.
func (g *Group) ObjectsPerSec() float64 { _, o, _ := g.PerSecond(g.Window.Duration()); return o }

// OpsPerSec returns the average number of operations per second in the window.
func (g *Group) OpsPerSec() float64 { _, _, n := g.PerSecond(g.Window.Duration()); return n }

// MovesBytes reports whether the throughput of the group is measured in bytes per second, or else in objects per
// second. Unknown kinds, and Totals, move bytes if any successful operation did.
func (g *Group) MovesBytes() bool { return g.Kind.MovesBytes() && g.MaxSize > 0 }

// CountsObjects reports whether the operations touch objects of their own; else their rate is that of operations. Only a
// part, or another request of a transfer in several, touches none.
func (g *Group) CountsObjects() bool {
	return g.MaxObjects > 0 || g.Objects > 0 || g.Requests == g.Errors
}

// Concurrency returns the number of threads; of an open loop, whose threads are only where operations wait, the greatest number of
// operations in flight.
func (g *Group) Concurrency() int {
	if g.InFlight > 0 {
		return int(g.InFlight)
	}
	return g.Threads
}

// Beside reports whether the group is the total of several phases that ran side by side.
func (g *Group) Beside() bool { return len(g.Streams) > 0 }

// Rank returns the indices of the fastest, the median and the slowest segment, by bytes if the group moves bytes, else
// by objects, or else by operations. The median is number n/2, from 0, of n in ascending order. ok is false without segments.
func (g *Group) Rank() (fastest, median, slowest int, byBytes, ok bool) {
	n := len(g.Segments)
	byBytes = g.MovesBytes()
	if n == 0 {
		return 0, 0, 0, byBytes, false
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if byBytes {
			return cmp.Compare(g.Segments[a].Bytes, g.Segments[b].Bytes)
		}
		if g.CountsObjects() {
			return cmp.Compare(g.Segments[a].Objects, g.Segments[b].Objects)
		}
		return cmp.Compare(g.Segments[a].Ended, g.Segments[b].Ended)
	})
	return order[n-1], order[n/2], order[0], byBytes, true
}

// Classes returns the size classes to display: neighbours of BySize joined, from the smallest upwards, until each holds
// at least 5 % of the requests; the rest at the upper end joins the last. Nil if all successful operations have one
// size.
func (g *Group) Classes() []SizeClass {
	if g.MinSize == g.MaxSize {
		return nil
	}
	var total int64
	for i := range g.BySize {
		total += g.BySize[i].Requests
	}
	least := minClassShare * float64(total)
	var out []SizeClass
	open := false // the last of out is still too small
	for i := range g.BySize {
		c := &g.BySize[i]
		if c.Requests == 0 {
			continue
		}
		if !open {
			from := c.From
			if len(out) > 0 {
				from = out[len(out)-1].To
			}
			out = append(out, SizeClass{From: from, To: c.To})
		}
		last := &out[len(out)-1]
		last.merge(c)
		open = float64(last.Requests) < least
	}
	if n := len(out); open && n > 1 {
		out[n-2].merge(&out[n-1])
		out = out[:n-1]
	}
	return out
}

// Name returns the name of the group for use in a sentence.
func (g *Group) Name() string {
	name := string(g.Kind)
	if name == "" {
		name = "total"
	}
	if g.Phase != "" {
		name = g.Phase + " " + name
	}
	return name
}

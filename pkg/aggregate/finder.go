package aggregate

import (
	"math"
	"slices"
	"time"

	"warp/pkg/hist"
	"warp/pkg/op"
)

// finder counts operations in one pass although their windows are not yet known. In most runs it soon becomes clear
// whether an operation counts: a window has begun when every thread has ended an operation, and it extends at least to
// the earliest of the threads' last starts so far. Until then operations wait, a limited number per group. Segments are
// counted in each length that the final windows may select, the rungs of a ladder; rungs that become too short are
// dropped. If a run is unusual (a thread starts late or stops early), the finder is lost, and only finds the windows
// for another pass.
//
// It is used for runs that go on, see Running, and for single recordings that do not state their windows: those of MinIO warp, and
// truncated ones. There it saves one of two passes: 2 million operations take 1.5 instead of 2.1 s, and 2.5 instead of 3.5 s of
// CPU (two cores).
type finder struct {
	*Aggregator
	held, most int // minimum number of operations that a group holds before releasing some; and the maximum of that, if
	perThread  int // it must hold so many for each thread
	lost       bool
}

// waiting is the operations of a group that wait, and what is known about its window so far.
type waiting struct {
	bounds boundsGroup
	held   []record // in order of arrival
	begun  bool     // group.from is the start of the window, and operations were placed
	ladder []rung   // for placed operations
	most   int      // maximum number of segments of a rung
}

// rung is the segments of one of the lengths that may be chosen in the end.
type rung struct {
	timeline
	segments []Segment
	hosts    [][]Segment // by number, if requested
}

// Limits of waiting operations. Operations of a thread are about as many rows apart as there are threads.
const (
	leastHeld = 1 << 13
	mostHeld  = 1 << 15
	perThread = 4
)

// ladderHosts is the maximum number of hosts with segments while the length is unknown: there are several times as many
// then.
const ladderHosts = 64

// autoRungs is how many of autoSegments are tried: enough for runs of 100 minutes.
const autoRungs = 3

func newFinder(opts Options) *finder {
	return &finder{Aggregator: New(opts, &Windows{}), held: leastHeld, most: mostHeld, perThread: perThread}
}

func (f *finder) add(o *op.Op) error {
	if !f.filter.keep(o) {
		return nil
	}
	r := f.tables.decode(o)
	g := f.group(groupKey{o.Phase, o.Kind})
	if err := f.tables.check(); err != nil {
		return err
	}
	if g.wait == nil {
		f.begin(g)
	}
	f.count(g, o, &r)
	if g.inTotal != nil {
		f.count(g.inTotal, o, &r)
	}
	return nil
}

// begin makes a group wait. Each phase gets a total until it turns out to have none, which is nil then.
func (f *finder) begin(g *group) {
	g.wait = &waiting{bounds: boundsGroup{groupKey: groupKey{g.Phase, g.Kind}}}
	if g.Kind.Whole() {
		return
	}
	total, known := f.totals[g.Phase]
	if !known {
		total = newGroup(GroupWindow{Phase: g.Phase}, 0, f.opts, &f.tables)
		total.wait = &waiting{bounds: boundsGroup{groupKey: groupKey{phase: g.Phase}}}
		f.totals[total.Phase] = total
	}
	g.inTotal = total
}

func (f *finder) count(g *group, o *op.Op, r *record) {
	if !r.broken {
		added := g.wait.bounds.add(r.thread, bound{firstEnd: r.end, lastStart: r.start, ops: 1})
		if g.Kind != "" {
			f.tables.use.Threads += added
		}
	}
	if f.lost {
		return
	}
	g.add(o, r)
	if n := len(g.wait.held); n >= f.held && n >= min(f.most, f.perThread*len(g.wait.bounds.threads)) {
		f.release(g)
	}
}

// release places the operations that certainly end in the window.
func (f *finder) release(g *group) {
	w := window(g.wait.bounds.threads, 0, f.opts.allTime(g.Phase))
	if g.Kind == "" && !g.wait.begun && !f.severalKinds(g.Phase) {
		f.dropTotal(g.Phase)
		return
	}
	from := w.after(f.opts.Skip).Start.UnixNano()
	switch {
	case w.Loose || g.wait.begun && from != g.from:
		f.lost = true
	case !g.wait.begun:
		g.from, g.to = from, math.MaxInt64
		g.wait.begin(f.opts.Segment, from)
	}
	held, end, n := g.wait.held, w.End.UnixNano(), 0
	for ; n < len(held) && held[n].end < end && !f.lost; n++ {
		g.place(&held[n])
		f.lost = len(g.wait.ladder) == 0
	}
	if n < len(held)/4 {
		f.lost = true // operations wait too long: the window may have ended
	}
	g.wait.held = held[:copy(held, held[n:])]
}

// severalKinds reports whether a phase has a total, as far as known.
func (f *finder) severalKinds(phase string) bool {
	return slices.ContainsFunc(f.windows().Totals, func(g GroupWindow) bool { return g.Phase == phase })
}

func (f *finder) dropTotal(phase string) {
	f.totals[phase] = nil
	for _, g := range f.groups {
		if g.Phase == phase {
			g.inTotal = nil
		}
	}
}

// windows returns the windows so far.
func (f *finder) windows() *Windows {
	b := Bounds{opts: f.opts}
	for _, g := range f.groups {
		if len(g.wait.bounds.threads) > 0 {
			b.groups = append(b.groups, &g.wait.bounds)
		}
	}
	return b.Windows()
}

// finish returns the windows, and the Snapshot unless the finder is lost.
func (f *finder) finish() (*Windows, *Snapshot) {
	w := f.windows()
	f.segment = w.segmentLength(f.opts.Segment)
	for _, g := range w.Groups {
		f.windowOf[groupKey{g.Phase, g.Kind}] = g.Window
	}
	if f.lost || !f.finishTotals(w) {
		return w, nil
	}
	for _, g := range f.groups {
		if !g.settle(f.windowOf[groupKey{g.Phase, g.Kind}], f.segment) {
			return w, nil
		}
	}
	return w, f.take()
}

// finishTotals is finish for the totals; false if one is missing, or was counted wrongly.
func (f *finder) finishTotals(w *Windows) bool {
	wanted := make(map[string]*group)
	for _, t := range w.Totals {
		g := f.totals[t.Phase]
		if len(t.Streams) > 0 || g == nil || !g.settle(t.Window, f.segment) {
			return false
		}
		wanted[t.Phase] = g
	}
	f.totals = wanted
	return true
}

// settle ends the waiting, given the window and the length of segments. It returns false if operations were placed
// under other assumptions.
func (g *group) settle(w Window, length time.Duration) bool {
	wait, from := g.wait, g.from
	g.wait = nil
	g.setWindow(w, length)
	if wait.begun {
		i := slices.IndexFunc(wait.ladder, func(r rung) bool { return r.length == int64(length) })
		if i < 0 || w.Loose || g.from != from || g.to == g.from {
			return false
		}
		if i > 0 {
			wait.ladder[i].takeTimes(&wait.ladder[0])
		}
		copy(g.Segments, wait.ladder[i].segments)
		for host, segments := range wait.ladder[i].hosts {
			if segments != nil {
				g.hosts[host].Series = make([]Segment, g.timeline.n)
				copy(g.hosts[host].Series, segments)
			}
		}
	}
	for i := range wait.held {
		g.place(&wait.held[i])
	}
	return true
}

// begin makes the ladder of possible segment lengths, as Windows.segmentLength chooses them.
func (w *waiting) begin(asked time.Duration, from int64) {
	lengths, most := autoSegments[:autoRungs], maxAutoSegments
	if asked > 0 {
		lengths, most = []time.Duration{asked}, maxSegments
	}
	w.begun, w.most = true, most
	for _, l := range lengths {
		w.ladder = append(w.ladder, rung{timeline: timeline{from: from, length: int64(l)}})
	}
}

// climb counts an operation in the segments of all lengths, also those of its host if requested, and drops lengths that
// give too many segments. Times are counted for the shortest length only: those of longer ones follow from them.
func (w *waiting) climb(r *record, of *group) {
	if of.hostSegments && r.host >= ladderHosts {
		w.ladder = nil
	}
	for i := 0; i < len(w.ladder); i++ {
		g := &w.ladder[i]
		last := max(0, r.end-g.from) / g.length
		if last > int64(w.most) {
			if len(w.ladder) > 1 {
				w.ladder[1].takeTimes(g)
			}
			w.ladder = slices.Delete(w.ladder, 0, 1) // the shortest comes first
			i--
			continue
		}
		g.segments = grown(g.segments, int(last))
		g.n = len(g.segments)
		g.spread(g.segments, r, of.segmentTimes && i == 0, of.tables)
		if of.hostSegments {
			g.hosts = grown(g.hosts, r.host)
			g.hosts[r.host] = grown(g.hosts[r.host], g.n-1)
			g.spread(g.hosts[r.host], r, of.seriesTimes && i == 0, of.tables)
		}
	}
}

// takeTimes adds the times of a rung whose length divides that of g, as each of autoSegments does: an operation that
// ended in a shorter segment ended in the longer one around it.
func (g *rung) takeTimes(o *rung) {
	ratio := int(g.length / o.length)
	take := func(long, short []Segment) []Segment {
		for i := range short {
			if s := &short[i]; s.Latency != nil {
				long = grown(long, i/ratio)
				l := &long[i/ratio]
				l.Latency, l.TTFB = hist.Join(l.Latency, s.Latency), hist.Join(l.TTFB, s.TTFB)
			}
		}
		return long
	}
	g.segments = take(g.segments, o.segments)
	g.hosts = grown(g.hosts, len(o.hosts)-1)
	for i := range o.hosts {
		g.hosts[i] = take(g.hosts[i], o.hosts[i])
	}
}

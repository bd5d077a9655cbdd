package aggregate

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"warp/pkg/hist"
	"warp/pkg/op"
)

// Detail is what a view over time shows of a run in progress, beside Recent.
type Detail struct {
	Seconds []Second       // of each kind, in the second that was asked for
	Hosts   []HostFigures  // in order of appearance
	Errors  []ErrorFigures // the most frequent first
	Late    int64          // operations that began more than 1 ms after they were due
}

// Second is what ended in one second, of one kind.
type Second struct {
	Phase               string
	Kind                op.Kind
	Ops, Bytes, Objects int64           // of operations that succeeded
	Failed              int64           // operations so far
	Latency             *hist.Histogram // nil if nothing succeeded
}

// HostFigures are those of operations on one host.
type HostFigures struct {
	Host string
	Figures
}

// ClientFigures are those of one client of a distributed run.
type ClientFigures struct {
	Client string
	State  string // what is wrong with it; empty: nothing
	Figures
}

// ErrorFigures is how often operations failed in one way, and how the last of them did.
type ErrorFigures struct {
	Class string
	Count int64
	Last  ErrorSample
}

// Limits of what is kept for Detail.
const (
	mostLiveHosts = 256                    // further ones are not kept apart
	sampleEvery   = 100 * time.Millisecond // a later failure replaces the last sample of its class
)

// details is what is counted for Detail.
type details struct {
	hosts  []*hostRecent // by host number
	errors map[string]*ErrorFigures
	late   int64
}

// hostRecent is the last few seconds of a host.
type hostRecent struct {
	ops, errors int64
	first       int64
	recent      recent
}

// Watch has the figures of Detail counted from now on.
func (l *Live) Watch() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.details == nil {
		l.details = &details{errors: make(map[string]*ErrorFigures)}
	}
}

// add counts an operation of a benchmark.
func (d *details) add(o *op.Op, r *record) {
	if r.failed {
		d.fail(o)
	}
	if r.broken {
		return
	}
	if r.open && r.latency-(r.end-r.start) > int64(LateBy) {
		d.late++
	}
	if r.host >= mostLiveHosts {
		return
	}
	d.hosts = grown(d.hosts, r.host)
	h := d.hosts[r.host]
	if h == nil {
		h = &hostRecent{first: r.start}
		d.hosts[r.host] = h
	}
	h.ops++
	if r.failed {
		h.errors++
		return
	}
	h.recent.add(r)
}

// fail counts a failure, and keeps it as a sample.
func (d *details) fail(o *op.Op) {
	class := op.Class(o.Err)
	e := d.errors[class]
	if e == nil {
		if len(d.errors) >= maxErrorClasses {
			return
		}
		class = strings.Clone(class)
		e = &ErrorFigures{Class: class}
		d.errors[class] = e
	}
	e.Count++
	if o.End.Sub(e.Last.Time) >= sampleEvery {
		e.Last = ErrorSample{Time: o.End, Host: strings.Clone(o.Endpoint), Key: strings.Clone(o.Key), Err: errorText(o.Err)}
	}
}

// Detail returns figures of the phase that began last, and of those that overlap it, for a view that shows the second that
// begins at a time. Operations reach the statistics up to a second late, and three seconds are kept: the second before the last
// one is complete. Hosts, errors and late operations are those since Watch; without it there are none.
func (l *Live) Detail(second, now time.Time) Detail {
	l.mu.Lock()
	defer l.mu.Unlock()
	var d Detail
	if total := l.newest(false); total != nil {
		for _, g := range l.groups {
			if g.phase == total.phase || g.total.overlaps(total) {
				d.Seconds = append(d.Seconds, g.second(second.Unix()))
			}
		}
	}
	if l.details == nil {
		return d
	}
	d.Late = l.details.late
	for i, h := range l.details.hosts {
		if h == nil {
			continue
		}
		f := HostFigures{Host: l.tables.hosts.list[i], Figures: Figures{Ops: h.ops, Errors: h.errors}}
		h.recent.figures(&f.Figures, h.first, now.UnixNano())
		d.Hosts = append(d.Hosts, f)
	}
	for e := range maps.Values(l.details.errors) {
		d.Errors = append(d.Errors, *e)
	}
	slices.SortFunc(d.Errors, func(a, b ErrorFigures) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Class, b.Class))
	})
	return d
}

// second returns what ended in a second of Unix time.
func (g *liveGroup) second(number int64) Second {
	s := Second{Phase: g.phase, Kind: g.kind, Failed: g.errors}
	const ticks = int64(time.Second / tick)
	for i := range g.recent.ticks {
		if t := &g.recent.ticks[i]; t.number/ticks == number {
			s.Ops, s.Bytes, s.Objects = s.Ops+t.ops, s.Bytes+t.bytes, s.Objects+t.objects
		}
	}
	if h := &g.recent.latencies[number%keptLatencies]; h.number == number && h.values != nil {
		s.Latency = h.values.Clone()
		s.Latency.Coarsen(hist.Live)
	}
	return s
}

package live

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/aggregate/internal/decode"
	"warp/pkg/hist"
	"warp/pkg/op"
)

// Detail is what a view over time shows of a run in progress, in addition to Recent.
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

// HostFigures are the figures of one host.
type HostFigures struct {
	Host string
	Figures
	Mean time.Duration // recent response times; only of a distributed run, whose clients send no histograms of hosts
}

// ClientFigures are the figures of one client of a distributed run.
type ClientFigures struct {
	Client string
	State  string // what is wrong with it; empty: nothing
	Figures
}

// ErrorFigures is how often operations failed in one way, and how one of them did: the last one, of a distributed run the first one.
type ErrorFigures struct {
	Class  string
	Count  int64
	Sample aggregate.ErrorSample
}

// sortedErrors returns errors by class, the most frequent first.
func sortedErrors(all map[string]*ErrorFigures) (list []ErrorFigures) {
	for e := range maps.Values(all) {
		list = append(list, *e)
	}
	slices.SortFunc(list, func(a, b ErrorFigures) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Class, b.Class))
	})
	return list
}

// Limits of what is kept for Detail.
const (
	maxLiveHosts = 256                    // further ones are not kept apart
	sampleEvery  = 100 * time.Millisecond // a later failure replaces the last sample of its class
)

// details is what is counted for Detail.
type details struct {
	hosts  []*hostRecent // by host number
	errors map[string]*ErrorFigures
}

// hostRecent is the last few seconds of a host.
type hostRecent struct {
	ops, errors int64
	first       int64
	recent      recent
}

// add counts an operation of a benchmark.
func (d *details) add(o *op.Op, r *decode.Record) {
	if r.Failed {
		d.fail(o)
	}
	if r.Broken {
		return
	}
	if r.Host >= maxLiveHosts {
		return
	}
	d.hosts = decode.GrowTo(d.hosts, r.Host)
	h := d.hosts[r.Host]
	if h == nil {
		h = &hostRecent{first: r.Start}
		d.hosts[r.Host] = h
	}
	h.ops++
	if r.Failed {
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
		if len(d.errors) >= decode.MaxErrorClasses {
			return
		}
		class = strings.Clone(class)
		e = &ErrorFigures{Class: class}
		d.errors[class] = e
	}
	e.Count++
	if o.End.Sub(e.Sample.Time) >= sampleEvery {
		e.Sample = aggregate.NewErrorSample(o)
	}
}

// Watch has the figures of Detail counted from now on.
func (l *State) Watch() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.details == nil {
		l.details = &details{errors: make(map[string]*ErrorFigures)}
	}
}

// Detail returns figures of the phase that began last, and of those that overlap it, for a view that shows the second that
// begins at a time. Operations reach the statistics up to a second late, and three seconds are kept: the second before the last
// one is complete. Hosts and errors are those since Watch; without it there are none.
func (l *State) Detail(second, now time.Time) Detail {
	l.mu.Lock()
	defer l.mu.Unlock()
	var d Detail
	if total := l.newest(false); total != nil {
		for _, g := range l.groups {
			if g.Phase == total.Phase || g.total.overlaps(total) {
				d.Seconds = append(d.Seconds, g.second(second.Unix()))
				d.Late += g.late
			}
		}
	}
	if l.details == nil {
		return d
	}
	for i, h := range l.details.hosts {
		if h == nil {
			continue
		}
		f := HostFigures{Host: l.tables.Hosts.List[i], Figures: Figures{Ops: h.ops, Errors: h.errors}}
		h.recent.figures(&f.Figures, h.first, now.UnixNano())
		d.Hosts = append(d.Hosts, f)
	}
	d.Errors = sortedErrors(l.details.errors)
	return d
}

// second returns what ended in a second of Unix time.
func (g *group) second(number int64) Second {
	s := Second{Phase: g.Phase, Kind: g.Kind, Failed: g.errors}
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

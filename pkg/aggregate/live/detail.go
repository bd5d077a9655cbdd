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

// CountedErrors returns the errors of benchmarks in counts, the most frequent first.
func CountedErrors(list []Count) (errors []ErrorFigures) {
	all := make(map[string]*ErrorFigures)
	for i := range list {
		c := &list[i]
		if c.Phase == op.PhasePrepare {
			continue
		}
		for class, n := range c.ErrorsByClass {
			if all[class] == nil {
				all[class] = &ErrorFigures{Class: class}
			}
			all[class].Count += n
		}
		for _, sample := range c.FirstErrors {
			if e := all[op.Class(sample.Err)]; e != nil && (e.Sample.Time.IsZero() || sample.Time.Before(e.Sample.Time)) {
				e.Sample = sample
			}
		}
	}
	return sortedErrors(all)
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

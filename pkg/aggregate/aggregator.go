package aggregate

import (
	"maps"
	"slices"
	"sync"
	"time"

	"warp/pkg/aggregate/internal/decode"
	"warp/pkg/op"
)

// Aggregator is the second of two passes over the operations of a run: given the windows found by Bounds, it computes
// everything in a Snapshot. It is an op.Sink. Operations may come in any order; none is kept. Memory grows with
// threads, hosts, clients, kinds, segments and, up to maxAccessKeys, with distinct objects read: a kind takes 1 to 3
// MB, a host or a client some 100 KiB in each (or 15 if there are many: see fineParts).
type Aggregator struct {
	mu     sync.Mutex
	opts   Options
	filter decode.Filter
	tables decode.Tables
	memory memory

	segment    time.Duration
	windowOf   map[decode.Key]Window
	groups     []*group
	index      map[decode.Key]*group
	last       *group
	totals     map[string]*group // by phase
	concurrent []*group          // of phases in parallel
	objects    objectQueue
	edges      []*Edge // of windows that are short, until their operations were met
}

// New returns an Aggregator. Windows must come from Bounds with the same filters. A group without a window is counted,
// but has no throughput and no latency.
func New(opts Options, w *Windows) *Aggregator {
	a := &Aggregator{
		opts:     opts,
		filter:   decode.NewFilter(opts.Op, opts.Host),
		memory:   newMemory(opts.maxMemory),
		windowOf: make(map[decode.Key]Window),
		index:    make(map[decode.Key]*group),
		totals:   make(map[string]*group),
	}
	a.segment = w.segmentLength(opts.Segment)
	for _, g := range w.Groups {
		a.windowOf[decode.Key{Phase: g.Phase, Kind: g.Kind}] = a.explained(g.Window)
	}
	for _, g := range w.Totals {
		g.Window = a.explained(g.Window)
		total := newGroup(g, a.segment, opts, &a.tables, &a.memory)
		if total.Combined() {
			a.concurrent = append(a.concurrent, total)
		} else {
			a.totals[g.Phase] = total
		}
	}
	return a
}

// explained returns a window with edges of its own. If it is short, add completes them.
func (a *Aggregator) explained(w Window) Window {
	w.Begun, w.Ended = w.Begun.clone(), w.Ended.clone()
	if _, short := w.Short(); short {
		for _, e := range []*Edge{w.Begun, w.Ended} {
			if e != nil {
				a.edges = append(a.edges, e)
			}
		}
	}
	return w
}

// Write counts operations. Another goroutine may call Snapshot meanwhile.
func (a *Aggregator) Write(ops []op.Op) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range ops {
		if err := a.add(&ops[i]); err != nil {
			return err
		}
	}
	return nil
}

// Close does nothing; Snapshot may be called at any time.
func (a *Aggregator) Close() error { return nil }

func (a *Aggregator) add(o *op.Op) error {
	if len(a.edges) > 0 {
		a.edges = slices.DeleteFunc(a.edges, func(e *Edge) bool { return e.is(o) })
	}
	if !a.filter.Keep(o) {
		return nil
	}
	r := a.tables.Decode(o)
	g := a.group(decode.Key{Phase: o.Phase, Kind: o.Kind})
	if err := a.memory.check(&a.tables); err != nil {
		return err
	}
	a.memory.Objects += a.objects.add(&g.objects, o, &r)
	g.add(o, &r)
	for _, total := range g.totals {
		total.add(o, &r)
	}
	return nil
}

func (a *Aggregator) group(k decode.Key) *group {
	if a.last != nil && a.last.Kind == k.Kind && a.last.Phase == k.Phase {
		return a.last
	}
	g := a.find(k)
	if g == nil {
		k = k.Clone()
		g = newGroup(GroupWindow{Phase: k.Phase, Kind: k.Kind, Window: a.windowOf[k]}, a.segment, a.opts, &a.tables, &a.memory)
		if !k.Kind.IsComposite() {
			g.partOf(a.totals[k.Phase])
			g.partOf(a.concurrentTotal(k.Phase))
		}
		a.memory.addGroup(k.Phase)
		a.index[k] = g
		a.groups = append(a.groups, g)
	}
	a.last = g
	return g
}

// find returns the group of a key, or nil.
func (a *Aggregator) find(k decode.Key) *group {
	if len(a.groups) > decode.MaxLinear {
		return a.index[k]
	}
	for _, g := range a.groups {
		if g.Kind == k.Kind && g.Phase == k.Phase {
			return g
		}
	}
	return nil
}

// Snapshot returns everything known so far; it shares nothing with the Aggregator.
func (a *Aggregator) Snapshot() *Snapshot {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.snapshot(func(g *group) *Group { return g.snapshot(&a.tables) })
}

// take is the last Snapshot. It releases each group as soon as it is copied, which saves much of the memory of an
// analysis.
func (a *Aggregator) take() *Snapshot {
	return a.snapshot(func(g *group) *Group {
		s := g.snapshot(&a.tables)
		*g = group{}
		return s
	})
}

func (a *Aggregator) snapshot(view func(*group) *Group) *Snapshot {
	a.memory.Objects += a.objects.flush()
	s := &Snapshot{Version: Version, Segment: a.segment, Order: a.opts.Order}
	for _, g := range a.groups {
		s.Groups = append(s.Groups, view(g))
	}
	for _, g := range slices.AppendSeq(slices.Clone(a.concurrent), maps.Values(a.totals)) {
		if g.Requests > 0 {
			s.Totals = append(s.Totals, view(g))
		}
	}
	s.Finish()
	return s
}

// concurrentTotal returns the total of the phases with which a phase ran in parallel; nil if it ran alone.
func (a *Aggregator) concurrentTotal(phase string) *group {
	for _, g := range a.concurrent {
		if slices.Contains(g.Streams, phase) {
			return g
		}
	}
	return nil
}

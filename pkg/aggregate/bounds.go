package aggregate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"warp/pkg/aggregate/internal/decode"
	"warp/pkg/op"
	"warp/pkg/recording"
)

// Bounds is the first of two passes over the operations of a run: it finds the active window of every group, which the
// Aggregator needs. It is an op.Sink. It keeps the first and the last start and end for each thread and kind, and nothing
// of single operations. Failed operations count like any other; those with invalid times are ignored.
//
// Bounds of several clients are combined by Merge; they are sent as JSON.
type Bounds struct {
	opts   Options
	filter decode.Filter
	tables decode.Tables // without hosts
	memory memory
	groups []*boundsGroup
	index  map[decode.Key]*boundsGroup
	last   *boundsGroup
}

type boundsGroup struct {
	decode.Key
	threads []bound // by thread number
}

// NewBounds returns a Bounds. Of the options it uses Op, Skip, Rule, AllTime and Pauses. A thread goes on with operations of any kind, on
// any host.
func NewBounds(opts Options) *Bounds {
	return &Bounds{opts: opts, memory: newMemory(opts.maxMemory)}
}

// Write accepts operations in any order.
func (b *Bounds) Write(ops []op.Op) error {
	for i := range ops {
		if err := b.add(&ops[i]); err != nil {
			return err
		}
	}
	return nil
}

// Close does nothing; Windows may be called at any time.
func (b *Bounds) Close() error { return nil }

// End returns the end comment of a recording of these operations; see Trailer.
func (b *Bounds) End(*recording.Merged) any { return Trailer{b.Windows()} }

// boundsColumns are the columns of a recording that Bounds needs.
var boundsColumns = []string{"thread", "op", "client_id", "start", "end", "phase"}

func (b *Bounds) add(o *op.Op) error {
	if !b.filter.Keep(o) {
		return nil
	}
	start, end := o.Start.UnixNano(), o.End.UnixNano()
	if !decode.ValidTimes(start, end) {
		return nil
	}
	thread, _ := b.tables.Threads.Number(o.Client, o.Thread)
	g := b.group(decode.Key{Phase: o.Phase, Kind: o.Kind})
	if err := b.memory.check(&b.tables); err != nil {
		return err
	}
	b.memory.Threads += g.add(thread, bound{firstStart: start, lastStart: start, firstEnd: end, lastEnd: end, ops: 1})
	return nil
}

func (b *Bounds) group(k decode.Key) *boundsGroup {
	if b.last != nil && b.last.Key == k {
		return b.last
	}
	if len(b.groups) <= decode.MaxLinear {
		for _, g := range b.groups {
			if g.Key == k {
				b.last = g
				return g
			}
		}
	}
	g := b.index[k]
	if g == nil {
		if b.index == nil {
			b.index = make(map[decode.Key]*boundsGroup)
		}
		k = k.Clone()
		g = &boundsGroup{Key: k}
		b.memory.addGroup(k.Phase)
		b.index[k] = g
		b.groups = append(b.groups, g)
	}
	b.last = g
	return g
}

// add returns the number of threads for which memory was added.
func (g *boundsGroup) add(thread int, n bound) (added int64) {
	added = int64(max(0, thread+1-len(g.threads)))
	g.threads = decode.GrowTo(g.threads, thread)
	t := &g.threads[thread]
	if t.ops == 0 {
		*t = n
		return added
	}
	t.firstStart, t.lastStart = min(t.firstStart, n.firstStart), max(t.lastStart, n.lastStart)
	t.firstEnd, t.lastEnd = min(t.firstEnd, n.firstEnd), max(t.lastEnd, n.lastEnd)
	t.ops += n.ops
	return added
}

// Merge adds the bounds of another client. Threads of the same number are the same thread only if the client is the
// same.
func (b *Bounds) Merge(o *Bounds) error {
	if !strings.EqualFold(string(b.opts.Op), string(o.opts.Op)) {
		return fmt.Errorf("merge bounds: different filters: operations %q and %q", b.opts.Op, o.opts.Op)
	}
	for _, og := range o.groups {
		g := b.group(og.Key)
		for i, t := range og.threads {
			if t.ops > 0 {
				n, _ := b.tables.Threads.Number(o.tables.Threads.At(i))
				g.add(n, t)
			}
		}
	}
	return nil
}

// Groups returns the number of phases and kinds.
func (b *Bounds) Groups() int { return len(b.groups) }

// Clients returns the clients of the operations.
func (b *Bounds) Clients() []string { return b.tables.Threads.Clients.List }

// Windows returns the active window of every group, in order of phase and kind; see span.window for the rule. A phase has a
// total if it has several kinds that ran at the same time: uploads that only precede the reads do not add up with them. Kinds
// that consist of others are no part of it. Phases in parallel have one too, behind those.
func (b *Bounds) Windows() *Windows {
	groups := slices.Clone(b.groups)
	slices.SortFunc(groups, func(x, y *boundsGroup) int {
		return cmp.Or(cmp.Compare(x.Phase, y.Phase), cmp.Compare(x.Kind, y.Kind))
	})
	w := &Windows{Rule: b.opts.rule()}
	var phases []GroupWindow
	for len(groups) > 0 {
		n := 1
		for n < len(groups) && groups[n].Phase == groups[0].Phase {
			n++
		}
		phases = append(phases, b.phase(w, groups[:n]))
		groups = groups[n:]
	}
	w.Totals = append(w.Totals, concurrentTotals(phases, b.opts.Order)...)
	return w.filtered(b.opts.Op, b.opts.Skip)
}

// phase adds the windows of the groups of a phase, and returns that of all of them.
func (b *Bounds) phase(w *Windows, groups []*boundsGroup) GroupWindow {
	phase := groups[0].Phase
	together := concurrent(groups)
	for i, g := range groups {
		w.Groups = append(w.Groups, GroupWindow{Phase: phase, Kind: g.Kind, Window: b.window(phase, g.threads, together[i])})
	}
	parts := slices.DeleteFunc(slices.Clone(groups), func(g *boundsGroup) bool { return g.Kind.IsComposite() })
	all := threadsOf(parts)
	total := b.window(phase, all, all)
	if sets := concurrent(parts); len(parts) > 1 && !slices.ContainsFunc(sets, func(s []bound) bool { return &s[0] != &sets[0][0] }) {
		w.Totals = append(w.Totals, GroupWindow{Phase: phase, Window: total})
	}
	return GroupWindow{Phase: phase, Window: total}
}

// window returns the window of threads that did own, and all with other kinds at the same time.
func (b *Bounds) window(phase string, own, all []bound) Window {
	pause := b.opts.Pauses[phase]
	s, together := spanOf(own, all, pause), spanOf(all, all, pause)
	w, begun, ended := s.window(&together, b.opts.rule(), b.opts.allTime(phase))
	if begun >= 0 {
		w.Begun = b.edge(begun, own[begun].firstEnd)
	}
	if ended >= 0 {
		w.Ended = b.edge(ended, all[ended].lastEnd)
		if w.Classic {
			w.Ended = b.edge(ended, own[ended].lastEnd)
		}
	}
	return w
}

// edge returns the operation of a thread that ended at a time.
func (b *Bounds) edge(thread int, end int64) *Edge {
	client, number := b.tables.Threads.At(thread)
	return &Edge{Client: client, Thread: number, End: stamp(end)}
}

// threadsOf returns what threads did in several groups.
func threadsOf(groups []*boundsGroup) []bound {
	var all boundsGroup
	for _, g := range groups {
		for i, t := range g.threads {
			if t.ops > 0 {
				all.add(i, t)
			}
		}
	}
	return all.threads
}

// concurrent returns, for each group, what threads did in this group and in those with no gap in time between them; groups that ran
// together share one slice.
func concurrent(groups []*boundsGroup) [][]bound {
	order, until := make([]int, len(groups)), make([]int64, len(groups))
	from := make([]int64, len(groups))
	for i, g := range groups {
		order[i], from[i] = i, math.MaxInt64
		for _, t := range g.threads {
			if t.ops > 0 {
				from[i], until[i] = min(from[i], t.firstEnd, t.lastStart), max(until[i], t.firstEnd, t.lastStart)
			}
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(from[a], from[b]) })
	sets := make([][]bound, len(groups))
	for len(order) > 0 {
		n, end := 1, until[order[0]]
		for ; n < len(order) && from[order[n]] <= end; n++ {
			end = max(end, until[order[n]])
		}
		var set []*boundsGroup
		for _, i := range order[:n] {
			set = append(set, groups[i])
		}
		all := threadsOf(set)
		for _, i := range order[:n] {
			sets[i] = all
		}
		order = order[n:]
	}
	return sets
}

// Trailer is what a run leaves in the end comment of its recording (recording.Writer.SetEnd) for analysis: its windows
// without Skip. They save a pass over the file, and are verified.
type Trailer struct {
	Windows *Windows `json:"windows,omitempty"`
}

package aggregate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"warp/pkg/op"
	"warp/pkg/recording"
)

// Bounds is the first of two passes over the operations of a run: it finds the active window of every group, which the
// Aggregator needs. It is an op.Sink. It keeps one first end and one last start for each thread and kind, and nothing
// of single operations. Failed operations count like any other; those with invalid times are ignored.
//
// Bounds of several clients are combined by Merge; they are sent as JSON.
type Bounds struct {
	opts   Options
	filter filter
	tables tables // without hosts
	groups []*boundsGroup
	index  map[groupKey]*boundsGroup
	last   *boundsGroup
}

type groupKey struct {
	phase string
	kind  op.Kind
}

type boundsGroup struct {
	groupKey
	threads []bound // by thread number
}

// bound is what one thread did in one group.
type bound struct {
	firstEnd  int64 // earliest end of an operation
	lastStart int64 // latest start of an operation
	ops       int64 // 0: the thread does not occur
}

// NewBounds returns a Bounds. Of the options it uses Op, Host and Skip.
func NewBounds(opts Options) *Bounds {
	return &Bounds{opts: opts, filter: newFilter(opts), tables: newTables(opts)}
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

// columns returns the columns of a recording that Bounds needs.
func (b *Bounds) columns() []string {
	c := []string{"thread", "op", "client_id", "start", "end", "phase"}
	if b.opts.Host != "" {
		c = append(c, "endpoint")
	}
	return c
}

func (b *Bounds) add(o *op.Op) error {
	if !b.filter.keep(o) {
		return nil
	}
	start, end := o.Start.UnixNano(), o.End.UnixNano()
	if !validTimes(start, end) {
		return nil
	}
	thread, _ := b.tables.threads.number(o.Client, o.Thread)
	g := b.group(groupKey{o.Phase, o.Kind})
	if err := b.tables.check(); err != nil {
		return err
	}
	b.tables.use.Threads += g.add(thread, bound{firstEnd: end, lastStart: start, ops: 1})
	return nil
}

func (b *Bounds) group(k groupKey) *boundsGroup {
	if b.last != nil && b.last.groupKey == k {
		return b.last
	}
	if len(b.groups) <= fewNames {
		for _, g := range b.groups {
			if g.groupKey == k {
				b.last = g
				return g
			}
		}
	}
	g := b.index[k]
	if g == nil {
		if b.index == nil {
			b.index = make(map[groupKey]*boundsGroup)
		}
		k = k.clone()
		g = &boundsGroup{groupKey: k}
		b.tables.use.addGroup(k.phase)
		b.index[k] = g
		b.groups = append(b.groups, g)
	}
	b.last = g
	return g
}

// clone returns a key that keeps no foreign buffer alive.
func (k groupKey) clone() groupKey {
	return groupKey{strings.Clone(k.phase), op.Kind(strings.Clone(string(k.kind)))}
}

// add returns the number of threads for which memory was added.
func (g *boundsGroup) add(thread int, n bound) (added int64) {
	added = int64(max(0, thread+1-len(g.threads)))
	g.threads = grown(g.threads, thread)
	t := &g.threads[thread]
	if t.ops == 0 {
		*t = n
		return added
	}
	t.firstEnd = min(t.firstEnd, n.firstEnd)
	t.lastStart = max(t.lastStart, n.lastStart)
	t.ops += n.ops
	return added
}

// Merge adds the bounds of another client. Threads of the same number are the same thread only if the client is the
// same.
func (b *Bounds) Merge(o *Bounds) error {
	if !strings.EqualFold(string(b.opts.Op), string(o.opts.Op)) || b.opts.Host != o.opts.Host {
		return fmt.Errorf("merge bounds: different filters: operations %q on host %q, and %q on %q",
			b.opts.Op, b.opts.Host, o.opts.Op, o.opts.Host)
	}
	for _, og := range o.groups {
		g := b.group(og.groupKey)
		for i, t := range og.threads {
			if t.ops > 0 {
				k := o.tables.threads.list[i]
				n, _ := b.tables.threads.number(o.tables.threads.clients.list[k.client], k.thread)
				g.add(n, t)
			}
		}
	}
	return nil
}

// Groups returns the number of phases and kinds.
func (b *Bounds) Groups() int { return len(b.groups) }

// Clients returns the clients of the operations.
func (b *Bounds) Clients() []string { return b.tables.threads.clients.list }

// Windows returns the active window of every group, in order of phase and kind; see window for the rule. A phase has a
// total if it has several kinds that ran at the same time: uploads that only precede the reads do not add up with them. Kinds
// that consist of others are no part of it. Phases side by side have one too, behind those.
func (b *Bounds) Windows() *Windows {
	groups := slices.Clone(b.groups)
	slices.SortFunc(groups, func(x, y *boundsGroup) int {
		return cmp.Or(cmp.Compare(x.phase, y.phase), cmp.Compare(x.kind, y.kind))
	})
	w := &Windows{}
	var phases []GroupWindow
	for from := 0; from < len(groups); {
		all := boundsGroup{groupKey: groupKey{phase: groups[from].phase}}
		var parts []*boundsGroup // of the total
		to := from
		for ; to < len(groups) && groups[to].phase == all.phase; to++ {
			g := groups[to]
			w.Groups = append(w.Groups, GroupWindow{Phase: g.phase, Kind: g.kind, Window: window(g.threads, b.opts.Skip, b.opts.allTime(g.phase))})
			if g.kind.Whole() {
				continue
			}
			parts = append(parts, g)
			for i, t := range g.threads {
				if t.ops > 0 {
					all.add(i, t)
				}
			}
		}
		if len(parts) > 1 && concurrent(parts) {
			w.Totals = append(w.Totals, GroupWindow{Phase: all.phase, Window: window(all.threads, b.opts.Skip, b.opts.allTime(all.phase))})
		}
		phases = append(phases, GroupWindow{Phase: all.phase, Window: window(all.threads, 0, b.opts.allTime(all.phase))})
		from = to
	}
	if b.opts.Op == "" {
		w.Totals = append(w.Totals, besides(phases, b.opts.Skip, b.opts.Order)...)
	}
	return w
}

// concurrent reports whether the time that the groups span together has no gap.
func concurrent(groups []*boundsGroup) bool {
	type span struct{ from, to int64 }
	spans := make([]span, len(groups))
	for i, g := range groups {
		s := span{math.MaxInt64, math.MinInt64}
		for _, t := range g.threads {
			if t.ops > 0 {
				s.from, s.to = min(s.from, t.firstEnd, t.lastStart), max(s.to, t.firstEnd, t.lastStart)
			}
		}
		spans[i] = s
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	end := spans[0].to
	for _, s := range spans[1:] {
		if s.from > end {
			return false
		}
		end = max(end, s.to)
	}
	return true
}

// boundsJSON is the wire form of Bounds.
type boundsJSON struct {
	Op     op.Kind       `json:"filter_op,omitempty"`
	Host   string        `json:"filter_host,omitempty"`
	Groups []groupBounds `json:"groups"`
}

type groupBounds struct {
	Phase   string         `json:"phase,omitempty"`
	Kind    op.Kind        `json:"op"`
	Threads []threadBounds `json:"threads"`
}

type threadBounds struct {
	Client    string `json:"client"`
	Thread    uint32 `json:"thread"`
	FirstEnd  int64  `json:"first_end_ns"`  // Unix time
	LastStart int64  `json:"last_start_ns"` // Unix time
	Ops       int64  `json:"ops"`
}

// MarshalJSON writes everything that Merge needs.
func (b *Bounds) MarshalJSON() ([]byte, error) {
	w := boundsJSON{Op: b.opts.Op, Host: b.opts.Host}
	for _, g := range b.groups {
		j := groupBounds{Phase: g.phase, Kind: g.kind}
		for i, t := range g.threads {
			if t.ops > 0 {
				k := b.tables.threads.list[i]
				j.Threads = append(j.Threads, threadBounds{b.tables.threads.clients.list[k.client], k.thread, t.firstEnd, t.lastStart, t.ops})
			}
		}
		w.Groups = append(w.Groups, j)
	}
	return json.Marshal(w)
}

// UnmarshalJSON parses the output of MarshalJSON. Options.Skip is not transmitted: the caller of Windows chooses it.
func (b *Bounds) UnmarshalJSON(data []byte) error {
	var w boundsJSON
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	r := NewBounds(Options{Op: w.Op, Host: w.Host, Skip: b.opts.Skip, AllTime: b.opts.AllTime})
	for _, g := range w.Groups {
		for _, t := range g.Threads {
			if t.Ops <= 0 || t.FirstEnd <= 0 || t.LastStart <= 0 {
				return fmt.Errorf("bounds of thread %d of client %q: times and counts must be positive", t.Thread, t.Client)
			}
			n, _ := r.tables.threads.number(t.Client, t.Thread)
			r.group(groupKey{g.Phase, g.Kind}).add(n, bound{t.FirstEnd, t.LastStart, t.Ops})
		}
	}
	*b = *r
	return nil
}

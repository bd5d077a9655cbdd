package screen

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"warp/pkg/aggregate/live"
	"warp/pkg/hist"
)

// Limits of what is kept.
const (
	maxRecent  = 256 // seconds, one by one
	maxColumns = 512 // columns of all of the time; beyond, pairs are joined
	maxKinds   = 16  // kinds of operations, the total not counted
)

// history is what happened over time.
type history struct {
	phase  string // that is being measured
	recent []column
	whole  []column
	kinds  []string // those at work last, in order
	step   int      // seconds of a column of whole
	before map[string]int64
}

// column is what happened in a span of time.
type column struct {
	at      time.Time
	seconds int
	phase   string
	all     sums
	kinds   map[string]sums
	failed  int64
}

// sums is of one kind of operations, or of all.
type sums struct {
	ops, bytes int64
	latency    *hist.Histogram // is never changed; nil: nothing ended
}

func (s sums) add(o sums) sums {
	return sums{s.ops + o.ops, s.bytes + o.bytes, hist.Join(s.latency.Clone(), o.latency)}
}

// add adds a second.
func (h *history) add(m *Moment) {
	c := column{at: m.At, seconds: 1, phase: h.phase, kinds: make(map[string]sums)}
	if h.before == nil {
		h.before = make(map[string]int64)
	}
	several := slices.ContainsFunc(m.Detail.Seconds, func(s live.Second) bool { return s.Phase != m.Detail.Seconds[0].Phase })
	var names []string // in order
	isNew := false     // one of them
	for _, s := range m.Detail.Seconds {
		name := string(s.Kind)
		if several {
			name = s.Phase + " " + name
		}
		key := s.Phase + "\x00" + string(s.Kind)
		failed := s.Failed - h.before[key]
		h.before[key] = s.Failed
		one := sums{s.Ops, s.Bytes, s.Latency}
		if !s.Kind.IsComposite() {
			c.all = c.all.add(one)
			c.failed += max(0, failed)
		}
		names = append(names, name)
		if !slices.Contains(h.kinds, name) {
			if len(h.kinds) == maxKinds {
				continue
			}
			h.kinds = append(h.kinds, name)
			isNew = true
		}
		c.kinds[name] = c.kinds[name].add(one)
	}
	if isNew {
		slices.SortStableFunc(h.kinds, func(a, b string) int { return cmp.Compare(slices.Index(names, a), slices.Index(names, b)) })
	}
	if len(h.whole) == 0 && c.all.ops+c.failed == 0 {
		return // the run has not begun
	}
	h.recent = append(h.recent, c)
	if len(h.recent) > 2*maxRecent {
		h.recent = slices.Clone(h.recent[len(h.recent)-maxRecent:])
	}
	h.extend(c)
}

// extend adds a second to the columns of all of the time.
func (h *history) extend(c column) {
	h.step = max(h.step, 1)
	if n := len(h.whole); n > 0 && h.whole[n-1].seconds < h.step {
		h.whole[n-1] = h.whole[n-1].join(c)
		return
	}
	if len(h.whole) == maxColumns {
		h.whole, h.step = joined(h.whole, 2), 2*h.step
	}
	h.whole = append(h.whole, c)
}

// end is the end of the span.
func (c *column) end() time.Time { return c.at.Add(time.Duration(c.seconds) * time.Second) }

// join returns two columns as one.
func (c column) join(o column) column {
	c.seconds += o.seconds
	c.all = c.all.add(o.all)
	c.failed += o.failed
	kinds := maps.Clone(c.kinds)
	for name, s := range o.kinds {
		kinds[name] = kinds[name].add(s)
	}
	c.kinds = kinds
	return c
}

// joined joins a number of neighbouring columns to one.
func joined(list []column, each int) (out []column) {
	for i := 0; i < len(list); i += each {
		c := list[i]
		for _, o := range list[i+1 : min(i+each, len(list))] {
			c = c.join(o)
		}
		out = append(out, c)
	}
	return out
}

// columns returns at most a number of columns: the newest seconds, or all of the time.
func (h *history) columns(limit int, whole bool) []column {
	if limit <= 0 {
		return nil
	}
	if !whole {
		return h.recent[max(0, len(h.recent)-min(limit, maxRecent)):]
	}
	return joined(h.whole, (len(h.whole)+limit-1)/limit)
}

// fits reports whether the newest seconds are all of the time.
func (h *history) fits(limit int) bool { return h.step <= 1 && len(h.whole) <= min(limit, maxRecent) }

func (h *history) clone() history {
	c := *h
	c.recent, c.whole, c.kinds = slices.Clone(h.recent), slices.Clone(h.whole), slices.Clone(h.kinds)
	c.before = maps.Clone(h.before)
	return c
}

// Package aggregate computes statistics from a stream of operations in memory that does not grow with their number: the
// active window, segments, throughput, latency. A live run, a file and a remote client feed the same code, and its
// snapshots merge exactly: counts and histograms are added, percentiles never averaged.
package aggregate

import (
	"cmp"
	"slices"
	"time"
)

// Version is the version of Snapshot's JSON.
const Version = 2

// Snapshot is the statistics of a run. Warnings are derived from the figures, anew by each Merge; other warnings belong
// elsewhere.
type Snapshot struct {
	Version  int           `json:"version"`
	Segment  time.Duration `json:"segment_ns"`
	Order    Order         `json:"-"`
	Groups   []*Group      `json:"groups"` // in order of phases and kinds, see Order
	Totals   []*Group      `json:"totals"` // of phases with several concurrent kinds, and of phases that ran in parallel
	Warnings []string      `json:"warnings,omitempty"`
}

// Finish sorts the groups and derives the warnings. Snapshots made by this package are finished.
func (s *Snapshot) Finish() {
	s.arrange()
	s.Warnings = warnings(s)
}

// Benchmark returns the time that the figures describe, without preparation: from the start of the first window to the
// end of the last; zero without one.
func (s *Snapshot) Benchmark() (from, to time.Time) {
	for _, g := range s.Groups {
		from, to = extendedBy(from, to, g.Phase, g.Window)
	}
	return from, to
}

// arranged returns the groups of phases in order.
func (o Order) arranged(groups []*Group) (list []*Group) {
	slices.SortFunc(groups, func(a, b *Group) int { return cmp.Or(a.First.Compare(b.First), cmp.Compare(a.Phase, b.Phase)) })
	for _, g := range groups {
		list = Insert(o, list, g, (*Group).phaseAndKind)
	}
	return list
}

// arrange brings the groups and totals in order. The total of phases in parallel follows theirs.
func (s *Snapshot) arrange() {
	o := slices.Clone(s.Order)
	var totals, besides []*Group
	for _, t := range s.Totals {
		if !t.Combined() {
			totals = append(totals, t)
			continue
		}
		besides = append(besides, t)
		if _, known := o.compare(t.Streams[0], t.Streams[1]); !known {
			o = append(o, t.Streams)
		}
	}
	s.Groups, s.Totals = o.arranged(s.Groups), o.arranged(totals)
	for _, b := range o.arranged(besides) {
		at := len(s.Totals)
		for i, t := range s.Totals {
			if slices.Contains(b.Streams, t.Phase) {
				at = i + 1
			}
		}
		s.Totals = slices.Insert(s.Totals, at, b)
	}
}

// AddTotals adds the totals of phases that ran in parallel, given that of each phase. The snapshot must be finished again.
func (s *Snapshot) AddTotals(phases []*Group) {
	var windows []GroupWindow
	for _, g := range phases {
		windows = append(windows, GroupWindow{Phase: g.Phase, Window: g.Window})
	}
	for _, w := range concurrentTotals(windows, s.Order) {
		all := &Group{Phase: w.Phase, Streams: w.Streams}
		for _, g := range phases {
			if slices.Contains(w.Streams, g.Phase) {
				all.merge(g)
			}
		}
		all.Window = Window{Start: all.First, End: all.Last}
		s.Totals = append(s.Totals, all)
	}
}

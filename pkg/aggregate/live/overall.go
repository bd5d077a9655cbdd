package live

import (
	"slices"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/op"
)

// Overall is Snapshot for a report: windows begin at the first start, for exact averages, so there are no segments. They end with the
// first thread of the phase that has ended for good, so that operations which hang do not lengthen them, unless that is before half of
// the time; and with the last end in a phase of Options.AllTime. It has warnings.
func (l *State) Overall() *aggregate.Snapshot {
	s := l.Snapshot()
	var phases []*aggregate.Group
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, g := range without(l.totals, op.PhaseWarmup) {
		phases = append(phases, l.snapshot(g, max(int64(s.Segment), g.series.length)))
	}
	for _, g := range slices.Concat(s.Groups, s.Totals, phases) {
		g.Window.Start, g.Segments = g.First, nil
		l.limit(g)
	}
	s.AddTotals(phases)
	s.Finish()
	return s
}

// limit ends the window of a group with the first thread that has ended for good.
func (l *State) limit(g *aggregate.Group) {
	of := l.totalOf(g.Phase)
	end := g.Last.UnixNano()
	for _, last := range of.lastEnd {
		if last > 0 {
			end = min(end, last)
		}
	}
	if i := slices.IndexFunc(l.groups, func(o *group) bool { return o.Phase == g.Phase && o.Kind == g.Kind }); i >= 0 {
		of = l.groups[i]
	}
	start := g.First.UnixNano()
	whole := g.Last.Sub(g.First).Nanoseconds()
	if slices.Contains(l.opts.AllTime, g.Phase) || end-start < whole/2 || end == g.Last.UnixNano() || g.First.IsZero() {
		return
	}
	g.Window.End = time.Unix(0, end).UTC()
	g.Bytes, g.Objects, g.Ops = of.series.between(start, end)
}

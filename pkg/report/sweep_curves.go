package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/hist"
	"warp/pkg/op"
	"warp/pkg/search"
)

// sweepCurve is the points of a sweep for one kind of operation that differ only in the flag that is varied first.
type sweepCurve struct {
	search.Curve
	kind  op.Kind
	fixed []search.Value // of the other flags
	rows  []sweepRow     // in the order of Curve.Points
}

// sweepRow is the figures of a point, of all its repeats together.
type sweepRow struct {
	value    search.Value // of the first flag
	phases   []string
	requests int64
	errors   int64
	bytes    float64         // per second
	latency  *hist.Histogram // nil: nothing succeeded
	own      aggregate.OwnPart
	groups   []*aggregate.Group
	moves    bool // bytes
}

// minRepeats is the number of repeats from which the interval of a point follows from repeats instead of seconds.
const minRepeats = 3

// sweepCurves returns the curves of a sweep: by kind of operation, then by the values of the flags that are not varied first.
func sweepCurves(sw *search.Sweep, s *aggregate.Snapshot) (curves []*sweepCurve) {
	for _, g := range s.Groups {
		i := slices.IndexFunc(sw.Points, func(p search.SweepPoint) bool { return p.Phase == g.Phase })
		if i < 0 || isPreparation(g) || g.Kind.IsComposite() {
			continue
		}
		values := sw.Points[i].Values
		k := slices.IndexFunc(curves, func(c *sweepCurve) bool { return c.kind == g.Kind && slices.Equal(c.fixed, values[1:]) })
		if k < 0 {
			k = len(curves)
			curves = append(curves, &sweepCurve{kind: g.Kind, fixed: values[1:]})
		}
		curves[k].add(values[0], g)
	}
	slices.SortStableFunc(curves, func(a, b *sweepCurve) int {
		return cmp.Or(a.kind.Compare(b.kind), slices.CompareFunc(a.fixed, b.fixed, compareValues))
	})
	for _, c := range curves {
		c.describe(search.AxisOf(sw.Over[0]), s.Segment)
	}
	return curves
}

func compareValues(a, b search.Value) int { return cmp.Compare(a.Number, b.Number) }

// add adds the figures of a phase.
func (c *sweepCurve) add(v search.Value, g *aggregate.Group) {
	i := slices.IndexFunc(c.rows, func(r sweepRow) bool { return r.value == v })
	if i < 0 {
		i = len(c.rows)
		c.rows = append(c.rows, sweepRow{value: v})
	}
	r := &c.rows[i]
	r.phases, r.groups = append(r.phases, g.Phase), append(r.groups, g)
	r.requests, r.errors, r.moves = r.requests+g.Requests, r.errors+g.Errors, r.moves || g.MovesBytes()
	if g.Latency != nil {
		r.latency = hist.Join(r.latency, g.Latency)
		r.own.Merge(&g.Own)
	}
}

// describe makes the curve of the rows.
func (c *sweepCurve) describe(axis search.Axis, segment time.Duration) {
	slices.SortStableFunc(c.rows, func(a, b sweepRow) int { return compareValues(a.value, b.value) })
	var points []search.Point
	for i := range c.rows {
		points = append(points, c.rows[i].point(segment))
	}
	c.Curve = search.NewCurve(axis, points)
}

// point returns the row as a point, and sets its throughput in bytes.
func (r *sweepRow) point(segment time.Duration) search.Point {
	p := search.Point{Level: r.value.Number}
	seconds, ops, bytes := 0.0, 0.0, 0.0
	for _, g := range r.groups {
		length := g.Window.Duration().Seconds()
		seconds, ops, bytes = seconds+length, ops+g.Ops, bytes+g.Bytes
		if len(r.groups) >= minRepeats && length > 0 && g.Latency.Count() > 0 {
			p.Blocks = append(p.Blocks, search.Block{Throughput: g.Ops / length, Response: secondsOf(g.Latency)})
		}
	}
	if p.Repeats = len(r.groups) >= minRepeats; !p.Repeats {
		p.Blocks = secondsAsBlocks(r.groups, segment)
	}
	if seconds > 0 {
		p.Throughput, r.bytes = ops/seconds, bytes/seconds
	}
	if r.latency.Count() > 0 {
		p.Response = secondsOf(r.latency)
	}
	return p
}

// secondsAsBlocks returns the segments of phases that have successful operations.
func secondsAsBlocks(groups []*aggregate.Group, segment time.Duration) (list []search.Block) {
	for _, g := range groups {
		for i := range g.Segments {
			if s := &g.Segments[i]; s.Latency.Count() > 0 {
				list = append(list, search.Block{Throughput: float64(s.Latency.Count()) / segment.Seconds(), Response: secondsOf(s.Latency)})
			}
		}
	}
	return list
}

// secondsOf returns the average of a histogram of durations.
func secondsOf(h *hist.Histogram) float64 { return time.Duration(h.Mean()).Seconds() }

// name identifies the curve in its sweep: "GET, obj.size=1MiB".
func (c *sweepCurve) name(sw *search.Sweep) string {
	parts := []string{string(c.kind)}
	for i, v := range c.fixed {
		parts = append(parts, sw.Over[i+1]+"="+v.Text)
	}
	return strings.Join(parts, ", ")
}

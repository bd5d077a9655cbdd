package report

import (
	"strconv"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/hist"
	"warp/pkg/units"
)

// rate is throughput per second.
type rate struct {
	bytes, objects, ops float64
}

// partRate returns the rate of p over a window; 0 for an empty window, never infinite.
func partRate(p *aggregate.Part, w aggregate.Window) rate {
	bytes, objects, ops := p.PerSecond(w.Duration())
	return rate{units.Finite(bytes), units.Finite(objects), units.Finite(ops)}
}

// segmentRate returns the rate of a segment; its operations are those that ended in it.
func segmentRate(s *aggregate.Segment, length time.Duration) rate {
	p := aggregate.Part{Bytes: s.Bytes, Objects: s.Objects, Ops: float64(s.Ended)}
	return partRate(&p, aggregate.Window{End: time.Time{}.Add(length)})
}

// differPerOp reports whether operations per second differ from objects per second.
func differPerOp(g *aggregate.Group) bool {
	return g.Kind != "" && (g.MaxObjects > 1 || g.MinObjects != g.MaxObjects)
}

// ranking holds the indices of the fastest, median and slowest segment.
type ranking struct{ fastest, median, slowest int }

// rank orders the segments of g, or of one of its hosts, as aggregate does. ok is false without segments.
func rank(g *aggregate.Group, segments []aggregate.Segment) (r ranking, ok bool) {
	series := aggregate.Group{Kind: g.Kind, Requests: g.Requests, Errors: g.Errors, OpSizes: g.OpSizes, Segments: segments}
	r.fastest, r.median, r.slowest, _, ok = series.Rank()
	return r, ok
}

// segmentStart returns when segment i of g began.
func segmentStart(g *aggregate.Group, i int, length time.Duration) time.Time {
	return g.Window.Start.Add(time.Duration(i) * length)
}

// perOp returns the mean objects and bytes of an operation; ok is false if there were none in the window.
func perOp(g *aggregate.Group) (objects, bytes float64, ok bool) {
	if g.Ops <= 0 {
		return 0, 0, false
	}
	return units.Finite(g.Objects / g.Ops), units.Finite(g.Bytes / g.Ops), true
}

// reached returns the value that p percent of the values reach or exceed: for throughput, what p percent of requests
// got at least. enough is false if fewer than ten values are below it, mirroring Histogram.Percentile.
func reached(h *hist.Histogram, p float64) (v int64, enough bool) {
	v, _ = h.Percentile(100 - p)
	below := float64(h.Count()) * (1 - p/100)
	return v, h.Count() > 0 && (p <= 50 || below+1e-9 >= 10)
}

// averageItems formats a rate like "16.62 MiB/s, 4356.26 obj/s", as far as it applies to g.
func averageItems(g *aggregate.Group, v rate) []string {
	items := throughputItems(g, v)
	if differPerOp(g) || !g.CountsObjects() {
		items = append(items, perSec(v.ops, "op"))
	}
	return items
}

// throughputItems formats the bytes and objects of a rate, as far as they apply to g.
func throughputItems(g *aggregate.Group, v rate) (items []string) {
	if g.MovesBytes() {
		items = append(items, units.Throughput(v.bytes))
	}
	if g.CountsObjects() {
		items = append(items, perSec(v.objects, "obj"))
	}
	return items
}

// segmentItems formats a rate like "19.6MiB/s, 5141.23 obj/s".
func segmentItems(g *aggregate.Group, v rate) (items []string) {
	if g.MovesBytes() {
		items = append(items, units.MiBs(v.bytes, 1)+"MiB/s")
	}
	if !g.CountsObjects() {
		return append(items, perSec(v.ops, "op"))
	}
	return append(items, perSec(v.objects, "obj"))
}

// shortRate formats a rate with three significant digits, and all digits before the point.
func shortRate(v float64) string {
	switch {
	case v >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return units.PerSecond(v)
}

// succeeded reports whether a group has throughput.
func succeeded(g *aggregate.Group) bool { return g.Bytes > 0 || g.Objects > 0 || g.Ops > 0 }

// segmentText formats what segments are ranked by.
func segmentText(g *aggregate.Group, v rate) string {
	switch {
	case g.MovesBytes():
		return shortRate(v.bytes/units.MiB) + " MiB/s"
	case g.CountsObjects():
		return shortRate(v.objects) + " obj/s"
	}
	return shortRate(v.ops) + " op/s"
}

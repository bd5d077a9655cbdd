package report

import (
	"math"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/hist"
	"warp/pkg/op"
)

// rate is what goes through per second.
type rate struct {
	bytes, objects, ops float64
}

// partRate is the rate of p over a window. An empty window has none, which is 0: nothing here is ever infinite.
func partRate(p *aggregate.Part, w aggregate.Window) rate {
	bytes, objects, ops := p.PerSecond(w.Duration())
	return rate{finite(bytes), finite(objects), finite(ops)}
}

// segmentRate is the rate of a segment; its operations are those that ended in it.
func segmentRate(s *aggregate.Segment, length time.Duration) rate {
	p := aggregate.Part{Bytes: s.Bytes, Objects: s.Objects, Ops: float64(s.Ended)}
	return partRate(&p, aggregate.Window{End: time.Time{}.Add(length)})
}

// manyPerOp tells whether operations touch more than one object, so that operations per second say something of their own.
func manyPerOp(g *aggregate.Group) bool { return g.Kind != "" && g.MaxObjects > 1 }

// ranking is the fastest, median and slowest of a series of segments, as positions in it.
type ranking struct{ fastest, median, slowest int }

// rank orders segments, those of g or of one host in it, as aggregate does. ok is false without segments.
func rank(g *aggregate.Group, segments []aggregate.Segment) (r ranking, ok bool) {
	series := aggregate.Group{Kind: g.Kind, MaxSize: g.MaxSize, Segments: segments}
	r.fastest, r.median, r.slowest, _, ok = series.Rank()
	return r, ok
}

// segmentStart is when segment i of g began.
func segmentStart(g *aggregate.Group, i int, length time.Duration) time.Time {
	return g.Window.Start.Add(time.Duration(i) * length)
}

// perOp is the objects and bytes of one operation on average; ok is false if there was none in the window.
func perOp(g *aggregate.Group) (objects, bytes float64, ok bool) {
	if g.Ops <= 0 {
		return 0, 0, false
	}
	return finite(g.Objects / g.Ops), finite(g.Bytes / g.Ops), true
}

// reached is the value that p percent of h's values reached or exceeded: for a throughput, what p percent of requests
// got at least. sound is false if fewer than ten values are below it, as for Histogram.Percentile on the other side.
func reached(h *hist.Histogram, p float64) (v int64, sound bool) {
	v, _ = h.Percentile(100 - p)
	below := float64(h.Count()) * (1 - p/100)
	return v, h.Count() > 0 && (p <= 50 || below+1e-9 >= 10)
}

// totalOf is the total of a phase, nil if the phase has one kind of operation only.
func totalOf(s *aggregate.Snapshot, phase string) *aggregate.Group {
	for _, t := range s.Totals {
		if t.Phase == phase {
			return t
		}
	}
	return nil
}

// isPreparation tells whether g only prepared the data set.
func isPreparation(g *aggregate.Group) bool { return g.Phase == op.PhasePrepare }

// finite makes a figure that is none zero.
func finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

package compare

import (
	"math"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/hist"
)

// Unit is the unit of a metric.
type Unit string

// The units.
const (
	BytesPerSec   Unit = "bytes/s"
	ObjectsPerSec Unit = "objects/s"
	Nanoseconds   Unit = "ns"
)

// Metric is one figure of a group of operations.
type Metric struct {
	Name           string
	Unit           Unit
	HigherIsBetter bool
	source         source
	part           float64 // percentile, or one of the parts below
}

// source is the data that a figure is computed from.
type source int

const (
	average    source = iota // over the window
	oneSegment               // one of the segments
	latency
	firstByte
	ownPart // the client's
)

// Parts that are not percentiles.
const (
	mean     = -1
	smallest = -2
	largest  = -3
)

// extreme reports whether the metric is the largest or the smallest of its values. Resampling a run cannot estimate how
// far an extreme strays: no resample exceeds the largest value.
func (m Metric) extreme() bool { return m.part == smallest || m.part == largest }

// OwnPart reports whether the metric is the client's own part of latencies, which is not always known.
func (m Metric) OwnPart() bool { return m.source == ownPart }

// metrics lists all metrics in the order of reports. Rates are per second of the active window.
var metrics = []Metric{
	{"throughput", BytesPerSec, true, average, mean},
	{"objects", ObjectsPerSec, true, average, mean},
	{"fastest", BytesPerSec, true, oneSegment, largest},
	{"fastest.objects", ObjectsPerSec, true, oneSegment, largest},
	{"median", BytesPerSec, true, oneSegment, 50},
	{"median.objects", ObjectsPerSec, true, oneSegment, 50},
	{"slowest", BytesPerSec, true, oneSegment, smallest},
	{"slowest.objects", ObjectsPerSec, true, oneSegment, smallest},
	{"avg", Nanoseconds, false, latency, mean},
	{"p50", Nanoseconds, false, latency, 50},
	{"p90", Nanoseconds, false, latency, 90},
	{"p95", Nanoseconds, false, latency, 95},
	{"p99", Nanoseconds, false, latency, 99},
	{"p99.9", Nanoseconds, false, latency, 99.9},
	{"min", Nanoseconds, false, latency, smallest},
	{"max", Nanoseconds, false, latency, largest},
	{"ttfb", Nanoseconds, false, firstByte, mean},
	{"ttfb.p50", Nanoseconds, false, firstByte, 50},
	{"ttfb.p90", Nanoseconds, false, firstByte, 90},
	{"ttfb.p95", Nanoseconds, false, firstByte, 95},
	{"ttfb.p99", Nanoseconds, false, firstByte, 99},
	{"ttfb.min", Nanoseconds, false, firstByte, smallest},
	{"ttfb.max", Nanoseconds, false, firstByte, largest},
	{"own", Nanoseconds, false, ownPart, mean},
	{"own.p50", Nanoseconds, false, ownPart, 50},
	{"own.p90", Nanoseconds, false, ownPart, 90},
	{"own.p99", Nanoseconds, false, ownPart, 99},
	{"own.max", Nanoseconds, false, ownPart, largest},
}

// Metrics returns the compared metrics, in the order of reports. "throughput", "fastest", "median" and "slowest" are bytes
// per second and exist only for kinds that move bytes; their ".objects" variants use the same segments. "avg" to "max"
// are latencies, "ttfb" is the mean time to first byte, and "own" the mean of the client's own part of
// latencies, where that is known.
func Metrics() []Metric { return append([]Metric(nil), metrics...) }

// Lookup returns a metric by name.
func Lookup(name string) (Metric, bool) {
	for _, m := range metrics {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}

// Of returns the metric of a group whose segments have the given length (aggregate.Snapshot.Segment). enough is false if there are too few
// samples; ok is false without any, for bytes per second of operations that move none, and for objects per second of those that touch none.
func (m Metric) Of(g *aggregate.Group, segment time.Duration) (value float64, enough, ok bool) {
	if m.Unit == BytesPerSec && !g.MovesBytes() {
		return 0, false, false
	}
	if m.Unit == ObjectsPerSec && !g.CountsObjects() {
		return 0, false, false
	}
	switch m.source {
	case latency:
		return m.ofHistogram(g.Latency)
	case firstByte:
		return m.ofHistogram(g.TTFB)
	case ownPart:
		return m.ofHistogram(g.Own.All)
	case oneSegment:
		return m.ofSegments(g, segment)
	}
	if g.Window.Duration() <= 0 {
		return 0, false, false
	}
	value = g.ObjectsPerSec()
	if m.Unit == BytesPerSec {
		value = g.BytesPerSec()
	}
	return value, isFinite(value), isFinite(value)
}

func (m Metric) ofHistogram(h *hist.Histogram) (value float64, enough, ok bool) {
	if h.Count() == 0 {
		return 0, false, false
	}
	switch m.part {
	case mean:
		return h.Mean(), true, true
	case smallest:
		return float64(h.Min()), true, true
	case largest:
		return float64(h.Max()), true, true
	}
	v, enough := h.Percentile(m.part)
	return float64(v), enough, true
}

func (m Metric) ofSegments(g *aggregate.Group, length time.Duration) (value float64, enough, ok bool) {
	fastest, median, slowest, _, ok := g.Rank()
	if !ok || length <= 0 {
		return 0, false, false
	}
	i := median
	switch m.part {
	case smallest:
		i = slowest
	case largest:
		i = fastest
	}
	value = m.rate(&g.Segments[i], length)
	return value, isFinite(value), isFinite(value)
}

// rate returns the contribution of one segment to a metric of throughput.
func (m Metric) rate(s *aggregate.Segment, length time.Duration) float64 {
	if m.Unit == BytesPerSec {
		return s.Bytes / length.Seconds()
	}
	return s.Objects / length.Seconds()
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

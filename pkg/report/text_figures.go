package report

import (
	"fmt"
	"slices"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/hist"
	"warp/pkg/units"
)

// throughput prints the throughput over the whole window.
func (r *textReport) throughput(g *aggregate.Group) {
	r.blank()
	r.line(r.title, "Throughput:")
	r.list(nil, " * Average: ", averageItems(g, partRate(&g.Part, g.Window)))
}

// segments prints the fastest, median and slowest segment, unless there was no throughput or there is only one segment.
func (r *textReport) segments(g *aggregate.Group) {
	ranks, ok := rank(g, g.Segments)
	if !ok || len(g.Segments) == 1 || g.Bytes == 0 && g.Objects == 0 && g.Ops == 0 {
		return
	}
	length := r.s.Segment
	r.blank()
	r.line(r.title, fmt.Sprintf("Throughput, split into %d x %s:", len(g.Segments), units.Span(length)))
	show := func(name string, i int) {
		items := segmentItems(g, segmentRate(&g.Segments[i], length))
		start := r.clock(segmentStart(g, i, length), clockLayout(length))
		items[len(items)-1] += fmt.Sprintf(" (%s, starting %s)", units.Span(length), start)
		r.list(nil, " * "+name+": ", items)
	}
	show("Fastest", ranks.fastest)
	if len(g.Segments) > 2 { // else it is one of the others
		show("50% Median", ranks.median)
	}
	show("Slowest", ranks.slowest)
}

// clockLayout is precise enough to distinguish segments.
func clockLayout(segment time.Duration) string {
	if segment%time.Second != 0 {
		return "15:04:05.000"
	}
	return "15:04:05"
}

// shares prints the contribution of each kind to the total t of its phase.
func (r *textReport) shares(t *aggregate.Group) {
	for _, g := range r.s.Groups {
		if g.Phase != t.Phase && !slices.Contains(t.Streams, g.Phase) || g.Kind.IsComposite() {
			continue
		}
		name := string(g.Kind)
		if t.Combined() {
			name = g.Phase + " " + name
		}
		items := []string{units.Percent(g.Requests, t.Requests) + " of operations"}
		if g.Window.Duration() > 0 {
			items = append(items, averageItems(g, partRate(&g.Part, g.Window))...)
		}
		r.list(nil, fmt.Sprintf("   - %s: ", name), items)
	}
}

// requests prints the latency of requests.
func (r *textReport) requests(g *aggregate.Group) {
	r.blank()
	if g.Considered == 0 {
		r.line(r.title, "Requests considered: none.")
		return
	}
	r.line(r.title, fmt.Sprintf("Requests considered: %d:", g.Considered))
	if g.Service.Count() > 0 {
		r.latency(" * Response time: ", g.Latency)
		r.latency(" * Service time: ", g.Service)
	} else {
		r.latency(" * ", g.Latency)
	}
	r.ttfb(" * "+firstByteName(g, "TTFB")+": ", g.TTFB)
	r.ownPart(g)
	if g.Approx != nil {
		r.approxLatency(" * ", g.Approx.Latency)
		r.approxTTFB(" * "+firstByteName(g, "TTFB")+": ", g.Approx.TTFB)
	}
	if g.RepeatReads == 0 || r.several && !r.o.Verbose {
		return // the first access is the last, or this is one of many figures
	}
	r.latency(" * First Access: ", g.FirstAccess)
	r.ttfb(" * First Access TTFB: ", g.FirstAccessTTFB)
	r.latency(" * Last Access: ", g.LastAccess)
	r.ttfb(" * Last Access TTFB: ", g.LastAccessTTFB)
}

// firstByteName returns the name of a time to first byte; of an upload, where it counts from the last byte sent, another one.
func firstByteName(g *aggregate.Group, name string) string {
	if g.Kind.Upload() {
		return "Response after body"
	}
	return name
}

// latency prints a line of latencies, if there are any.
func (r *textReport) latency(prefix string, h *hist.Histogram) {
	if h.Count() == 0 {
		return
	}
	items := []string{"Avg: " + nanoseconds(h.Mean())}
	items = appendPercentiles(items, h, latencyPercentiles)
	r.list(nil, prefix, append(items,
		"Fastest: "+duration(h.Min()), "Slowest: "+duration(h.Max()), "StdDev: "+nanoseconds(h.StdDev())))
}

// ttfb prints a line of times to first byte, if there are any.
func (r *textReport) ttfb(prefix string, h *hist.Histogram) {
	if h.Count() == 0 {
		return
	}
	items := []string{"Avg: " + nanoseconds(h.Mean()), "Best: " + duration(h.Min())}
	items = appendPercentiles(items, h, ttfbPercentiles)
	r.list(nil, prefix, append(items, "Worst: "+duration(h.Max()), "StdDev: "+nanoseconds(h.StdDev())))
}

// percentile is a percentage and its label.
type percentile struct {
	name string
	p    float64
}

var (
	latencyPercentiles = []percentile{{"50%", 50}, {"90%", 90}, {"99%", 99}, {"99.9%", 99.9}}
	ttfbPercentiles    = []percentile{{"25th", 25}, {"Median", 50}, {"75th", 75}, {"90th", 90}, {"99th", 99}}
)

// appendPercentiles appends those percentiles that have enough samples beyond them.
func appendPercentiles(items []string, h *hist.Histogram, list []percentile) []string {
	for _, q := range list {
		if v, enough := h.Percentile(q.p); enough {
			items = append(items, q.name+": "+duration(v))
		}
	}
	return items
}

// sizeClasses prints requests by size, if sizes differ.
func (r *textReport) sizeClasses(g *aggregate.Group) {
	for _, c := range g.Classes() {
		r.blank()
		r.line(r.title, fmt.Sprintf("Request size %s -> %s. Requests - %d:", units.Size(c.From), units.Size(c.To), c.Requests))
		if h := c.Throughput; h.Count() > 0 {
			r.list(nil, " * Throughput: ", classThroughput(h))
		}
		r.latency(" * Latency: ", c.Latency)
		if h := c.TTFB; h.Count() > 0 {
			r.list(nil, " * "+firstByteName(g, "First Byte")+": ", firstByteItems(h))
		}
	}
}

// classThroughput formats the throughput of single requests.
func classThroughput(h *hist.Histogram) []string {
	items := []string{"Average: " + units.Rate(h.Mean())}
	for _, p := range []float64{50, 90, 99} {
		if v, enough := reached(h, p); enough {
			items = append(items, fmt.Sprintf("%g%%: %s", p, units.Rate(float64(v))))
		}
	}
	return append(items, "Fastest: "+units.Rate(float64(h.Max())), "Slowest: "+units.Rate(float64(h.Min())))
}

// firstByteItems formats times to first byte.
func firstByteItems(h *hist.Histogram) []string {
	median, _ := h.Percentile(50)
	return []string{
		"Average: " + nanoseconds(h.Mean()), "Median: " + duration(median), "Best: " + duration(h.Min()), "Worst: " + duration(h.Max()),
	}
}

// The functions below print recordings that hold statistics instead of requests. Their percentiles are averages of percentiles, which "~"
// marks as inexact.

// averagedNote ends a line with such percentiles.
const averagedNote = " (~ averaged)"

// approxLatency prints latencies as far as known.
func (r *textReport) approxLatency(prefix string, t aggregate.ApproxTimes) {
	items, averaged := appendApprox([]string{"Avg: " + units.Duration(t.Mean)}, latencyPercentiles, t)
	if t.Max > 0 {
		items = append(items, "Fastest: "+units.Duration(t.Min), "Slowest: "+units.Duration(t.Max), "StdDev: "+units.Duration(t.StdDev))
	}
	r.approx(prefix, t, items, averaged)
}

// approxTTFB prints times to first byte as far as known.
func (r *textReport) approxTTFB(prefix string, t aggregate.ApproxTimes) {
	items := []string{"Avg: " + units.Duration(t.Mean)}
	if t.Max > 0 {
		items = append(items, "Best: "+units.Duration(t.Min))
	}
	items, averaged := appendApprox(items, ttfbPercentiles, t)
	if t.Max > 0 {
		items = append(items, "Worst: "+units.Duration(t.Max), "StdDev: "+units.Duration(t.StdDev))
	}
	r.approx(prefix, t, items, averaged)
}

func (r *textReport) approx(prefix string, t aggregate.ApproxTimes, items []string, averaged bool) {
	if t.Requests == 0 {
		return
	}
	if averaged {
		items[len(items)-1] += averagedNote
	}
	r.list(nil, prefix, items)
}

// appendApprox appends the percentiles that are known, and reports whether there are any.
func appendApprox(items []string, list []percentile, t aggregate.ApproxTimes) (_ []string, averaged bool) {
	known := map[float64]time.Duration{25: t.P25, 50: t.P50, 75: t.P75, 90: t.P90, 99: t.P99}
	for _, q := range list {
		if v := known[q.p]; v > 0 {
			items = append(items, q.name+": ~"+units.Duration(v))
			averaged = true
		}
	}
	return items, averaged
}

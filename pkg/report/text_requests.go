package report

import (
	"fmt"
	"math"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/hist"
	"warp/pkg/units"
)

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
	r.ttfb(" * TTFB: ", g.TTFB)
	if g.Approx != nil {
		r.approxLatency(" * ", g.Approx.Latency)
		r.approxTTFB(" * TTFB: ", g.Approx.TTFB)
	}
	if g.Reread == 0 {
		return // the first access is the last
	}
	r.latency(" * First Access: ", g.FirstAccess)
	r.ttfb(" * First Access TTFB: ", g.FirstAccessTTFB)
	r.latency(" * Last Access: ", g.LastAccess)
	r.ttfb(" * Last Access TTFB: ", g.LastAccessTTFB)
}

// latency prints one line of latencies; nothing without any.
func (r *textReport) latency(prefix string, h *hist.Histogram) {
	if h.Count() == 0 {
		return
	}
	items := []string{"Avg: " + nanoseconds(h.Mean())}
	items = appendPercentiles(items, h, latencyPercentiles)
	r.list(nil, prefix, append(items,
		"Fastest: "+duration(h.Min()), "Slowest: "+duration(h.Max()), "StdDev: "+nanoseconds(h.StdDev())))
}

// ttfb prints one line of times to first byte; nothing without any.
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
			items := []string{"Average: " + units.Rate(h.Mean())}
			for _, p := range []float64{50, 90, 99} {
				if v, enough := reached(h, p); enough {
					items = append(items, fmt.Sprintf("%g%%: %s", p, units.Rate(float64(v))))
				}
			}
			r.list(nil, " * Throughput: ", append(items,
				"Fastest: "+units.Rate(float64(h.Max())), "Slowest: "+units.Rate(float64(h.Min()))))
		}
		r.latency(" * Latency: ", c.Latency)
		if h := c.TTFB; h.Count() > 0 {
			median, _ := h.Percentile(50)
			r.list(nil, " * First Byte: ", []string{
				"Average: " + nanoseconds(h.Mean()), "Median: " + duration(median),
				"Best: " + duration(h.Min()), "Worst: " + duration(h.Max()),
			})
		}
	}
}

func duration(ns int64) string { return units.Duration(time.Duration(ns)) }

// nanoseconds formats a computed figure, which may be a fraction of nanoseconds.
func nanoseconds(ns float64) string { return duration(int64(math.Round(units.Finite(ns)))) }

package report

import (
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/units"
)

// The lines below are those of a recording that holds statistics instead of requests. Its percentiles are averages of
// percentiles, marked by "~" because they are not exact.

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

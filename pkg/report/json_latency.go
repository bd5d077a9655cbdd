package report

import (
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/hist"
	"warp/pkg/units"
)

type (
	latencyJSON struct {
		Avg    float64  `json:"avg"`
		Min    float64  `json:"min"`
		P25    *float64 `json:"p25,omitempty"`
		P50    *float64 `json:"p50,omitempty"`
		P75    *float64 `json:"p75,omitempty"`
		P90    *float64 `json:"p90,omitempty"`
		P95    *float64 `json:"p95,omitempty"`
		P99    *float64 `json:"p99,omitempty"`
		P999   *float64 `json:"p99_9,omitempty"`
		Max    float64  `json:"max"`
		StdDev float64  `json:"stddev"`
	}

	approxJSON struct {
		Requests int64    `json:"requests"`
		Avg      float64  `json:"avg"`
		Min      *float64 `json:"min,omitempty"`
		P25      *float64 `json:"p25,omitempty"`
		P50      *float64 `json:"p50,omitempty"`
		P75      *float64 `json:"p75,omitempty"`
		P90      *float64 `json:"p90,omitempty"`
		P99      *float64 `json:"p99,omitempty"`
		Max      *float64 `json:"max,omitempty"`
		StdDev   *float64 `json:"stddev,omitempty"`
	}
)

// latencyOf returns a distribution of times in ms, nil if it is empty.
func latencyOf(h *hist.Histogram) *latencyJSON {
	if h.Count() == 0 {
		return nil
	}
	return &latencyJSON{
		Avg:    milliseconds(h.Mean()),
		Min:    milliseconds(float64(h.Min())),
		P50:    percentileOf(h, 50),
		P90:    percentileOf(h, 90),
		P95:    percentileOf(h, 95),
		P99:    percentileOf(h, 99),
		P999:   percentileOf(h, 99.9),
		Max:    milliseconds(float64(h.Max())),
		StdDev: milliseconds(h.StdDev()),
	}
}

// ttfbOf is latencyOf with quartiles, which the text report has for the first byte.
func ttfbOf(h *hist.Histogram) *latencyJSON {
	l := latencyOf(h)
	if l != nil {
		l.P25, l.P75 = percentileOf(h, 25), percentileOf(h, 75)
	}
	return l
}

// approxOf returns approximate times in ms, omitting unknown ones; nil if there are none.
func approxOf(t aggregate.ApproxTimes) *approxJSON {
	if t.Requests == 0 {
		return nil
	}
	known := func(d time.Duration) *float64 {
		if d == 0 {
			return nil
		}
		ms := milliseconds(float64(d))
		return &ms
	}
	out := &approxJSON{
		Requests: t.Requests, Avg: milliseconds(float64(t.Mean)),
		P25: known(t.P25), P50: known(t.P50), P75: known(t.P75), P90: known(t.P90), P99: known(t.P99),
	}
	if t.Max > 0 {
		low, dev := milliseconds(float64(t.Min)), milliseconds(float64(t.StdDev))
		out.Min, out.Max, out.StdDev = &low, known(t.Max), &dev
	}
	return out
}

// percentileOf returns a percentile in ms, nil with too few samples beyond it.
func percentileOf(h *hist.Histogram, p float64) *float64 {
	v, enough := h.Percentile(p)
	if !enough {
		return nil
	}
	ms := milliseconds(float64(v))
	return &ms
}

// milliseconds converts nanoseconds to ms.
func milliseconds(ns float64) float64 { return units.Finite(ns / 1e6) }

// ownTimes returns the client's own part of latencies, and how late requests were sent, as far as they are known.
func ownTimes(p *aggregate.OwnPart) (own, late *latencyJSON) {
	var lates *hist.Histogram
	if p.LatenessKnown() {
		lates = p.Late
	}
	return latencyOf(p.All), latencyOf(lates)
}

package index

import (
	"warp/pkg/hist"
	"warp/pkg/trace"
)

// quantiles returns the quantiles of a histogram; all are 0 if it is empty.
func quantiles(h *hist.Histogram) trace.Quantiles {
	if h.Count() == 0 {
		return trace.Quantiles{}
	}
	at := func(p float64) int64 { v, _ := h.Percentile(p); return v }
	return trace.Quantiles{Mean: h.Mean(), Min: h.Min(), P50: at(50), P90: at(90), P99: at(99), Max: h.Max()}
}

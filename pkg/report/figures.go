package report

import (
	"fmt"
	"math"
	"time"

	"warp/pkg/hist"
	"warp/pkg/observe"
	"warp/pkg/units"
)

func millis(v float64) string { return units.Duration(time.Duration(v * 1e6)) }

func percent(v float64) string { return units.Digits(100*v) + "%" }

func inSeconds(v float64) time.Duration { return time.Duration(v * float64(time.Second)) }

// ownShare formats the client's own part of a latency; of few operations, it may seem to exceed that.
func ownShare(s observe.Share) string {
	return fmt.Sprintf("%.0f%%", min(100, 100*float64(s.Own)/float64(max(1, s.Latency))))
}

// ran formats how long operations went on; from ten seconds, in whole seconds.
func ran(d time.Duration) string {
	if d >= 10*time.Second {
		d = d.Round(time.Second)
	}
	return units.Span(d)
}

// perSec formats a figure per second, with its unit.
func perSec(v float64, unit string) string { return units.PerSecond(v) + " " + unit + "/s" }

func duration(ns int64) string { return units.Duration(time.Duration(ns)) }

// nanoseconds formats a computed figure, which may be a fraction of nanoseconds.
func nanoseconds(ns float64) string { return duration(int64(math.Round(units.Finite(ns)))) }

// summaryPercentile is missing where there are too few samples, as in the report.
func summaryPercentile(h *hist.Histogram, p float64) string {
	v, enough := h.Percentile(p)
	if h.Count() == 0 || !enough && p != 50 {
		return missing
	}
	return units.Duration(time.Duration(v))
}

package aggregate

import (
	"math"
	"time"
)

// Approx is the times of a group as an aggregated recording has them: see ReadAggregated. They are no histograms, so no
// percentile of them is exact, nor can it be made so.
type Approx struct {
	Latency ApproxTimes `json:"latency"`
	TTFB    ApproxTimes `json:"ttfb"`
}

// ApproxTimes is figures of requests. Mean, StdDev, Min and Max are those of all requests, up to rounding. The percentiles
// are averages of the percentiles of short spans, weighted with their requests. What is 0 is unknown; without Max, Min and
// StdDev are too.
type ApproxTimes struct {
	Requests int64         `json:"requests"` // 0: nothing is known
	Mean     time.Duration `json:"mean_ns"`
	StdDev   time.Duration `json:"stddev_ns"`
	Min      time.Duration `json:"min_ns"`
	Max      time.Duration `json:"max_ns"`
	P25      time.Duration `json:"p25_ns,omitempty"`
	P50      time.Duration `json:"p50_ns,omitempty"`
	P75      time.Duration `json:"p75_ns,omitempty"`
	P90      time.Duration `json:"p90_ns,omitempty"`
	P99      time.Duration `json:"p99_ns,omitempty"`
}

// add adds the requests of o.
func (a *ApproxTimes) add(o ApproxTimes) {
	switch {
	case o.Requests == 0:
		return
	case a.Requests == 0:
		*a = o
		return
	}
	n, m := float64(a.Requests), float64(o.Requests)
	average := func(x, y time.Duration) time.Duration {
		return time.Duration((n*float64(x) + m*float64(y)) / (n + m))
	}
	percentile := func(x *time.Duration, y time.Duration) {
		if *x == 0 || y == 0 {
			*x = 0 // that of a part is not that of the whole
			return
		}
		*x = average(*x, y)
	}
	mean := average(a.Mean, o.Mean)
	// The square of the deviation of all is that within the parts and that between their means.
	square := func(dev, part time.Duration) float64 {
		return float64(dev)*float64(dev) + float64(part-mean)*float64(part-mean)
	}
	a.StdDev = time.Duration(math.Sqrt((n*square(a.StdDev, a.Mean) + m*square(o.StdDev, o.Mean)) / (n + m)))
	a.Mean = mean
	if a.Max == 0 || o.Max == 0 {
		a.StdDev, a.Min, a.Max = 0, 0, 0
	} else {
		a.Min, a.Max = min(a.Min, o.Min), max(a.Max, o.Max)
	}
	percentile(&a.P25, o.P25)
	percentile(&a.P50, o.P50)
	percentile(&a.P75, o.P75)
	percentile(&a.P90, o.P90)
	percentile(&a.P99, o.P99)
	a.Requests += o.Requests
}

// joinedApprox is a with b added, where either may be nil; b is never kept.
func joinedApprox(a, b *Approx) *Approx {
	if b == nil {
		return a
	}
	if a == nil {
		a = new(Approx)
	}
	a.Latency.add(b.Latency)
	a.TTFB.add(b.TTFB)
	return a
}

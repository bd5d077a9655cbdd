package aggregate

import "time"

// Approx is the times of a group as an aggregated recording of MinIO warp has them: no histograms, so no percentile is exact.
// See package legacy.
type Approx struct {
	Latency ApproxTimes `json:"latency"`
	TTFB    ApproxTimes `json:"ttfb"`
}

// ApproxTimes is figures of requests. Mean, StdDev, Min and Max are exact up to rounding. The percentiles are averages of
// the percentiles of short spans, weighted with their requests. What is 0 is unknown; without Max, Min and StdDev are too.
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

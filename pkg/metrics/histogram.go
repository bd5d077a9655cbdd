package metrics

import (
	"math"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/proto"

	"warp/pkg/hist"
)

// schema is the resolution of native histograms: eight buckets for each power of two, each 9% wider than the one before.
const schema = 3

// ownBounds are the bounds of classic histograms of the client's own part, which is usually short.
var ownBounds = append([]time.Duration{10 * time.Microsecond, 25 * time.Microsecond, 50 * time.Microsecond}, bounds...)

// bounds are the bounds of classic histograms.
var bounds = []time.Duration{
	100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond,
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond, time.Second,
	2500 * time.Millisecond, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute,
}

// histogram is a metric that is a native and a classic histogram at once.
type histogram struct {
	prometheus.Metric
	classic []*dto.Bucket
}

// newHistogram converts a histogram of nanoseconds. A bucket of ours, which is at most a thousandth wide, counts wholly where its middle
// lies: so no count ever falls.
func newHistogram(d *prometheus.Desc, h *hist.Histogram, bounds []time.Duration, labels []string) prometheus.Metric {
	positive, zero := exponential(h, schema)
	native, err := prometheus.NewConstNativeHistogram(d, uint64(h.Count()), seconds(h.Sum()), positive, nil, zero, schema,
		prometheus.DefNativeHistogramZeroThreshold, time.Time{}, labels...)
	if err != nil {
		return prometheus.NewInvalidMetric(d, err)
	}
	return &histogram{native, classic(h, bounds)}
}

// Write adds the classic buckets.
func (h *histogram) Write(to *dto.Metric) error {
	if err := h.Metric.Write(to); err != nil {
		return err
	}
	to.Histogram.Bucket = h.classic
	return nil
}

// exponential returns the counts of buckets whose upper bounds are 2^(index/2^scale) seconds, and how many values are zero.
func exponential(h *hist.Histogram, scale int) (positive map[int]int64, zero uint64) {
	positive = make(map[int]int64)
	for v, n := range h.Buckets {
		if middle := middleOf(h, v); middle > 0 {
			positive[int(math.Ceil(math.Log2(middle/1e9)*float64(int(1)<<scale)))] += n
		} else {
			zero += uint64(n)
		}
	}
	return positive, zero
}

// middleOf returns the middle of a bucket, in nanoseconds.
func middleOf(h *hist.Histogram, v int64) float64 { return float64(v) + float64(h.Width(v)-1)/2 }

// classic returns the counts up to each bound.
func classic(h *hist.Histogram, bounds []time.Duration) []*dto.Bucket {
	counts := make([]uint64, len(bounds))
	for v, n := range h.Buckets {
		i, _ := slices.BinarySearch(bounds, time.Duration(math.Ceil(middleOf(h, v))))
		if i < len(bounds) {
			counts[i] += uint64(n)
		}
	}
	list := make([]*dto.Bucket, len(bounds))
	sum := uint64(0)
	for i, n := range counts {
		sum += n
		list[i] = &dto.Bucket{UpperBound: proto.Float64(bounds[i].Seconds()), CumulativeCount: proto.Uint64(sum)}
	}
	return list
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }

package testkit

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// Histogram is the figures of a histogram of durations.
type Histogram interface {
	Count() int64
	Mean() float64
	StdDev() float64
	Min() int64
	Max() int64
	Percentile(p float64) (v int64, significant bool)
}

// CompareTimes compares a histogram with the sorted values that it was given; percentiles may differ by tolerance.
func CompareTimes(t *testing.T, what string, h Histogram, sorted []time.Duration, tolerance float64) {
	t.Helper()
	if h.Count() != int64(len(sorted)) {
		t.Errorf("%s: %d values, want %d", what, h.Count(), len(sorted))
		return
	}
	if len(sorted) == 0 {
		return
	}
	var sum, sq float64
	for _, d := range sorted {
		sum += float64(d)
	}
	mean := sum / float64(len(sorted))
	for _, d := range sorted {
		sq += (float64(d) - mean) * (float64(d) - mean)
	}
	Near(t, what+" average", h.Mean(), mean, 1e-9)
	Near(t, what+" standard deviation", h.StdDev(), math.Sqrt(sq/float64(len(sorted))), 1e-6)
	if h.Min() != int64(sorted[0]) || h.Max() != int64(sorted[len(sorted)-1]) {
		t.Errorf("%s: from %d to %d, want %d to %d", what, h.Min(), h.Max(), sorted[0], sorted[len(sorted)-1])
	}
	for _, p := range []float64{25, 50, 75, 90, 99, 99.9} {
		v, _ := h.Percentile(p)
		Near(t, fmt.Sprintf("%s p%g", what, p), float64(v), float64(percentile(sorted, p)), tolerance)
	}
}

// Near fails the test if got differs from want by more than tolerance, as a part of want.
func Near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tolerance*max(1e-9, math.Abs(want)) {
		t.Errorf("%s is %v, want %v within %g", what, got, want, tolerance)
	}
}

// percentile is the exact nearest rank.
func percentile[T any](sorted []T, p float64) T {
	rank := int(math.Ceil(p/100*float64(len(sorted)) - 1e-9))
	return sorted[max(rank, 1)-1]
}

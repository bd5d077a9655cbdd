// Package hist counts durations in histograms that merge exactly and have a compact wire form.
package hist

import (
	"math"
	"time"
)

// Range of a Histogram. Values outside count as the nearest bound, and in Clamped. Zero is inside: clocks with coarse
// ticks do measure requests of zero duration.
const (
	minValue = 0
	MaxValue = int64(time.Hour)
)

// Precision is the number of bits that a bucket keeps of a value after its leading one. Memory grows with powers of two that
// contain values: Fine takes 4 KiB for each, which is 30 to 60 KiB for typical latencies; Coarse takes an eighth of that.
type Precision uint8

// The precisions.
const (
	Live   Precision = 5  // buckets a 32nd wide, for figures sent every second during a run
	Coarse Precision = 7  // two significant decimal digits
	Fine   Precision = 10 // three significant decimal digits
)

// minBeyond is the number of samples beyond a percentile that make it meaningful.
const minBeyond = 10

// Histogram counts durations in nanoseconds (or other integers) in the buckets of HdrHistogram. Mean, standard
// deviation, minimum and maximum are exact. Histograms merge by addition. The zero value is not ready; use New. A nil
// *Histogram reads as an empty one.
type Histogram struct {
	counts   counts
	sum      int64   // of clamped values: 2.5 million hours fit
	sq       float64 // sum of squares of clamped values
	min, max int64   // of values before clamping
	clamped  int64
}

// New returns an empty Histogram.
func New(p Precision) *Histogram {
	return &Histogram{counts: counts{kept: p}, min: math.MaxInt64, max: math.MinInt64}
}

// Record counts one value.
func (h *Histogram) Record(v int64) {
	h.min, h.max = min(h.min, v), max(h.max, v)
	c := min(max(v, minValue), MaxValue)
	if c != v {
		h.clamped++
	}
	h.sum += c
	h.sq += float64(c) * float64(c)
	h.counts.add(c, 1)
}

// RecordIn counts one value in *h, which it makes first if it is nil.
func RecordIn(h **Histogram, p Precision, v int64) {
	if *h == nil {
		*h = New(p)
	}
	(*h).Record(v)
}

// Count returns the number of values.
func (h *Histogram) Count() int64 {
	if h == nil {
		return 0
	}
	return h.counts.n
}

// Clamped returns the number of values outside of 0 to 1 h, for which only Min and Max are exact.
func (h *Histogram) Clamped() int64 {
	if h == nil {
		return 0
	}
	return h.clamped
}

// Mean returns the exact mean, 0 without values.
func (h *Histogram) Mean() float64 {
	n := h.Count()
	if n == 0 {
		return 0
	}
	return float64(h.sum) / float64(n)
}

// StdDev returns the population standard deviation, 0 without values.
func (h *Histogram) StdDev() float64 {
	n := float64(h.Count())
	if n == 0 {
		return 0
	}
	mean := float64(h.sum) / n
	return math.Sqrt(max(0, h.sq/n-mean*mean))
}

// Min returns the exact minimum, 0 without values.
func (h *Histogram) Min() int64 {
	if h.Count() == 0 {
		return 0
	}
	return h.min
}

// Max returns the exact maximum, 0 without values.
func (h *Histogram) Max() int64 {
	if h.Count() == 0 {
		return 0
	}
	return h.max
}

// Percentile returns the nearest rank at p percent (0 < p < 100), and whether at least ten values lie beyond it; a
// percentile with fewer is noise and should not be shown. The median always has enough.
func (h *Histogram) Percentile(p float64) (v int64, enough bool) {
	n := h.Count()
	if n == 0 {
		return 0, false
	}
	v = min(max(h.counts.atRank(nearestRank(p, n)), h.min), h.max)
	beyond := float64(n) * (1 - p/100)
	return v, p <= 50 || beyond+1e-9 >= minBeyond
}

// nearestRank returns the smallest rank, from 1, with at least p percent of n values at or below it.
func nearestRank(p float64, n int64) int64 {
	r := int64(math.Ceil(p/100*float64(n) - 1e-9)) // 99.9/100 is a little more than 0.999
	return min(max(r, 1), n)
}

// Merge adds the values of o. The result has the lower of both precisions.
func (h *Histogram) Merge(o *Histogram) {
	if o.Count() == 0 {
		return
	}
	if o.counts.kept < h.counts.kept {
		h.Coarsen(o.counts.kept)
	}
	h.counts.merge(&o.counts)
	h.sum += o.sum
	h.sq += o.sq
	h.min, h.max = min(h.min, o.min), max(h.max, o.max)
	h.clamped += o.clamped
}

// Coarsen reduces the precision, exactly as if it had never been higher: coarse buckets consist of whole fine ones. It
// does nothing to a nil Histogram.
func (h *Histogram) Coarsen(p Precision) {
	if h == nil || h.counts.kept <= p {
		return
	}
	fine := h.counts
	h.counts = counts{kept: p}
	h.counts.merge(&fine)
}

// Clone returns an independent copy; nil of nil.
func (h *Histogram) Clone() *Histogram {
	if h == nil {
		return nil
	}
	c := *h
	c.counts = h.counts.clone()
	return &c
}

// Join returns a with b added, where either may be nil; b is not retained.
func Join(a, b *Histogram) *Histogram {
	if a == nil {
		return b.Clone()
	}
	a.Merge(b)
	return a
}

// Sum returns the sum of two histograms that stay as they are; either may be nil. It may be one of them.
func Sum(a, b *Histogram) *Histogram {
	if a.Count() == 0 {
		return b
	}
	return Join(a.Clone(), b)
}

// Reset removes all values and keeps the memory.
func (h *Histogram) Reset() {
	h.counts.reset()
	*h = Histogram{counts: h.counts, min: math.MaxInt64, max: math.MinInt64}
}

// Buckets calls yield for each non-empty bucket in ascending order, until it returns false. A bucket counts the values
// from value (included) on, as many as Width says; clamped values are in the bucket of their bound. It fits a range
// loop: for value, count := range h.Buckets. h must not change meanwhile.
func (h *Histogram) Buckets(yield func(value, count int64) bool) {
	if h != nil {
		h.counts.each(yield)
	}
}

// Width returns how many integers the bucket of v stands for.
func (h *Histogram) Width(v int64) int64 { return h.counts.width(min(max(v, minValue), MaxValue)) }

// Sum returns the sum of all values.
func (h *Histogram) Sum() int64 {
	if h == nil {
		return 0
	}
	return h.sum
}

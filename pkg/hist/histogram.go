// Package hist counts durations in histograms that merge exactly.
package hist

import (
	"math"
	"time"
)

// Range of a Histogram. Values outside are counted as the nearest bound and in Clamped. Zero is inside: clocks with coarse
// ticks do measure requests of no duration.
const (
	minValue = 0
	MaxValue = int64(time.Hour)
)

// Significant decimal digits. Memory grows with powers of two that have values: three digits take 4 KiB for each, which is
// 30 to 60 KiB for latencies as they are; two digits an eighth of that.
const (
	Fine   = 3
	Coarse = 2
	Live   = 1 // and a half
)

// minBeyond is how many samples must lie beyond a percentile for it to say anything.
const minBeyond = 10

// Histogram counts durations in nanoseconds (or other whole numbers) with three significant digits, or two where there
// are many of them. Average, standard deviation, smallest and largest value are kept exactly beside it. It merges by
// addition. The zero value is not ready; use New. A nil *Histogram is an empty one for reading.
type Histogram struct {
	counts   counts
	sum      int64   // of values brought into range: 2.5 million hours fit
	sq       float64 // sum of squares, likewise
	min, max int64   // of values as they came
	clamped  int64
}

// NewHist returns an empty Histogram with this many significant digits: Fine, Coarse or LiveDigits.
func New(digits int) *Histogram {
	return &Histogram{counts: newCounts(digits), min: math.MaxInt64, max: math.MinInt64}
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

// Count is the number of values.
func (h *Histogram) Count() int64 {
	if h == nil {
		return 0
	}
	return h.counts.n
}

// Clamped is the number of values outside of 0 to 1 h, which everything but Min and Max knows only as that bound.
func (h *Histogram) Clamped() int64 {
	if h == nil {
		return 0
	}
	return h.clamped
}

// Mean is the exact average, 0 without values.
func (h *Histogram) Mean() float64 {
	n := h.Count()
	if n == 0 {
		return 0
	}
	return float64(h.sum) / float64(n)
}

// StdDev is the standard deviation of the population, 0 without values.
func (h *Histogram) StdDev() float64 {
	n := float64(h.Count())
	if n == 0 {
		return 0
	}
	mean := float64(h.sum) / n
	return math.Sqrt(max(0, h.sq/n-mean*mean))
}

// Min is the exact smallest value, 0 without values.
func (h *Histogram) Min() int64 {
	if h.Count() == 0 {
		return 0
	}
	return h.min
}

// Max is the exact largest value, 0 without values.
func (h *Histogram) Max() int64 {
	if h.Count() == 0 {
		return 0
	}
	return h.max
}

// Percentile is the nearest rank at p percent (0 < p < 100), and whether at least ten values lie beyond it; a percentile
// with fewer is noise and should not be shown. The median is always worth showing.
func (h *Histogram) Percentile(p float64) (v int64, sound bool) {
	n := h.Count()
	if n == 0 {
		return 0, false
	}
	v = min(max(h.counts.atRank(nearestRank(p, n)), h.min), h.max)
	beyond := float64(n) * (1 - p/100)
	return v, p <= 50 || beyond+1e-9 >= minBeyond
}

// nearestRank is the smallest rank, from 1, with at least p percent of n values at or below it.
func nearestRank(p float64, n int64) int64 {
	r := int64(math.Ceil(p/100*float64(n) - 1e-9)) // 99.9/100 is a little more than 0.999
	return min(max(r, 1), n)
}

// Merge adds the values of o. The digits are those of the one that has fewer.
func (h *Histogram) Merge(o *Histogram) {
	if o.Count() == 0 {
		return
	}
	if o.digits() < h.digits() {
		h.Coarsen(o.digits())
	}
	h.counts.merge(&o.counts)
	h.sum += o.sum
	h.sq += o.sq
	h.min, h.max = min(h.min, o.min), max(h.max, o.max)
	h.clamped += o.clamped
}

// Coarsen leaves so many significant digits, as if there had never been more: buckets of fewer digits are made of whole
// buckets of more. Nothing happens to a nil Histogram.
func (h *Histogram) Coarsen(digits int) {
	if h == nil || h.digits() <= digits {
		return
	}
	fine := h.counts
	h.counts = newCounts(digits)
	h.counts.merge(&fine)
}

// Clone is an independent copy; nil of nil.
func (h *Histogram) Clone() *Histogram {
	if h == nil {
		return nil
	}
	c := *h
	c.counts = h.counts.clone()
	return &c
}

// Join is a with b added, where either may be nil; b is never kept.
func Join(a, b *Histogram) *Histogram {
	if a == nil {
		return b.Clone()
	}
	a.Merge(b)
	return a
}

// Reset forgets all values.
func (h *Histogram) Reset() {
	h.counts.reset()
	*h = Histogram{counts: h.counts, min: math.MaxInt64, max: math.MinInt64}
}

// Buckets calls yield for each bucket that counts anything, in ascending order, until it returns false. A bucket counts
// the values from value (included) on, as many as Width says; values out of range are in the bucket of their bound. It
// fits a range loop: for value, count := range h.Buckets. h must not change meanwhile.
func (h *Histogram) Buckets(yield func(value, count int64) bool) {
	if h != nil {
		h.counts.each(yield)
	}
}

// Width is how many whole numbers the bucket that counts v stands for.
func (h *Histogram) Width(v int64) int64 { return h.counts.width(min(max(v, minValue), MaxValue)) }

// digits is how many significant ones h keeps.
func (h *Histogram) digits() int {
	switch h.counts.kept {
	case liveBits:
		return Live
	case coarseBits:
		return Coarse
	}
	return Fine
}

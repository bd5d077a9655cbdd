package aggregate

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Range of a Histogram. Values outside are counted as the nearest bound and in Clamped. Zero is inside: clocks with coarse
// ticks do measure requests of no duration.
const (
	minValue = 0
	maxValue = int64(time.Hour)
)

// Significant decimal digits. Sizes in memory: fine 264 KiB, coarse 40 KiB; sparse ones grow with distinct values, coarse
// ones to 1 to 7 KiB for a second of requests, fine ones to some 50 KiB for a long run.
const (
	fineDigits   = 3
	coarseDigits = 2
)

// minBeyond is how many samples must lie beyond a percentile for it to say anything.
const minBeyond = 10

// Histogram counts durations in nanoseconds (or other whole numbers) with three significant digits, or two where there
// are many of them. Average, standard deviation, smallest and largest value are kept exactly beside it. It merges by
// addition. The zero value is not ready; use NewHistogram. A nil *Histogram is an empty one for reading.
type Histogram struct {
	dense    *hdrhistogram.Histogram       // either this
	sparse   *hdrhistogram.PackedHistogram // or this
	sum      int64                         // of values brought into range: 2.5 million hours fit
	sq       float64                       // sum of squares, likewise
	min, max int64                         // of values as they came
	clamped  int64
}

// NewHistogram makes an empty Histogram of three significant digits.
func NewHistogram() *Histogram { return newDense(fineDigits) }

// newDense makes an empty Histogram that is quick to record into.
func newDense(digits int) *Histogram {
	return &Histogram{dense: hdrhistogram.New(1, maxValue, digits), min: math.MaxInt64, max: math.MinInt64}
}

// newSparse makes an empty Histogram whose memory grows with distinct values.
func newSparse(digits int) *Histogram {
	return &Histogram{sparse: hdrhistogram.NewPacked(1, maxValue, digits), min: math.MaxInt64, max: math.MinInt64}
}

// Record counts one value.
func (h *Histogram) Record(v int64) {
	h.min, h.max = min(h.min, v), max(h.max, v)
	c := min(max(v, minValue), maxValue)
	if c != v {
		h.clamped++
	}
	h.sum += c
	h.sq += float64(c) * float64(c)
	if h.dense != nil {
		_ = h.dense.RecordValue(c) // cannot fail: c is in range
	} else {
		_ = h.sparse.RecordValue(c)
	}
}

// Count is the number of values.
func (h *Histogram) Count() int64 {
	switch {
	case h == nil:
		return 0
	case h.dense != nil:
		return h.dense.TotalCount()
	case h.sparse != nil:
		return h.sparse.TotalCount()
	}
	return 0
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
	v = min(max(h.atRank(nearestRank(p, n), n), h.min), h.max)
	beyond := float64(n) * (1 - p/100)
	return v, p <= 50 || beyond+1e-9 >= minBeyond
}

// nearestRank is the smallest rank, from 1, with at least p percent of n values at or below it.
func nearestRank(p float64, n int64) int64 {
	r := int64(math.Ceil(p/100*float64(n) - 1e-9)) // 99.9/100 is a little more than 0.999
	return min(max(r, 1), n)
}

// atRank is the value of that rank. The library rounds to the nearer rank rather than up, so it is asked for the
// percentage that is exactly this rank.
func (h *Histogram) atRank(rank, n int64) int64 {
	p := 100 * float64(rank) / float64(n)
	if h.dense != nil {
		return h.dense.ValueAtPercentile(p)
	}
	return h.sparse.ValueAtPercentile(p)
}

// Merge adds the values of o.
func (h *Histogram) Merge(o *Histogram) {
	if o.Count() == 0 {
		return
	}
	if o.digits() < h.digits() {
		h.coarsen()
	}
	switch {
	case h.dense != nil && o.dense != nil:
		h.dense.Merge(o.dense)
	case h.dense != nil:
		o.sparse.MergeInto(h.dense)
	case o.dense != nil:
		h.sparse.MergeFrom(o.dense)
	default:
		h.sparse.Merge(o.sparse)
	}
	h.sum += o.sum
	h.sq += o.sq
	h.min, h.max = min(h.min, o.min), max(h.max, o.max)
	h.clamped += o.clamped
}

// coarsen leaves two significant digits, as if there had never been more: the buckets of two are made of whole buckets of
// three. Nothing happens to a nil Histogram.
func (h *Histogram) coarsen() {
	switch {
	case h.digits() == coarseDigits:
	case h.dense != nil:
		fine := h.dense
		h.dense = hdrhistogram.New(1, maxValue, coarseDigits)
		h.dense.Merge(fine)
	default:
		fine := h.sparse
		h.sparse = hdrhistogram.NewPacked(1, maxValue, coarseDigits)
		h.sparse.Merge(fine)
	}
}

// pack makes a Histogram sparse. Nothing happens to a nil Histogram.
func (h *Histogram) pack() {
	if h == nil || h.dense == nil {
		return
	}
	h.sparse = hdrhistogram.NewPacked(1, maxValue, h.digits())
	h.sparse.MergeFrom(h.dense)
	h.dense = nil
}

// clone is an independent copy; nil of nil.
func (h *Histogram) clone() *Histogram {
	if h == nil {
		return nil
	}
	c := *h
	if h.dense != nil {
		c.dense = h.dense.Clone()
	}
	if h.sparse != nil {
		c.sparse = h.sparse.Clone()
	}
	return &c
}

// joined is a with b added, where either may be nil; b is never kept.
func joined(a, b *Histogram) *Histogram {
	if a == nil {
		return b.clone()
	}
	a.Merge(b)
	return a
}

// reset forgets all values.
func (h *Histogram) reset() {
	h.dense.Reset()
	*h = Histogram{dense: h.dense, min: math.MaxInt64, max: math.MinInt64}
}

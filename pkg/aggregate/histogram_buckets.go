package aggregate

import (
	"math/bits"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Buckets calls yield for each bucket that counts anything, in ascending order, until it returns false. A bucket counts
// the values from value (included) on, as many as Width says; values out of range are in the bucket of their bound. It
// fits a range loop: for value, count := range h.Buckets. What it allocates grows with distinct values, not with the
// range; a sparse histogram allocates nothing. h must not change meanwhile.
func (h *Histogram) Buckets(yield func(value, count int64) bool) {
	if h.Count() == 0 {
		return
	}
	sparse := h.sparse
	if h.dense != nil { // which shows its counts only as a copy of its whole range, or one by one as sparse
		sparse = hdrhistogram.NewPacked(1, maxValue, h.digits())
		sparse.MergeFrom(h.dense)
	}
	sparse.ForEachBucket(yield)
}

// Width is how many whole numbers the bucket that counts v stands for. HdrHistogram keeps the leading bits of a value
// that so many digits need: 8 for two of them, 11 for three.
func (h *Histogram) Width(v int64) int64 {
	leading := coarseBits
	if h.digits() == fineDigits {
		leading = fineBits
	}
	v = min(max(v, minValue), maxValue)
	return int64(1) << max(0, bits.Len64(uint64(v))-leading)
}

// Leading bits of a value that tell twice a hundred, and twice a thousand, values apart.
const (
	coarseBits = 8
	fineBits   = 11
)

// digits is how many significant ones h keeps.
func (h *Histogram) digits() int {
	switch {
	case h != nil && h.dense != nil:
		return int(h.dense.SignificantFigures())
	case h != nil && h.sparse != nil:
		return int(h.sparse.SignificantFigures())
	}
	return coarseDigits
}

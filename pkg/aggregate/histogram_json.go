package aggregate

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// histogramJSON is the wire form: HdrHistogram's own V2 compressed encoding (base64), and the exact figures beside it.
type histogramJSON struct {
	HDR     string  `json:"hdr"`
	Sum     int64   `json:"sum"`
	Sq      float64 `json:"sum_of_squares"`
	Min     int64   `json:"min"`
	Max     int64   `json:"max"`
	Clamped int64   `json:"clamped,omitempty"`
}

// MarshalJSON writes the wire form.
func (h *Histogram) MarshalJSON() ([]byte, error) {
	if h.counts.kept == 0 {
		return nil, errors.New("histogram was not made by NewHistogram")
	}
	hdr := hdrhistogram.NewPacked(1, maxValue, h.digits())
	for v, n := range h.Buckets {
		_ = hdr.RecordValues(v, n) // cannot fail: v is in range
	}
	b, err := hdr.Encode()
	if err != nil {
		return nil, fmt.Errorf("encode histogram: %w", err)
	}
	return json.Marshal(histogramJSON{string(b), h.sum, h.sq, h.Min(), h.Max(), h.clamped})
}

// UnmarshalJSON reads the wire form. Histograms of other ranges or digits are refused: they would not merge exactly.
func (h *Histogram) UnmarshalJSON(b []byte) error {
	var w histogramJSON
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	r := Histogram{sum: w.Sum, sq: w.Sq, min: w.Min, max: w.Max, clamped: w.Clamped}
	if err := r.decode(w.HDR); err != nil {
		return fmt.Errorf("decode histogram: %w", err)
	}
	if r.Count() == 0 {
		r.min, r.max = math.MaxInt64, math.MinInt64
	}
	*h = r
	return nil
}

// decode counts what HdrHistogram's encoding holds.
func (h *Histogram) decode(text string) error {
	hdr, err := hdrhistogram.DecodePacked([]byte(text))
	if err != nil {
		return err
	}
	lowest, highest, digits := hdr.LowestTrackableValue(), hdr.HighestTrackableValue(), hdr.SignificantFigures()
	if lowest != 1 || highest != maxValue || digits != coarseDigits && digits != fineDigits {
		return fmt.Errorf("range %d to %d with %d digits is not one of ours", lowest, highest, digits)
	}
	h.counts = newCounts(int(digits))
	hdr.ForEachBucket(func(v, n int64) bool {
		if v > maxValue || n < 0 || n > maxCount-h.counts.n {
			err = fmt.Errorf("%d times %d is out of range", n, v)
			return false
		}
		h.counts.add(v, n)
		return true
	})
	return err
}

// maxCount is how many values a histogram may have that came over the network: many of them still add up.
const maxCount = 1 << 50

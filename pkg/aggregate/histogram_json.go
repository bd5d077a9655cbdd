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
	Sparse  bool    `json:"sparse,omitempty"`
	Sum     int64   `json:"sum"`
	Sq      float64 `json:"sum_of_squares"`
	Min     int64   `json:"min"`
	Max     int64   `json:"max"`
	Clamped int64   `json:"clamped,omitempty"`
}

// MarshalJSON writes the wire form.
func (h *Histogram) MarshalJSON() ([]byte, error) {
	var b []byte
	var err error
	switch {
	case h.dense != nil:
		b, err = h.dense.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	case h.sparse != nil:
		b, err = h.sparse.Encode()
	default:
		err = errors.New("histogram was not made by NewHistogram")
	}
	if err != nil {
		return nil, fmt.Errorf("encode histogram: %w", err)
	}
	return json.Marshal(histogramJSON{string(b), h.sparse != nil, h.sum, h.sq, h.Min(), h.Max(), h.clamped})
}

// UnmarshalJSON reads the wire form. Histograms of other ranges or digits are refused: they would not merge exactly.
func (h *Histogram) UnmarshalJSON(b []byte) error {
	var w histogramJSON
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	r := Histogram{sum: w.Sum, sq: w.Sq, min: w.Min, max: w.Max, clamped: w.Clamped}
	if err := r.decode(w); err != nil {
		return fmt.Errorf("decode histogram: %w", err)
	}
	if r.Count() == 0 {
		r.min, r.max = math.MaxInt64, math.MinInt64
	}
	*h = r
	return nil
}

func (h *Histogram) decode(w histogramJSON) error {
	var lowest, highest, digits int64
	var err error
	if w.Sparse {
		h.sparse, err = hdrhistogram.DecodePacked([]byte(w.HDR))
		if err == nil {
			lowest, highest, digits = h.sparse.LowestTrackableValue(), h.sparse.HighestTrackableValue(), h.sparse.SignificantFigures()
		}
	} else {
		h.dense, err = hdrhistogram.Decode([]byte(w.HDR))
		if err == nil {
			lowest, highest, digits = h.dense.LowestTrackableValue(), h.dense.HighestTrackableValue(), h.dense.SignificantFigures()
		}
	}
	if err != nil {
		return err
	}
	if lowest != 1 || highest != maxValue || digits != coarseDigits && digits != fineDigits {
		return fmt.Errorf("range %d to %d with %d digits is not one of ours", lowest, highest, digits)
	}
	return nil
}

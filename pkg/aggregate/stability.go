package aggregate

import (
	"math"
	"slices"
	"time"
)

// Autoterm cuts a phase so far into StableSlices slices of equal length, of which the last StableLast must agree.
const (
	StableSlices = 25
	StableLast   = 7
)

// Stability is when a throughput is stable.
type Stability struct {
	MinDuration time.Duration `json:"min_duration_ns"` // how long it must have been stable
	Percent     float64       `json:"percent"`         // how far it may stray from the latest throughput; with Slope, the range of what lies between its lowest and highest

	// Slope, if set, is how far a straight line through the slices may rise or fall from the first to the last, in percent of their average;
	// Percent is in percent of the average, too.
	Slope float64 `json:"slope_percent,omitempty"`
}

// Reached reports whether the rates of the last slices, the newest first, lie within the limits and span at least the minimum
// duration, so that a lasting drift never does.
func (s Stability) Reached(rates []float64, slice time.Duration) bool {
	newest := rates[0]
	switch {
	case !(newest > 0) || slice*time.Duration(len(rates)) < s.MinDuration:
		return false
	case s.Slope == 0:
		return !slices.ContainsFunc(rates, func(r float64) bool { return !(math.Abs(r-newest) <= s.Percent/100*newest) })
	}
	average, rise := line(rates)
	return slices.Max(rates)-slices.Min(rates) <= s.Percent/100*average && math.Abs(rise) <= s.Slope/100*average
}

// line returns the average of values, and by how much the straight line through them (least squares) rises from the first to the last.
func line(values []float64) (average, rise float64) {
	n := float64(len(values))
	for _, v := range values {
		average += v / n
	}
	var products, squares float64
	for i, v := range values {
		x := float64(i) - (n-1)/2
		products, squares = products+x*(v-average), squares+x*x
	}
	if squares == 0 {
		return average, 0
	}
	return average, products / squares * (n - 1)
}

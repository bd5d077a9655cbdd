package live

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Autoterm cuts a phase so far into StableSlices slices of equal length. The last StableLast of them must agree, and the last StableKept,
// the newer half of the phase, must not drift.
const (
	StableSlices = 25
	StableLast   = 7
	StableKept   = 13
)

// Stability is when a throughput is stable.
type Stability struct {
	MinDuration time.Duration `json:"min_duration_ns"` // how long it must have been stable
	Percent     float64       `json:"percent"`         // how far it may stray from the latest throughput; with Slope, its whole range

	// Slope, if set, is how far a straight line through the slices may rise or fall from the first to the last, in percent of their average;
	// Percent is in percent of the average, too.
	Slope float64 `json:"slope_percent,omitempty"`
}

// Settled is a throughput that is stable.
type Settled struct {
	Rate    float64 // of the newest slice, per second
	ByBytes bool    // it is in bytes, or else in objects
	Drift   Drift   // of the newer half of the phase
}

// Settle returns the throughput that moved these amounts in the last StableKept slices, the newest first, and whether it is stable.
func (s Stability) Settle(moved []float64, slice time.Duration, byBytes bool) (now Settled, ok bool) {
	rates := make([]float64, len(moved))
	for i := range moved {
		rates[i] = moved[i] / slice.Seconds()
	}
	return Settled{rates[0], byBytes, driftOf(rates, slice)}, s.reached(rates, slice)
}

// acceptedDrift is how far a throughput may drift during StableLast slices, in percent, however certain that is.
const acceptedDrift = 1

// reached reports whether the rates of the last StableKept slices, the newest first, are stable: the last StableLast lie within the limits
// and span at least the minimum duration, and there is no drift that is both larger than is accepted and beyond its own error. With
// Slope the straight line decides, whatever its error.
func (s Stability) reached(rates []float64, slice time.Duration) bool {
	last, newest := rates[:StableLast], rates[0]
	switch {
	case !(newest > 0) || slice*StableLast < s.MinDuration:
		return false
	case s.Slope > 0:
		l := lineThrough(last)
		return slices.Max(last)-slices.Min(last) <= s.Percent/100*l.average && math.Abs(l.slope)*(StableLast-1) <= s.Slope/100*l.average
	case slices.ContainsFunc(last, func(r float64) bool { return !(math.Abs(r-newest) <= s.Percent/100*newest) }):
		return false
	}
	d := driftOf(rates, slice)
	during := math.Abs(d.PerMinute) * (slice * (StableLast - 1)).Minutes()
	return !d.Significant() || during <= acceptedDrift
}

// Drift is how a throughput rises or falls, in percent of its average a minute.
type Drift struct {
	PerMinute float64 // falls if negative
	Error     float64 // half of the 95% interval
}

// studentKept is the quantile of Student's t for 95%, at the degrees of freedom of a line through StableKept slices.
const studentKept = 2.201

// maxCorrelation bounds the estimated correlation of neighbouring slices: near 1 it cannot be told from the drift itself.
const maxCorrelation = 0.5

// driftOf returns the drift of the rates of StableKept slices, the newest first: the slope of the straight line through them (least
// squares). Its error accounts for the correlation of neighbouring slices, as of a first-order autoregression: the residuals' own,
// corrected for the bias of about -2/n that the fitted line causes.
func driftOf(rates []float64, slice time.Duration) Drift {
	l, n := lineThrough(rates), float64(len(rates))
	if !(l.average > 0) || slice <= 0 {
		return Drift{}
	}
	correlation := 0.0
	if l.residual > 0 {
		correlation = min(max(l.products/l.residual+2/n, 0), maxCorrelation)
	}
	deviation := math.Sqrt(l.residual / (n - 2) / l.spread * (1 + correlation) / (1 - correlation))
	scale := 100 / l.average / slice.Minutes()
	return Drift{-l.slope * scale, studentKept * deviation * scale} // the newest slice comes first
}

// Significant reports whether the drift is beyond its error.
func (d Drift) Significant() bool { return math.Abs(d.PerMinute) > d.Error }

// String returns the drift with its interval.
func (d Drift) String() string {
	tenths := func(v float64) float64 { return math.Round(v*10)/10 + 0 } // + 0: no -0
	return fmt.Sprintf("%+.1f%% a minute (95%%: %+.1f%% to %+.1f%%)",
		tenths(d.PerMinute), tenths(d.PerMinute-d.Error), tenths(d.PerMinute+d.Error))
}

// line is the straight line through values at equal distances, by least squares.
type line struct {
	average  float64
	slope    float64 // from one value to the next
	spread   float64 // sum of the squares of distances from the middle
	residual float64 // sum of the squares of what the values lie off the line
	products float64 // sum of the products of neighbours among these
}

func lineThrough(values []float64) (l line) {
	n := float64(len(values))
	for _, v := range values {
		l.average += v / n
	}
	middle := (n - 1) / 2
	for i, v := range values {
		x := float64(i) - middle
		l.slope, l.spread = l.slope+x*(v-l.average), l.spread+x*x
	}
	l.slope /= l.spread
	before := 0.0
	for i, v := range values {
		off := v - l.average - l.slope*(float64(i)-middle)
		l.residual, l.products = l.residual+off*off, l.products+off*before
		before = off
	}
	return l
}

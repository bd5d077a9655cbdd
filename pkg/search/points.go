package search

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"

	"warp/pkg/compare"
)

// Sweep is a sweep in a recording.
type Sweep struct {
	Stream string       `json:"stream,omitempty"` // stream that it varies; names of its phases begin with it; empty in a plan of one sweep
	Over   []string     `json:"over"`             // flags
	Points []SweepPoint `json:"points"`           // in order of measurement
}

// SweepPoint is the values at which a phase was measured. Several phases can have the same ones.
type SweepPoint struct {
	Phase  string  `json:"phase"`
	Values []Value `json:"values"` // one for each flag
}

// Valid reports whether each point has a value for each flag: recordings of others are not to be trusted.
func (s *Sweep) Valid() bool {
	return len(s.Over) > 0 && len(s.Points) > 0 && !slices.ContainsFunc(s.Points,
		func(p SweepPoint) bool { return len(p.Values) != len(s.Over) })
}

// Has reports whether a phase is a point of the sweep.
func (s *Sweep) Has(phase string) bool {
	return s != nil && slices.ContainsFunc(s.Points, func(p SweepPoint) bool { return p.Phase == phase })
}

// Axis is the meaning of a flag for the analysis of a sweep.
type Axis string

// The axes.
const (
	axisThreads Axis = "threads" // of a closed loop
	axisRate    Axis = "rate"    // of an open loop
	axisSize    Axis = "size"    // bytes of each operation
	axisOther   Axis = "other"
)

// AxisOf returns the axis of a flag.
func AxisOf(flag string) Axis {
	switch {
	case flag == "concurrent", flag == "threads":
		return axisThreads
	case flag == "rate", flag == "rps-limit":
		return axisRate
	case strings.HasSuffix(flag, "size"):
		return axisSize
	}
	return axisOther
}

// Curve is the points of a sweep that differ only in its first flag.
type Curve struct {
	Axis     Axis
	Points   []Point // in ascending order
	Measured int     // different values at which operations succeeded: only those are described
	Best     int     // index of the lowest point with the highest throughput, within the intervals; over sizes and the like, of the highest
	Trend    Trend   // of throughput beyond it, over threads or rates; empty: there are too few points
	Fits
}

// Fits are the fits of curves of known shape; nil if a shape does not apply.
type Fits struct {
	Knee    *Knee
	USL     *USL   // over threads, unless Limit describes the points better
	Limit   *Limit // over threads
	Servers *Servers
	Size    *LinearFit
}

// NewCurve describes points of an axis. Points at which nothing succeeded stay in it, and have no part in what describes it.
func NewCurve(axis Axis, points []Point) Curve {
	c := Curve{Axis: axis, Points: slices.SortedStableFunc(slices.Values(points),
		func(a, b Point) int { return cmp.Compare(a.Level, b.Level) })}
	var measured []Point
	var at []int
	for i, p := range c.Points {
		if p.Throughput > c.Points[c.Best].Throughput {
			c.Best = i
		}
		if p.Throughput > 0 && p.Response > 0 {
			measured, at = append(measured, p), append(at, i)
		}
	}
	c.Measured = len(levels(measured))
	switch axis {
	case axisThreads, axisRate:
		if c.Measured < minLevels {
			break
		}
		best, trend := saturation(measured)
		c.Best, c.Trend = at[best], trend
		c.Knee, c.Servers = fitted(findKnee, measured), fitted(fitServers, measured)
		if axis == axisThreads {
			c.USL, c.Limit = fitScaling(measured)
		}
	case axisSize:
		c.Size = fitted(fitLinear, measured)
	}
	return c
}

// TooFew reports whether a curve over threads, rates or sizes has too few points to be described, and how many different ones that takes.
func (c *Curve) TooFew() (want int, ok bool) {
	switch c.Axis {
	case axisThreads, axisRate:
		want = minLevels
	case axisSize:
		want = 2
	}
	return want, c.Measured < want
}

// fitted returns a fit; nil if there are too few points for it.
func fitted[T any](fit func([]Point) (T, error), points []Point) *T {
	v, err := fit(points)
	if err != nil {
		return nil
	}
	return &v
}

// Interval returns the 95% interval of the throughput: the bootstrap of its blocks. ok is false with too few of them.
func (p Point) Interval() (ci [2]float64, ok bool) {
	if len(p.Blocks) < 3 {
		return ci, false
	}
	rng := rand.New(rand.NewPCG(0x706f696e74, uint64(len(p.Blocks))))
	weights, found := make([]float64, len(p.Blocks)), make([]float64, replicates)
	for r := range found {
		compare.Resample(rng, p.blockLength(), weights)
		sum, n := 0.0, 0.0
		for i, w := range weights {
			sum, n = sum+w*p.Blocks[i].Throughput, n+w
		}
		found[r] = sum / n
	}
	slices.Sort(found)
	return [2]float64{found[replicates/40], found[replicates-1-replicates/40]}, true
}

// blockLength returns the number of blocks that are drawn at a time: a slow second tends to follow a slow one, while repeats are
// independent.
func (p Point) blockLength() int {
	if p.Repeats {
		return 1
	}
	return 2
}

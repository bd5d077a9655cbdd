package search

import (
	"fmt"
	"math"

	"warp/pkg/compare"
	"warp/pkg/units"
)

// Trend describes the throughput beyond the best point of a curve over loads.
type Trend string

// The trends.
const (
	Rising  Trend = "rising"  // no higher load was measured
	Flat    Trend = "flat"    // it stays within the intervals
	Falling Trend = "falling" // at the highest load it is lower, beyond the intervals
	Unknown Trend = "unknown" // a higher load was measured, and there are no intervals to compare with
)

// Limit is a law of throughput over threads: One·min(n, Threads).
type Limit struct {
	One     float64 // operations per second of one thread
	Threads float64 // that the store serves at a time; a fraction if it lies between two points
}

// minLevels is the minimum number of different loads for a law.
const minLevels = 3

// span returns the interval of the throughput, for comparisons between points; ok is false with too few blocks. The interval of
// the bootstrap is too narrow for them: of few blocks it knows the variance badly, as Student's distribution allows for.
func (p Point) span() (low, high float64, ok bool) {
	ci, ok := p.Interval()
	if !ok {
		return p.Throughput, p.Throughput, false
	}
	independent := max(2, float64(len(p.Blocks)/p.blockLength()))
	wider := compare.StudentQuantile(0.05, independent-1) / 1.959964
	return p.Throughput - wider*max(0, p.Throughput-ci[0]), p.Throughput + wider*max(0, ci[1]-p.Throughput), true
}

// saturation returns the best of points in ascending order, as an index, and what throughput does beyond it. The best is the lowest
// load whose throughput is that of the highest point within the intervals: more load adds nothing that was measured.
func saturation(points []Point) (best int, trend Trend) {
	top, last := 0, len(points)-1
	for i := range points {
		if points[i].Throughput > points[top].Throughput {
			top = i
		}
	}
	least, _, known := points[top].span()
	reaches := func(i int) bool {
		_, high, _ := points[i].span()
		return high >= least
	}
	for best = top; best > 0 && reaches(best-1); {
		best--
	}
	if _, _, ok := points[last].span(); best < last && !(known && ok) {
		return best, Unknown
	}
	switch {
	case !reaches(last):
		return best, Falling
	case best < last:
		return best, Flat
	}
	return best, Rising
}

// fitLimit fits the law of a limit to points, so that relative deviations are small. Without a limit below the highest load, ok is false.
func fitLimit(points []Point) (l Limit, residual float64, ok bool) {
	all := levels(points)
	low, high := all[0], all[len(all)-1]
	try := func(threads float64) (Limit, float64) {
		square, sum := 0.0, 0.0
		for _, p := range points {
			x := min(p.Level, threads) / p.Throughput
			square, sum = square+x*x, sum+x
		}
		l, residual := Limit{sum / square, threads}, 0.0
		for _, p := range points {
			d := 1 - l.at(p.Level)/p.Throughput
			residual += d * d
		}
		return l, residual
	}
	residual = math.Inf(1)
	const steps = 2000
	for i := range steps {
		if tried, r := try(low * math.Pow(high/low, float64(i)/steps)); r < residual {
			l, residual = tried, r
		}
	}
	_, linear := try(high)
	return l, residual, residual < linear
}

// at returns the throughput of n threads.
func (l Limit) at(n float64) float64 { return l.One * min(n, l.Threads) }

// String returns the law in words.
func (l Limit) String() string {
	return fmt.Sprintf("throughput grows with the threads up to about %s, and not beyond", units.Digits(l.Threads))
}

// fitScaling fits the laws of throughput over threads, and returns the one that describes the points better: by Bayes' information
// criterion, since the universal scalability law has one parameter more. It bends where a limit has a corner, and would have a peak
// where throughput is flat.
func fitScaling(points []Point) (*USL, *Limit) {
	u, err := fitUSL(points)
	if err != nil {
		return nil, nil
	}
	bent := 0.0
	for _, p := range points {
		d := 1 - u.at(p.Level)/p.Throughput
		bent += d * d
	}
	parameters := 1.0
	for _, v := range []float64{u.Contention, u.Crosstalk} {
		if v > 0 {
			parameters++
		}
	}
	l, cornered, ok := fitLimit(points)
	if ok && criterion(len(points), cornered, 2) <= criterion(len(points), bent, parameters) {
		return nil, &l
	}
	return &u, nil
}

// criterion returns Bayes' information criterion of a fit: less is better.
func criterion(n int, residual, parameters float64) float64 {
	const rounding = 0.005 // smaller relative deviations from a law say nothing
	return float64(n)*math.Log(residual/float64(n)+rounding*rounding) + parameters*math.Log(float64(n))
}

// PeakThreads returns the number of threads with the highest throughput by the universal scalability law; 0 if the throughput measured
// does not fall, or the law has its peak elsewhere.
func (c *Curve) PeakThreads() float64 {
	if c.USL == nil || c.Trend != Falling {
		return 0
	}
	below, above := 0.0, c.Points[len(c.Points)-1].Level
	if c.Best > 0 {
		below = c.Points[c.Best-1].Level
	}
	if peak := c.USL.peak(); peak >= below && peak <= above {
		return peak
	}
	return 0
}

// Scaling returns the law of throughput over threads in words; empty without one.
func (c *Curve) Scaling() string {
	switch {
	case c.Limit != nil:
		return "Limit: " + c.Limit.String()
	case c.USL == nil:
		return ""
	}
	text := "Universal scalability law: " + c.USL.String()
	switch peak := c.PeakThreads(); {
	case peak >= 1:
		return fmt.Sprintf("%s: peak at about %.0f threads", text, peak)
	case peak > 0:
		return text + ": one thread is the best"
	case c.USL.Contention == 0 && c.USL.Crosstalk == 0:
		return text + ": throughput grows with the threads"
	case c.USL.Crosstalk == 0:
		return fmt.Sprintf("%s: no peak, at most %s op/s", text, units.Digits(c.USL.One/c.USL.Contention))
	}
	return text + ": no peak was measured"
}

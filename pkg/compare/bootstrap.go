package compare

import (
	"math"
	"math/rand/v2"
)

// replicates is the number of resamplings of a run. The standard error is known to 1/√(2·replicates), 3%.
const replicates = 500

// minSegments is the smallest number of segments that says anything about the variation of a run.
const minSegments = 8

// spread describes the random variation of a metric of one run.
type spread struct {
	relative float64 // standard error divided by the value
	df       float64 // degrees of freedom of that error
	segments int

	correlation float64 // from one segment to the next, its error included; see persistence and slowness
	slow        float64 // likewise, of what varies slowly in it
	independent bool    // segments show no sign of correlation
	varies      float64 // of a rate: standard deviation, divided by the value, of what one segment has in common with the next
}

// Resample sets weights to how often each of n segments is drawn by the circular block bootstrap (Politis and Romano,
// 1992): blocks of b successive segments from random starts, the last followed by the first, until there are n.
func Resample(rng *rand.Rand, b int, weights []float64) {
	clear(weights)
	n := len(weights)
	for left := n; left > 0; left -= b {
		start := rng.IntN(n)
		for k := range min(b, left) {
			i := start + k
			if i >= n {
				i -= n
			}
			weights[i]++
		}
	}
}

// bootstrap returns the standard deviation of each statistic over resampled segments. Each call with the same n and b
// draws the same segments, so a comparison is reproducible and treats both sides alike.
func bootstrap(n, b, statistics int, compute func(weights, result []float64)) []float64 {
	rng := rand.New(rand.NewPCG(0x77617270, uint64(n)))
	weights, result := make([]float64, n), make([]float64, statistics)
	avg, sq := make([]float64, statistics), make([]float64, statistics)
	for r := range replicates {
		Resample(rng, b, weights)
		compute(weights, result)
		for i, v := range result { // Welford's method
			d := v - avg[i]
			avg[i] += d / float64(r+1)
			sq[i] += d * (v - avg[i])
		}
	}
	for i := range sq {
		sq[i] = math.Sqrt(sq[i] / (replicates - 1))
	}
	return sq
}

// rounding is the relative error below which a spread is that of arithmetic, and its autocorrelation means nothing.
const rounding = 1e-9

// spreadOf makes a spread from a bootstrap's standard error with blocks of length b. influence is what each segment
// adds to the metric, up to scale; it gives the autocorrelation. noise is the variance that single requests cause in it; 0: not known.
func spreadOf(value, deviation float64, influence []float64, noise float64, b int) (spread, bool) {
	inflation, df := calibrate(influence, b)
	s := spread{
		relative:    inflation * deviation / value,
		df:          df,
		segments:    len(influence),
		slow:        slowness(influence, noise),
		independent: independent(influence),
	}
	s.correlation = max(persistence(influence), s.slow)
	if s.relative < rounding {
		s.correlation, s.slow, s.independent = 0, 0, true
	}
	return s, value > 0 && isFinite(s.relative)
}

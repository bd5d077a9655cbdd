package search

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"warp/pkg/compare"
	"warp/pkg/units"
)

// Point is a point of a sweep: what was varied, and what came of it. Fits take points that were measured only: with throughput and
// response.
type Point struct {
	Level      float64 // threads, operations per second, bytes, ...
	Throughput float64 // operations per second
	Response   float64 // seconds, on average
	Blocks     []Block // parts of the point, in the order of time, or its repeats
	Repeats    bool    // blocks are repeats
}

// Block is a part of a point.
type Block struct{ Throughput, Response float64 }

// USL is a fit of the universal scalability law: with n threads the throughput is
//
//	One · n / (1 + Contention·(n-1) + Crosstalk·n·(n-1))
type USL struct {
	One        float64 // operations per second of one thread
	Contention float64 // share of the work that no two threads do at a time (sigma)
	Crosstalk  float64 // work that each pair of threads adds (kappa)
}

// errPoints is the error of fits with too few points.
var errPoints = errors.New("too few points (want at least three different loads)")

// fitUSL fits the law to points of a sweep over threads, so that relative deviations are small. Neither parameter is negative.
func fitUSL(points []Point) (USL, error) {
	if len(levels(points)) < minLevels {
		return USL{}, errPoints
	}
	best, least := USL{}, math.Inf(1)
	for _, contention := range []bool{true, false} {
		for _, crosstalk := range []bool{true, false} {
			if u, residual, ok := fitTerms(points, contention, crosstalk); ok && residual < least {
				best, least = u, residual
			}
		}
	}
	if math.IsInf(least, 1) {
		return USL{}, errPoints
	}
	return best, nil
}

// fitTerms fits the law with some of its parameters; ok is false if one is negative. n/X is linear in 1/One, Contention/One and
// Crosstalk/One; multiplied by X/n, deviations are relative.
func fitTerms(points []Point, contention, crosstalk bool) (u USL, residual float64, ok bool) {
	columns, y := make([][]float64, 1, 3), []float64{}
	terms := []func(n float64) float64{func(float64) float64 { return 1 }}
	parameters := []*float64{&u.One}
	if contention {
		terms, parameters = append(terms, func(n float64) float64 { return n - 1 }), append(parameters, &u.Contention)
	}
	if crosstalk {
		terms, parameters = append(terms, func(n float64) float64 { return n * (n - 1) }), append(parameters, &u.Crosstalk)
	}
	columns = columns[:len(terms)]
	for _, p := range points {
		for i, term := range terms {
			columns[i] = append(columns[i], term(p.Level)*p.Throughput/p.Level)
		}
		y = append(y, 1)
	}
	c, residual, ok := leastSquares(columns, y)
	if !ok || slices.Min(c) < 0 || c[0] == 0 {
		return u, 0, false
	}
	for i, p := range parameters {
		*p = c[i] / c[0]
	}
	u.One = 1 / c[0]
	return u, residual, true
}

// levels returns the different levels of points, in ascending order.
func levels(points []Point) (list []float64) {
	for _, p := range points {
		list = append(list, p.Level)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// at returns the throughput of n threads.
func (u USL) at(n float64) float64 {
	return u.One * n / (1 + u.Contention*(n-1) + u.Crosstalk*n*(n-1))
}

// peak returns the number of threads with the highest throughput; 0 if throughput only rises.
func (u USL) peak() float64 {
	if u.Crosstalk <= 0 {
		return 0
	}
	return math.Sqrt(max(0, 1-u.Contention) / u.Crosstalk)
}

// String returns the parameters in words: "contention 3%, crosstalk 0.01%".
func (u USL) String() string {
	return fmt.Sprintf("contention %s%%, crosstalk %s%%", units.Digits(100*u.Contention), units.Digits(100*u.Crosstalk))
}

// LinearFit is latency as a function of size: Base + PerByte·size.
type LinearFit struct {
	Base    float64 // seconds
	PerByte float64 // seconds
}

// fitLinear fits latency to points of a sweep over sizes, so that relative deviations are small.
func fitLinear(points []Point) (LinearFit, error) {
	if len(levels(points)) < 2 {
		return LinearFit{}, errors.New("too few points (want at least two different sizes)")
	}
	columns, y := make([][]float64, 2), []float64{}
	for _, p := range points {
		columns[0] = append(columns[0], 1/p.Response)
		columns[1] = append(columns[1], p.Level/p.Response)
		y = append(y, 1)
	}
	c, _, ok := leastSquares(columns, y)
	if !ok {
		return LinearFit{}, errors.New("no latency was measured")
	}
	return LinearFit{c[0], c[1]}, nil
}

// Servers describes a store as a number of servers with one queue: operations at a time, and the time of each.
type Servers struct {
	Count   float64
	Service float64 // seconds
}

// fitServers derives servers from points of a sweep over threads or rates: the service time is the response time at the lowest load, and
// by Little's law the highest throughput times that is the number of operations in service. Both need a lowest load at which operations
// do not wait, and a highest one that is more than the store can do.
func fitServers(points []Point) (Servers, error) {
	if len(levels(points)) < minLevels {
		return Servers{}, errPoints
	}
	least := slices.MinFunc(points, func(a, b Point) int { return cmp.Compare(a.Level, b.Level) })
	highest := 0.0
	for _, p := range points {
		highest = max(highest, p.Throughput)
	}
	return Servers{highest * least.Response, least.Response}, nil
}

// Knee is the load beyond which latency rises faster than throughput.
type Knee struct {
	Level     float64    // with the highest ratio of throughput to response time
	CI        [2]float64 // 95% interval
	Kneedle   float64    // by the distance of the curve from its chord (Satopaa and others, 2011)
	Confirmed bool       // Kneedle is in the interval, or at a level next to it
}

// replicates is the number of resamplings for an interval.
const replicates = 400

// findKnee finds the knee. The interval is of the bootstrap of blocks; without blocks it spans the neighbouring levels.
func findKnee(points []Point) (Knee, error) {
	list := slices.SortedFunc(slices.Values(points), func(a, b Point) int { return cmp.Compare(a.Level, b.Level) })
	if len(levels(list)) < minLevels {
		return Knee{}, errPoints
	}
	k := Knee{Level: peakOf(list), Kneedle: kneedle(list)}
	rng := rand.New(rand.NewPCG(0x6b6e6565, uint64(len(list))))
	drawn, found := slices.Clone(list), make([]float64, replicates)
	for r := range found {
		for i, p := range list {
			drawn[i] = resampled(rng, p)
		}
		found[r] = peakOf(drawn)
	}
	slices.Sort(found)
	k.CI = [2]float64{found[replicates/40], found[replicates-1-replicates/40]}
	all := levels(list)
	low, _ := slices.BinarySearch(all, k.CI[0])
	high, _ := slices.BinarySearch(all, k.CI[1])
	from, to := all[max(0, low-1)], all[min(len(all)-1, high+1)]
	if k.CI[0] == k.CI[1] { // no finer than the levels
		k.CI = [2]float64{all[max(0, low-1)], all[min(len(all)-1, high+1)]}
	}
	k.Confirmed = k.Kneedle >= from && k.Kneedle <= to
	return k, nil
}

// resampled draws the blocks of a point anew.
func resampled(rng *rand.Rand, p Point) Point {
	if len(p.Blocks) < 2 {
		return p
	}
	weights := make([]float64, len(p.Blocks))
	compare.Resample(rng, p.blockLength(), weights)
	operations, busy, n := 0.0, 0.0, 0.0
	for i, w := range weights {
		operations += w * p.Blocks[i].Throughput
		busy += w * p.Blocks[i].Throughput * p.Blocks[i].Response
		n += w
	}
	if operations > 0 {
		p.Throughput, p.Response = operations/n, busy/operations
	}
	return p
}

// peakOf returns the level with the highest ratio of throughput to response time.
func peakOf(list []Point) float64 {
	return slices.MaxFunc(list, func(a, b Point) int { return cmp.Compare(a.Throughput/a.Response, b.Throughput/b.Response) }).Level
}

// kneedle returns the level at which response time over throughput, both scaled to 0 to 1, is farthest below the chord.
func kneedle(list []Point) (level float64) {
	first, last := list[0], slices.MaxFunc(list, func(a, b Point) int { return cmp.Compare(a.Throughput, b.Throughput) })
	low, high := first.Response, last.Response
	farthest := math.Inf(-1)
	for _, p := range list {
		if d := part(p.Throughput, first.Throughput, last.Throughput) - part(p.Response, low, high); d > farthest {
			level, farthest = p.Level, d
		}
	}
	return level
}

// part returns where a value lies from one to another, which are 0 and 1; 0 if they are the same.
func part(v, from, to float64) float64 {
	if from == to {
		return 0
	}
	return (v - from) / (to - from)
}

// leastSquares returns the coefficients of columns whose sum is nearest to y, by the normal equations.
func leastSquares(columns [][]float64, y []float64) (c []float64, residual float64, ok bool) {
	n := len(columns)
	scale := make([]float64, n) // columns may differ by many orders of magnitude
	for i, col := range columns {
		scale[i] = math.Sqrt(dot(col, col))
		if scale[i] == 0 {
			return nil, 0, false
		}
	}
	m := make([][]float64, n)
	for i := range m {
		for k := range n {
			m[i] = append(m[i], dot(columns[i], columns[k])/scale[i]/scale[k])
		}
		m[i] = append(m[i], dot(columns[i], y)/scale[i])
	}
	if !eliminate(m) {
		return nil, 0, false
	}
	for i := range m {
		c = append(c, m[i][n]/scale[i])
	}
	for i := range y {
		fit := 0.0
		for k, col := range columns {
			fit += c[k] * col[i]
		}
		residual += (y[i] - fit) * (y[i] - fit)
	}
	return c, residual, true
}

// eliminate solves linear equations in place (Gauss and Jordan). Each row ends with its right-hand side.
func eliminate(m [][]float64) (ok bool) {
	for i := range m {
		p := i
		for k := i + 1; k < len(m); k++ {
			if math.Abs(m[k][i]) > math.Abs(m[p][i]) {
				p = k
			}
		}
		m[i], m[p] = m[p], m[i]
		pivot := m[i][i]
		if math.Abs(pivot) < 1e-12 {
			return false
		}
		for j := range m[i] {
			m[i][j] /= pivot
		}
		for k := range m {
			if f := m[k][i]; k != i {
				for j := range m[k] {
					m[k][j] -= f * m[i][j]
				}
			}
		}
	}
	return true
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

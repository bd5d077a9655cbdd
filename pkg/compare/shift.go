package compare

import (
	"math"
	"slices"
)

// medianOf returns the middle of sorted values, or the average of the two middle ones.
func medianOf(sorted []float64) float64 {
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return sorted[n/2-1]/2 + sorted[n/2]/2
}

// medianInterval returns the shortest symmetric interval between two order statistics that contains the median of the
// distribution, whatever it is, with at least this confidence; nil if no two of the values are far enough apart. The
// number of values below the median is binomial with 1/2.
func medianInterval(sorted []float64, confidence float64) *Interval {
	n := len(sorted)
	below, k := 0.0, 0 // below: the probability of at most k-1
	for k < n/2 {
		next := below + math.Exp(logChoose(n, k)-float64(n)*math.Ln2)
		if 2*next > 1-confidence {
			break
		}
		below = next
		k++
	}
	if k == 0 {
		return nil
	}
	return &Interval{sorted[k-1], sorted[n-k]}
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// hodgesLehmann estimates how far b lies above a: the median of all pairwise differences (Hodges and Lehmann, 1963),
// and the interval of those shifts that Mann-Whitney would not reject: the number of differences cut off at each end is
// the number of values of U that are too unlikely (Moses). The interval is nil if there are too few values.
func hodgesLehmann(a, b []float64, confidence float64) (shift float64, ci *Interval) {
	d := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			d = append(d, y-x)
		}
	}
	slices.Sort(d)
	if k := criticalU(len(a), len(b), 1-confidence); k > 0 {
		ci = &Interval{d[k-1], d[len(d)-k]}
	}
	return medianOf(d), ci
}

// criticalU returns the largest k for which P(U < k) is at most alpha/2 when nothing differs.
func criticalU(m, n int, alpha float64) int {
	if m+n > maxExact {
		fm, fn := float64(m), float64(n)
		k := fm*fn/2 - normalQuantile(alpha)*math.Sqrt(fm*fn*(fm+fn+1)/12)
		return max(0, int(math.Floor(k)))
	}
	ways := waysU(m, n)
	var all, tail float64
	for _, w := range ways {
		all += w
	}
	for k, w := range ways {
		if tail += w; tail > alpha/2*all {
			return k
		}
	}
	return len(ways)
}

// waysU returns the number of orders of m and n distinct values for which U is 0, 1, ... m·n. The generating function
// is the Gaussian binomial coefficient, the product of (1-q^(n+i))/(1-q^i) for i from 1 to m.
func waysU(m, n int) []float64 {
	ways := make([]float64, m*n+1)
	ways[0] = 1
	for i := 1; i <= m; i++ {
		for s := len(ways) - 1; s >= n+i; s-- {
			ways[s] -= ways[s-n-i]
		}
		for s := i; s < len(ways); s++ {
			ways[s] += ways[s-i]
		}
	}
	return ways
}

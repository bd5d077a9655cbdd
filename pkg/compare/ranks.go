package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// maxExact is the largest total number of values for which the distribution of U is computed exactly.
const maxExact = 50

// mannWhitney tests whether values of a tend to be larger or smaller than values of b (Mann and Whitney, 1947): U counts
// the pairs with the larger value in a, ties for half; p is two-sided. Up to maxExact values p is exact, also
// with ties, from all ways to deal the same values to two sides. Beyond, it is the normal approximation with
// corrections for ties and continuity.
func mannWhitney(a, b []float64) (u, p float64) {
	m, n := len(a), len(b)
	ranks, ties := doubleRanks(a, b)
	sum := 0
	for _, r := range ranks[:m] {
		sum += r
	}
	u = float64(sum-m*(m+1)) / 2
	if m+n <= maxExact {
		return u, exactTail(ranks, m, sum)
	}
	return u, approximateTail(u, m, n, ties)
}

// doubleRanks returns twice the rank of each value of a, then of b, among all of them, from 1; equal values share their
// mean rank, which doubling keeps whole. ties is the sum of t³-t over groups of t equal values.
func doubleRanks(a, b []float64) (ranks []int, ties float64) {
	all := slices.Concat(a, b)
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(all[i], all[j]) })
	ranks = make([]int, len(all))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && all[order[j]] == all[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			ranks[k] = i + 1 + j
		}
		t := float64(j - i)
		ties += t*t*t - t
		i = j
	}
	return ranks, ties
}

// exactTail returns the probability of a sum of m of the ranks that is at least as small, or at least as large,
// whichever is less likely, doubled for both directions. All choices are counted rank by rank: ways[k][s] is the number
// of ways to choose k of the ranks so far that add up to s.
func exactTail(ranks []int, m, sum int) float64 {
	total := 0
	for _, r := range ranks {
		total += r
	}
	ways := make([][]float64, m+1)
	for k := range ways {
		ways[k] = make([]float64, total+1)
	}
	ways[0][0] = 1
	for i, r := range ranks {
		for k := min(i+1, m); k > 0; k-- {
			for s := total; s >= r; s-- {
				ways[k][s] += ways[k-1][s-r]
			}
		}
	}
	var all, low, high float64
	for s, w := range ways[m] {
		all += w
		if s <= sum {
			low += w
		}
		if s >= sum {
			high += w
		}
	}
	return min(1, 2*min(low, high)/all)
}

func approximateTail(u float64, m, n int, ties float64) float64 {
	fm, fn := float64(m), float64(n)
	total := fm + fn
	variance := fm * fn / 12 * (total + 1 - ties/(total*(total-1)))
	if variance <= 0 { // all values are equal
		return 1
	}
	return normalTail(max(0, math.Abs(u-fm*fn/2)-0.5) / math.Sqrt(variance))
}

// minP returns the smallest p that the test can give with m and n values: that of two sides that do not overlap.
func minP(m, n int) float64 {
	lm, _ := math.Lgamma(float64(m + 1))
	ln, _ := math.Lgamma(float64(n + 1))
	lmn, _ := math.Lgamma(float64(m + n + 1))
	return min(1, 2*math.Exp(lm+ln-lmn))
}

// runsNeeded returns the number of runs per side with which p, multiplied by the number of corrected metrics, can fall
// to alpha.
func runsNeeded(alpha float64, family int) int {
	n := 2
	for n < 1000 && minP(n, n)*float64(max(family, 1)) > alpha {
		n++
	}
	return n
}

// rankTest compares several runs with several runs by rank.
type rankTest struct{ confidence float64 }

func (t rankTest) test(m Metric, c *Change, before, after values) {
	c.Before.CI = medianInterval(before.list, t.confidence)
	c.After.CI = medianInterval(after.list, t.confidence)
	if min(len(before.list), len(after.list)) < 2 {
		c.TooFew = true
		c.Note = fmt.Sprintf("too few runs: %d and %d have it, need at least 2 per side", len(before.list), len(after.list))
		return
	}
	if c.refuse(m) {
		return
	}
	_, p := mannWhitney(before.list, after.list)
	c.setP(p)
	if before.list[0] <= 0 || after.list[0] <= 0 {
		return // no logarithm: the change remains that of the medians
	}
	shift, ci := hodgesLehmann(logs(before.list), logs(after.list), t.confidence)
	relative := math.Expm1(shift)
	if !isFinite(relative) {
		return
	}
	c.Relative, c.Absolute = &relative, relative*c.Before.Value
	if ci != nil {
		c.setCI(math.Expm1(ci.Low), math.Expm1(ci.High))
	}
}

// logs turns relative changes into shifts.
func logs(list []float64) []float64 {
	l := make([]float64, len(list))
	for i, v := range list {
		l[i] = math.Log(v)
	}
	return l
}

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

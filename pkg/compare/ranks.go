package compare

import (
	"cmp"
	"math"
	"slices"
)

// maxExact is the largest total number of values for which the distribution of U is computed exactly.
const maxExact = 50

// mannWhitney tests whether values of a tend to be larger or smaller than those of b (Mann and Whitney, 1947): U counts
// the pairs in which the value of a is larger, ties for half; p is two-sided. Up to maxExact values p is exact, also
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
// of ways in which k of the ranks so far add up to s.
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

// leastP returns the smallest p that the test can give with m and n values: that of two sides that do not overlap.
func leastP(m, n int) float64 {
	lm, _ := math.Lgamma(float64(m + 1))
	ln, _ := math.Lgamma(float64(n + 1))
	lmn, _ := math.Lgamma(float64(m + n + 1))
	return min(1, 2*math.Exp(lm+ln-lmn))
}

// runsNeeded returns the number of runs per side with which p, multiplied by the number of corrected metrics, can fall
// to alpha.
func runsNeeded(alpha float64, family int) int {
	n := 2
	for n < 1000 && leastP(n, n)*float64(max(family, 1)) > alpha {
		n++
	}
	return n
}

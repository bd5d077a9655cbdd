package model

import (
	"math"
	"slices"
	"time"
)

// Dist is a distribution of times, given by its quantile function: the time that a share p of all values, 0 < p < 1, does
// not exceed.
type Dist func(p float64) time.Duration

// Constant is always d.
func Constant(d time.Duration) Dist { return func(float64) time.Duration { return d } }

// Uniform lies evenly between from and to.
func Uniform(from, to time.Duration) Dist {
	return func(p float64) time.Duration { return from + time.Duration(p*float64(to-from)) }
}

// LogNormal is the usual shape of latencies: the logarithm is normal with standard deviation sigma around the median.
func LogNormal(median time.Duration, sigma float64) Dist {
	return func(p float64) time.Duration {
		z := math.Sqrt2 * math.Erfinv(2*p-1)
		return time.Duration(float64(median) * math.Exp(sigma*z))
	}
}

// Pareto has a heavy tail: a share of (least/x)^alpha is longer than x.
func Pareto(least time.Duration, alpha float64) Dist {
	return func(p float64) time.Duration { return time.Duration(float64(least) * math.Pow(1-p, -1/alpha)) }
}

// TwoPoint is slow for a share of all values and fast for the others, as a cache is.
func TwoPoint(fast, slow time.Duration, share float64) Dist {
	return func(p float64) time.Duration {
		if p > 1-share {
			return slow
		}
		return fast
	}
}

// tableBits sets how finely a Dist is drawn from.
const (
	tableBits = 16
	tableSize = 1 << tableBits
)

// table is tableSize values of a Dist at evenly spaced shares, in ascending order, no shorter than 1 ns. Values are drawn
// from it in a fixed shuffled order, each as often as the others, so that what was drawn is known exactly.
func (d Dist) table() []int64 {
	t := make([]int64, tableSize)
	for i := range t {
		t[i] = max(1, int64(d((float64(i)+0.5)/tableSize)))
	}
	return t
}

// shuffled is the slot of the table from which value number n is drawn. Every tableSize in a row are all different.
func shuffled(n, seed uint64) int {
	const odd = 0x9e3779b97f4a7c15 // any odd factor makes a permutation of the low bits
	n += seed
	n *= odd
	n ^= (n & (tableSize - 1)) >> (tableBits / 2)
	return int(n * odd & (tableSize - 1))
}

// Drawn counts how often each value was drawn.
type Drawn struct {
	values []int64 // ascending
	counts []int64
	total  int64
}

func (d *Drawn) add(slot int) {
	d.counts[slot]++
	d.total++
}

// Count is the number of values.
func (d *Drawn) Count() int64 { return d.total }

// Rank is the value of that rank, from 1 to Count, in ascending order; 0 without values.
func (d *Drawn) Rank(rank int64) time.Duration {
	if d.total == 0 {
		return 0
	}
	rank = min(max(rank, 1), d.total)
	for i, n := range d.counts {
		if rank -= n; rank <= 0 {
			return time.Duration(d.values[i])
		}
	}
	return time.Duration(slices.Max(d.values))
}

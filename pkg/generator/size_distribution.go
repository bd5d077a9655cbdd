package generator

import (
	"math/bits"
	"sort"
)

// The distribution of random sizes
//
// With a smallest size min, sizes have the density 1/x for min <= x < max+1, rounded down to whole bytes. The share of
// sizes in [a, 2a) is then the same for every a (the integral of 1/x is ln 2): each doubling holds equally many
// objects.
//
// Without one, that density holds from low = max/128 (at least 256) up; sizes from 1 byte to low are one more class,
// uniform, that holds as many objects as one doubling. With seven doublings and that class, the mean is
//
//	max/8 * ((1 - 1/128)/ln 2 + 1/256) = 0.1794 max
//
// and it stays near that for any max of 32 KiB or more.
//
// Sizes are drawn by rejection sampling on integers. The range is cut at max/2, max/4, ... into K classes, and a class
// is drawn with probability 1/K, a place x in it uniformly (1/len), and x is accepted with probability len/x. The
// product is 1/(K*x), which is proportional to 1/x in all classes, also in the lowest one, which may be cut off by min.
// Places are fractions of a byte as fine as 64 bits allow (up to 2^-16), so that small sizes follow the density too.

const (
	ln2      = 0xb17217f7d1cf79ab // ln 2 in units of 2^-64
	fineness = 16                 // bits
)

// randomSize draws a size in [least, most] from the distribution above; most is at least 1.
func randomSize(lowest, highest int64, draw uint64) int64 {
	limit, low := uint64(highest)+1, uint64(lowest)
	if lowest == 0 {
		low = max(minRandom, cut(limit, 7))
	}
	fine := min(fineness, bits.LeadingZeros64(limit))
	first, end := low<<fine, limit<<fine
	var doublings uint64
	for cut(end, doublings) > first {
		doublings++
	}
	classes := doublings
	if lowest == 0 {
		classes++ // the sizes below low
	}
	for try := uint64(0); ; try += 3 {
		class := Uniform(draw, try, classes)
		if class == doublings {
			if Mix(draw, try+1) < ln2 {
				return 1 + int64(Uniform(draw, try+2, low-1))
			}
			continue
		}
		begin := max(first, cut(end, class+1))
		length := cut(end, class) - begin
		x := begin + Uniform(draw, try+1, length)
		take := length
		if classes == 1 {
			take = begin // same distribution, without many rejections where min is close to max
		}
		if Uniform(draw, try+2, x) < take {
			return int64(x >> fine)
		}
	}
}

// cut returns end / 2^n, rounded up, so that no class is longer than its first place.
func cut(end, n uint64) uint64 { return (end-1)>>n + 1 }

// bucketSize draws a bucket by weight, and a size in it uniformly unless sizes are exact. The buckets are valid.
func bucketSize(s *Sizes, draw uint64) int64 {
	i := bucketOf(s, draw)
	b, begin := s.Buckets[i], int64(0)
	if s.Exact {
		return b.Size
	}
	if i > 0 {
		begin = s.Buckets[i-1].Size
	}
	return begin + int64(Uniform(draw, 1, uint64(b.Size-begin)))
}

// inSequence returns the size of object i.
func inSequence(s *Sizes, i uint64) int64 {
	last := len(s.Buckets) - 1
	if len(s.sums) > 0 {
		return s.Buckets[min(last, sort.Search(last, func(k int) bool { return s.sums[k] > i }))].Size
	}
	for _, b := range s.Buckets {
		if i < uint64(b.Weight) {
			return b.Size
		}
		i -= uint64(b.Weight)
	}
	return s.Buckets[last].Size
}

// bucketOf draws the index of a bucket.
func bucketOf(s *Sizes, draw uint64) int {
	if n := len(s.sums); n > 0 {
		pick := Uniform(draw, 0, s.sums[n-1])
		return sort.Search(n, func(i int) bool { return s.sums[i] > pick })
	}
	var total uint64
	for _, b := range s.Buckets {
		total += uint64(b.Weight)
	}
	pick := Uniform(draw, 0, total)
	for i, b := range s.Buckets {
		if pick < uint64(b.Weight) {
			return i
		}
		pick -= uint64(b.Weight)
	}
	return len(s.Buckets) - 1
}

package hist

import "math/bits"

// counts counts whole numbers from 0 to MaxValue in the buckets of HdrHistogram: a bucket holds the values that share their
// leading bits. Unlike a table of all buckets it takes memory only for the octaves (powers of two) that have values, and
// four bytes for a bucket, so that one for each host, or for each second, is small and still quick.
type counts struct {
	kept    uint8          // bits of a value behind its first one that are kept
	n       int64          // values
	first   int            // octave that octaves begins with
	octaves [][]uint32     // of 1<<kept buckets each; nil: no values
	carries map[int]uint32 // by octave<<kept + bucket: how often the count there began again from 0
}

// Bits that tell apart values that differ by one in 32, in twice a hundred, and in twice a thousand.
const (
	liveBits   = 5
	coarseBits = 7
	fineBits   = 10
)

func newCounts(digits int) counts {
	switch digits {
	case Live:
		return counts{kept: liveBits}
	case Coarse:
		return counts{kept: coarseBits}
	}
	return counts{kept: fineBits}
}

// place is the octave and the bucket of a value. The first two octaves have a bucket for each value.
func (c *counts) place(v int64) (octave, bucket int) {
	octave = max(0, bits.Len64(uint64(v))-int(c.kept))
	return octave, int(v>>max(0, octave-1)) & (1<<c.kept - 1)
}

// value is the smallest value of a bucket.
func (c *counts) value(octave, bucket int) int64 {
	if octave > 0 {
		bucket += 1 << c.kept
	}
	return int64(bucket) << max(0, octave-1)
}

// add counts n times v, which is in range.
func (c *counts) add(v, n int64) {
	octave, bucket := c.place(v)
	c.increase(c.buckets(octave), octave, bucket, n)
	c.n += n
}

// buckets are those of an octave, which takes memory from then on.
func (c *counts) buckets(octave int) []uint32 {
	if i := octave - c.first; uint(i) < uint(len(c.octaves)) && c.octaves[i] != nil {
		return c.octaves[i]
	}
	return c.open(octave)
}

// open makes the buckets of an octave.
func (c *counts) open(octave int) []uint32 {
	if len(c.octaves) == 0 {
		c.first = octave
	}
	first, end := min(c.first, octave), max(c.first+len(c.octaves), octave+1)
	if end-first > len(c.octaves) {
		longer := make([][]uint32, end-first) // and no more: there may be counts for each host and second
		copy(longer[c.first-first:], c.octaves)
		c.first, c.octaves = first, longer
	}
	buckets := make([]uint32, 1<<c.kept)
	c.octaves[octave-first] = buckets
	return buckets
}

// increase adds to the count of a bucket.
func (c *counts) increase(buckets []uint32, octave, bucket int, n int64) {
	sum := uint64(buckets[bucket]) + uint64(n)
	buckets[bucket] = uint32(sum)
	if carry := uint32(sum >> 32); carry > 0 {
		if c.carries == nil {
			c.carries = make(map[int]uint32)
		}
		c.carries[octave<<c.kept+bucket] += carry
	}
}

// count is how many values a bucket has.
func (c *counts) count(octave, bucket int) int64 {
	n := int64(c.octaves[octave-c.first][bucket])
	if c.carries != nil {
		n += int64(c.carries[octave<<c.kept+bucket]) << 32
	}
	return n
}

// each calls yield with the smallest value of each bucket that has any, and their number, in ascending order, until it
// returns false.
func (c *counts) each(yield func(value, n int64) bool) {
	for i, buckets := range c.octaves {
		octave := c.first + i
		for bucket := range buckets {
			if n := c.count(octave, bucket); n > 0 && !yield(c.value(octave, bucket), n) {
				return
			}
		}
	}
}

// merge adds the values of o, which keeps as many bits, or more.
func (c *counts) merge(o *counts) {
	if c.kept != o.kept {
		for v, n := range o.each {
			c.add(v, n)
		}
		return
	}
	for i, buckets := range o.octaves {
		if buckets == nil {
			continue
		}
		octave := o.first + i
		mine := c.buckets(octave)
		for bucket, n := range buckets {
			if n > 0 || o.carries != nil {
				c.increase(mine, octave, bucket, o.count(octave, bucket))
			}
		}
	}
	c.n += o.n
}

// atRank is the largest value of the bucket that has the value of a rank, from 1 to n.
func (c *counts) atRank(rank int64) (largest int64) {
	for v, n := range c.each {
		largest = v
		if rank -= n; rank <= 0 {
			break
		}
	}
	return largest + c.width(largest) - 1
}

// width is how many whole numbers the bucket of a value stands for.
func (c *counts) width(v int64) int64 {
	octave, _ := c.place(v)
	return 1 << max(0, octave-1)
}

// clone is an independent copy.
func (c *counts) clone() counts {
	k := counts{kept: c.kept}
	k.merge(c)
	return k
}

// reset forgets all values and keeps the memory.
func (c *counts) reset() {
	c.n, c.carries = 0, nil
	for _, buckets := range c.octaves {
		clear(buckets)
	}
}

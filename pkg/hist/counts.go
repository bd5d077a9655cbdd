package hist

import "math/bits"

// counts counts integers from 0 to MaxValue in the buckets of HdrHistogram: a bucket holds the values that share their
// leading bits. Unlike a table of all buckets it takes memory only for the octaves (powers of two) that contain values,
// and four bytes per bucket, so that one per host, or per second, is small and still fast.
type counts struct {
	kept    Precision
	n       int64          // values
	first   int            // number of octaves[0]
	octaves [][]uint32     // of 1<<kept buckets each; nil if there are no values
	carries map[int]uint32 // overflows of a bucket's count, by octave<<kept + bucket
}

// place returns the octave and the bucket of a value. The first two octaves have a bucket for each value.
func (c *counts) place(v int64) (octave, bucket int) {
	octave = max(0, bits.Len64(uint64(v))-int(c.kept))
	return octave, int(v>>max(0, octave-1)) & (1<<c.kept - 1)
}

// value returns the smallest value of a bucket.
func (c *counts) value(octave, bucket int) int64 {
	if octave > 0 {
		bucket += 1 << c.kept
	}
	return int64(bucket) << max(0, octave-1)
}

// add counts v, which is in range, n times.
func (c *counts) add(v, n int64) {
	octave, bucket := c.place(v)
	c.increase(c.buckets(octave), octave, bucket, n)
	c.n += n
}

// buckets returns the buckets of an octave, allocated on first use.
func (c *counts) buckets(octave int) []uint32 {
	if i := octave - c.first; uint(i) < uint(len(c.octaves)) && c.octaves[i] != nil {
		return c.octaves[i]
	}
	return c.open(octave)
}

// open allocates the buckets of an octave.
func (c *counts) open(octave int) []uint32 {
	if len(c.octaves) == 0 {
		c.first = octave
	}
	first, end := min(c.first, octave), max(c.first+len(c.octaves), octave+1)
	if end-first > len(c.octaves) {
		longer := make([][]uint32, end-first) // no spare capacity: there may be counts for each host and second
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

// count returns the number of values in a bucket.
func (c *counts) count(octave, bucket int) int64 {
	n := int64(c.octaves[octave-c.first][bucket])
	if c.carries != nil {
		n += int64(c.carries[octave<<c.kept+bucket]) << 32
	}
	return n
}

// each calls yield with the smallest value and the count of each non-empty bucket, in ascending order, until it returns
// false.
func (c *counts) each(yield func(value, n int64) bool) {
	for i, buckets := range c.octaves {
		octave := c.first + i
		for bucket, low := range buckets {
			if low == 0 && c.carries == nil { // as most are
				continue
			}
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

// atRank returns the largest value of the bucket that contains the value of a rank, from 1 to n.
func (c *counts) atRank(rank int64) (largest int64) {
	for v, n := range c.each {
		largest = v
		if rank -= n; rank <= 0 {
			break
		}
	}
	return largest + c.width(largest) - 1
}

// width returns how many integers the bucket of a value stands for.
func (c *counts) width(v int64) int64 {
	octave, _ := c.place(v)
	return 1 << max(0, octave-1)
}

// clone returns an independent copy.
func (c *counts) clone() counts {
	k := counts{kept: c.kept}
	k.merge(c)
	return k
}

// reset removes all values and keeps the memory.
func (c *counts) reset() {
	c.n, c.carries = 0, nil
	for _, buckets := range c.octaves {
		clear(buckets)
	}
}

// known is count, and 0 for a bucket without memory.
func (c *counts) known(octave, bucket int) int64 {
	if i := octave - c.first; uint(i) >= uint(len(c.octaves)) || c.octaves[i] == nil {
		return 0
	}
	return c.count(octave, bucket)
}

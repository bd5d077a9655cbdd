package generator

import "time"

// Choice maps turns to objects: Access for a number of objects. Any turn can be computed by itself, at a constant cost and without memory.
type Choice struct {
	access Access
	seed   uint64
	first  uint64 // object
	n      uint64 // objects from there on
	passes Passes
	order  Permutation // of ranks, so that neighbours in rank are not neighbours in the data set
	zipf   zipf
	last   float64 // of zipf, for n
	ycsb   ycsb
}

// NewChoice returns the choice among n objects (1 <= n <= 2^50).
func NewChoice(a Access, n, seed uint64) *Choice {
	c := &Choice{access: a, seed: Mix(seed, streamChoice)}
	c.first, c.n = a.within(max(1, n))
	c.passes = NewPasses(c.n, seed)
	c.order = NewPermutation(c.n, Mix(seed, streamRank))
	switch a.Pattern {
	case Zipf, Latest:
		c.zipf = newZipf(a.Theta)
		c.last = c.zipf.last(c.n)
	case YCSBZipf:
		c.ycsb = newYCSB()
	}
	return c
}

// Moves reports whether the choice depends on time.
func (c *Choice) Moves() bool { return c.access.Shift > 0 }

// Grows reports whether the choice depends on the number of objects at the time of a turn; see AtAmong.
func (c *Choice) Grows() bool {
	return (c.access.Pattern == Latest || c.access.Pattern == Exponential) && c.access.Last == 0
}

// At returns the object of a turn, which comes at a time since the first one.
func (c *Choice) At(turn uint64, since time.Duration) uint64 {
	switch c.access.Pattern {
	case "", Shuffle:
		return c.first + c.access.Group.place(c.passes.At(turn))
	case Zipf, HotSet:
		return c.first + c.access.Group.place(c.order.At(c.rank(turn, since, c.n)))
	}
	return c.first + c.access.Group.place(c.rank(turn, since, c.n))
}

// AtAmong is At for objects whose number changes, to n: the object in place k is as likely as any other of rank k, in whatever
// order the caller keeps them.
func (c *Choice) AtAmong(turn uint64, since time.Duration, n uint64) uint64 {
	if n == 0 {
		return 0
	}
	return c.rank(turn, since, n)
}

// rank returns a number in [0, n).
func (c *Choice) rank(turn uint64, since time.Duration, n uint64) uint64 {
	draw := Mix(c.seed, turn)
	switch c.access.Pattern {
	case Zipf, Latest:
		last := c.last
		if n != c.n {
			last = c.zipf.last(n)
		}
		k := c.zipf.draw(draw, n, last)
		if c.access.Pattern == Latest {
			k = n - 1 - k
		}
		return k
	case YCSBZipf:
		return c.ycsb.at(draw, n)
	case HotSet:
		return c.hot(draw, since, n)
	case Exponential:
		return n - 1 - c.age(draw, n)
	case InSequence, Oldest:
		return turn % n
	}
	return Uniform(draw, 0, n)
}

// age returns how many of n objects are newer than the one of a draw. The scale is that of the objects at the beginning, as in YCSB.
func (c *Choice) age(draw, n uint64) uint64 {
	scale := c.access.Hot / 100 * float64(c.n) / -log(1-c.access.Share/100)
	within := 1 - exp(-float64(n)/scale)
	return min(uint64(-scale*log(1-float64(fraction(draw)*within))), n-1)
}

// hot returns a hot rank or another one.
func (c *Choice) hot(draw uint64, since time.Duration, n uint64) uint64 {
	if n == 1 {
		return 0
	}
	hot := min(max(uint64(c.access.Hot/100*float64(n)+0.5), 1), n-1)
	var rank uint64
	if fraction(draw)*100 < c.access.Share {
		rank = Uniform(draw, 0, hot)
	} else {
		rank = hot + Uniform(draw, 0, n-hot)
	}
	if c.access.Shift > 0 {
		moved := c.access.Shift / 100 * max(0, since.Minutes())
		moved -= float64(uint64(moved))
		rank = (rank + uint64(moved*float64(n))) % n
	}
	return rank
}

// InOrder reports whether objects are used from the oldest on.
func (c *Choice) InOrder() bool {
	return c != nil && (c.access.Pattern == InSequence || c.access.Pattern == Oldest)
}

// Count returns the number of objects that are chosen from.
func (c *Choice) Count() uint64 { return c.n }

// Once returns the object at place i of an order where each of Count objects comes once, 0 <= i < Count.
func (c *Choice) Once(i uint64) uint64 {
	if p := c.access.Pattern; p == InSequence || p == Oldest {
		return c.first + c.access.Group.place(i)
	}
	return c.first + c.access.Group.place(c.order.At(i))
}

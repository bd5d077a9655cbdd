package bench

import (
	"fmt"
	"sync/atomic"

	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/units"
)

// sizeSamples is the number of objects from which the size of a data set is estimated.
const sizeSamples = 1000

// dataSize estimates the size of the first n objects in bytes.
func dataSize(s generator.Sizes, seed, n uint64) int64 {
	if n == 0 {
		return 0
	}
	sum, k := 0.0, min(n, sizeSamples)
	for i := range k {
		sum += float64(s.At(seed, i))
	}
	return int64(sum / float64(k) * float64(n))
}

// capacity limits the bytes that a run stores. A store of limited size, such as the embedded one in the memory of this
// machine, must not become full.
type capacity struct {
	limit int64 // 0: there is none
	used  atomic.Int64
}

// errNoRoom is the load.ErrDone of an upload that does not fit into the store.
var errNoRoom = fmt.Errorf("no room in the store: %w", load.ErrDone)

// take reserves the bytes of an object. It returns errNoRoom if there is no room for it.
func (c *capacity) take(size int64) error {
	if c.limit > 0 && c.used.Add(size) > c.limit {
		c.used.Add(-size)
		return errNoRoom
	}
	return nil
}

// give releases the bytes of an object.
func (c *capacity) give(size int64) {
	if c.limit > 0 {
		c.used.Add(-size)
	}
}

// check returns an error if n objects, of need bytes together, do not fit.
func (c *capacity) check(n uint64, need int64) error {
	if c.limit > 0 && need > c.limit {
		return fmt.Errorf("%d objects of together %s do not fit into the %s that the store has room for; use fewer --objects, a smaller --obj.size, or a store of your own with --host",
			n, units.Size(need), units.Size(c.limit))
	}
	return nil
}

package dataset

import (
	"fmt"
	"sync/atomic"

	"warp/pkg/load"
	"warp/pkg/units"
)

// Capacity limits the bytes that a run stores. A store of limited size, such as the embedded one in this machine's memory, must
// not become full.
type Capacity struct {
	Limit int64 // 0: unlimited
	used  atomic.Int64
}

// ErrNoRoom is the load.ErrDone of an upload that does not fit into the store.
var ErrNoRoom = fmt.Errorf("no room in the store: %w", load.ErrDone)

// reserve reserves the bytes of an object. It returns ErrNoRoom if there is no room for it.
func (c *Capacity) reserve(size int64) error {
	if c.Limit > 0 && c.used.Add(size) > c.Limit {
		c.used.Add(-size)
		return ErrNoRoom
	}
	return nil
}

// give releases the bytes of an object.
func (c *Capacity) give(size int64) {
	if c.Limit > 0 {
		c.used.Add(-size)
	}
}

// Check returns an error if n objects, of need bytes together, do not fit.
func (c *Capacity) Check(n uint64, need int64) error {
	if c.Limit > 0 && need > c.Limit {
		return fmt.Errorf("%d objects of together %s do not fit into the %s that the store has room for; "+
			"use fewer --objects, a smaller --obj.size, or a store of your own with --host",
			n, units.Size(need), units.Size(c.Limit))
	}
	return nil
}

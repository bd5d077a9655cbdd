package dataset

import (
	"maps"
	"slices"
	"sync"

	"warp/pkg/s3/ops"
)

// Uploads holds the unfinished uploads of a client by the index of their object: not every server lists them.
type Uploads struct {
	mu   sync.Mutex
	open map[uint64][]ops.Upload
}

// Add adds an upload of object i.
func (u *Uploads) Add(i uint64, up ops.Upload) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.open == nil {
		u.open = map[uint64][]ops.Upload{}
	}
	u.open[i] = append(u.open[i], up)
}

// Remove removes an upload that has ended.
func (u *Uploads) Remove(i uint64, id string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	left := slices.DeleteFunc(u.open[i], func(up ops.Upload) bool { return up.ID == id })
	if len(left) == 0 {
		delete(u.open, i)
		return
	}
	u.open[i] = left
}

// Of returns the unfinished uploads of objects that match, in their order.
func (u *Uploads) Of(match func(i uint64) bool) (list []ops.Upload) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, i := range slices.Sorted(maps.Keys(u.open)) {
		if match(i) {
			list = append(list, u.open[i]...)
		}
	}
	return list
}

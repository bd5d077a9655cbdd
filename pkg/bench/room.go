package bench

import (
	"fmt"
	"sync/atomic"

	"warp/pkg/generator"
	"warp/pkg/units"
)

// Uploader is a Workload that uploads objects in its preparation.
type Uploader interface {
	// Uploads is how many objects that is, with its present parameters.
	Uploads() uint64
}

// Need is about how many bytes the preparation of the plan uploads.
func (p *Plan) Need() (bytes int64) {
	for i := range p.Phases {
		w, err := p.Phases[i].NewWorkload()
		if err != nil {
			continue // Validate says what is wrong
		}
		if u, ok := w.(Uploader); ok {
			bytes += dataSize(p.Data.Sizes, p.Seed, u.Uploads())
		}
	}
	return bytes
}

// sizeSamples is from how many objects the size of a large data set is estimated.
const sizeSamples = 1000

// dataSize is about how many bytes the first n objects have.
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

// room is how much the store can still take. A store of limited size, such as the embedded one in the memory of this
// machine, must not be filled to the brim.
type room struct {
	limit int64 // 0: none
	used  atomic.Int64
	full  atomic.Bool
}

// take asks for room for an object.
func (r *room) take(size int64) bool {
	if r.limit > 0 && r.used.Add(size) > r.limit {
		r.used.Add(-size)
		r.full.Store(true)
		return false
	}
	return true
}

// give returns the room of an object.
func (r *room) give(size int64) {
	if r.limit > 0 {
		r.used.Add(-size)
	}
}

// fits complains if n objects do not fit.
func (s *DataSet) fits(n uint64) error {
	need := dataSize(s.sizes, s.seed, n)
	if s.room.limit > 0 && need > s.room.limit {
		return fmt.Errorf("%d objects of together %s do not fit into the %s that the store has room for; use fewer --objects, a smaller --obj.size, or a store of your own with --host",
			n, units.Size(need), units.Size(s.room.limit))
	}
	return nil
}

package bench

import (
	"sync"

	"warp/pkg/generator"
)

// pool is the objects that mixed operations work on: 16 bytes each. Any number of operations may read an object at
// once; one that is being read is not deleted, so that no reader meets a 404 of our own making.
type pool struct {
	shared  uint64 // objects 0 to shared-1 are in the pool as well, for reading only: other clients read them too
	mu      sync.Mutex
	entries []entry
	place   map[uint64]int // index of an object in entries, by object; only of objects that are being read
	reserve int            // deletions leave at least so many
	doubted []uint64       // objects out of the pool whose deletion failed, though it may have been carried out
}

type entry struct {
	object  uint64
	readers uint32
}

// newPool is a pool of n objects from index first on.
func newPool(first, n uint64, reserve int) *pool {
	p := &pool{entries: make([]entry, n), place: map[uint64]int{}, reserve: reserve}
	for i := range p.entries {
		p.entries[i].object = first + uint64(i)
	}
	return p
}

// newSharedPool is a pool of n objects that are not deleted. Those that are added to it can be.
func newSharedPool(n uint64) *pool { return &pool{shared: n, place: map[uint64]int{}} }

// add puts an object into the pool, once it is uploaded.
func (p *pool) add(object uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.entries = append(p.entries, entry{object: object})
}

// read picks an object to read; release must be called with it afterwards. The pool is never empty.
func (p *pool) read(seed, turn uint64) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := generator.Uniform(seed, turn, p.shared+uint64(len(p.entries)))
	if k < p.shared {
		return k
	}
	i := int(k - p.shared)
	e := &p.entries[i]
	e.readers++
	p.place[e.object] = i
	return e.object
}

// release ends the reading of an object.
func (p *pool) release(object uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if object < p.shared {
		return
	}
	e := &p.entries[p.place[object]]
	if e.readers--; e.readers == 0 {
		delete(p.place, object)
	}
}

// doubt notes an object that was taken and may be deleted or not. It will be taken again before any other.
func (p *pool) doubt(object uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.doubted = append(p.doubted, object)
}

// take removes an object from the pool, to be deleted, perhaps again. It returns false if none can be spared.
func (p *pool) take(seed, turn uint64) (object uint64, again, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.doubted) > 0 {
		object, p.doubted = p.doubted[0], p.doubted[1:]
		return object, true, true
	}
	n := len(p.entries)
	if n <= p.reserve {
		return 0, false, false
	}
	// From a random place to the next object that nobody reads: at most as many are read as there are threads.
	from := int(generator.Uniform(seed, turn, uint64(n)))
	for k := range n {
		if i := (from + k) % n; p.entries[i].readers == 0 {
			return p.remove(i), false, true
		}
	}
	return 0, false, false
}

// remove fills the gap with the last entry.
func (p *pool) remove(i int) uint64 {
	object := p.entries[i].object
	last := len(p.entries) - 1
	p.entries[i] = p.entries[last]
	if p.entries[i].readers > 0 {
		p.place[p.entries[i].object] = i
	}
	p.entries = p.entries[:last]
	return object
}

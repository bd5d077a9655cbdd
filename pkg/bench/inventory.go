package bench

import (
	"sync"
	"sync/atomic"

	"warp/pkg/generator"
)

// inventory is which objects of a data set exist at the moment, while streams upload some and delete others. Objects have the numbers in which their
// uploads began; those whose upload has ended, and all before it, can be read and deleted. It costs no memory for objects that
// exist, and a bit for each number near one that does not.
type inventory struct {
	counts  bool          // objects are taken out, so that readers must be counted
	end     atomic.Uint64 // all uploads with lower numbers have ended
	missing atomic.Uint64 // numbers below end without an object; raised before end is

	mu      sync.Mutex
	gaps    gaps              // these numbers
	ahead   map[uint64]bool   // uploads that ended before one with a lower number; true: the object exists
	readers map[uint64]uint32 // of objects that are being read
	fillers int               // streams under way that upload
	changed chan struct{}     // is closed when something changes; nil: nobody waits
}

func newInventory(counts bool) *inventory {
	return &inventory{counts: counts, ahead: map[uint64]bool{}, readers: map[uint64]uint32{}}
}

// settle records that the upload of object i has ended.
func (v *inventory) settle(i uint64, exists bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if end := v.end.Load(); i != end {
		if i > end {
			v.ahead[i] = exists
		}
		return
	}
	for ended := true; ended; {
		if !exists {
			v.leaveOut(i)
		}
		i++
		if exists, ended = v.ahead[i]; ended {
			delete(v.ahead, i)
		}
	}
	v.end.Store(i)
	v.notify()
}

// leaveOut makes object i one that does not exist; v.mu is held.
func (v *inventory) leaveOut(i uint64) {
	v.gaps.set(i, true)
	v.missing.Add(1)
}

// read chooses an object to be read in a turn; release must be called with it afterwards. It returns false if no object exists.
func (v *inventory) read(a *Access, turn uint64) (uint64, bool) {
	if !v.counts {
		if end := v.end.Load(); v.missing.Load() == 0 { // in this order
			low, high := a.bounds(end)
			if low >= high {
				return 0, false
			}
			return low + a.spread(turn, high-low), true
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	from, n := v.between(a)
	if n == 0 {
		return 0, false
	}
	i := v.gaps.nth(from + a.spread(turn, n))
	if v.counts {
		v.readers[i]++
	}
	return i, true
}

// between returns how many objects exist before those that a chooses from, and how many of these do; v.mu is held.
func (v *inventory) between(a *Access) (from, n uint64) {
	low, high := a.bounds(v.end.Load())
	if low >= high {
		return 0, 0
	}
	from = v.gaps.rank(low)
	return from, v.gaps.rank(high) - from
}

// len returns how many objects exist of those that a chooses from.
func (v *inventory) len(a *Access) uint64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	_, n := v.between(a)
	return n
}

// at returns object number k of those that exist.
func (v *inventory) at(k uint64) uint64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.gaps.nth(k)
}

// release ends the reading of object i.
func (v *inventory) release(i uint64) {
	if !v.counts {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.readers[i]--; v.readers[i] == 0 {
		delete(v.readers, i)
		v.notify()
	}
}

// take takes an object out, to be deleted. It returns false if every object is being read, or none exists.
func (v *inventory) take(a *Access, turn uint64) (uint64, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	from, n := v.between(a)
	if n == 0 {
		return 0, false
	}
	k := uint64(0)
	if !a.inOrder() {
		k = generator.Uniform(a.Seed(StreamObject), turn, n)
	}
	for try := range min(n, uint64(len(v.readers))+1) {
		if i := v.gaps.nth(from + (k+try)%n); v.readers[i] == 0 {
			v.leaveOut(i)
			return i, true
		}
	}
	return 0, false
}

// restore puts back an object that was taken out, and was not deleted.
func (v *inventory) restore(i uint64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.gaps.set(i, false)
	v.missing.Add(^uint64(0))
	v.notify()
}

// fill is called with 1 when a stream begins that uploads, and with -1 when it has ended.
func (v *inventory) fill(by int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.fillers += by
	v.notify()
}

// watch returns a channel that is closed at the next change, and whether there may be one that brings objects.
func (v *inventory) watch() (changed <-chan struct{}, hope bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.changed == nil {
		v.changed = make(chan struct{})
	}
	return v.changed, v.fillers > 0 || len(v.readers) > 0
}

// notify wakes those that wait for a change; v.mu is held.
func (v *inventory) notify() {
	if v.changed != nil {
		close(v.changed)
		v.changed = nil
	}
}

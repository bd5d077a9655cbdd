package dataset

import (
	"sync"
	"sync/atomic"

	"warp/pkg/generator"
	"warp/pkg/load"
)

// inventory is the existing objects of a data set while operations add and delete some. Objects are numbered by the start of their
// uploads. An object can be read and deleted once its upload and all before it have ended. Existing objects cost no memory; each number
// near a missing object costs a bit.
type inventory struct {
	counts bool       // objects are taken out, so that readers must be counted
	kept   uint64     // objects with lower numbers are never taken out: other clients read them too
	part   load.Share // of the indices from there on, which are this client's

	end     atomic.Uint64 // all uploads with lower numbers have ended
	missing atomic.Uint64 // numbers below end without an object; raised before end is

	mu        sync.Mutex
	gaps      Gaps              // these numbers
	ahead     map[uint64]bool   // uploads that ended before one with a lower number; true: the object exists
	readers   map[uint64]uint32 // how many turns read the object of a number
	uncertain []uint64          // objects taken out that may exist, since their deletion failed
	taken     int               // objects being deleted: a failure may put them back
	fillers   int               // streams under way that upload
	changed   chan struct{}     // closed at the next change; nil without waiters
}

// newInventory returns the inventory of a client. If clients share the data set, it begins with the objects of all.
func newInventory(counts bool, kept uint64, part load.Share) *inventory {
	v := &inventory{counts: counts, kept: kept, part: part, ahead: map[uint64]bool{}, readers: map[uint64]uint32{}}
	v.end.Store(kept)
	return v
}

func (v *inventory) object(number uint64) uint64 {
	if number < v.kept {
		return number
	}
	return v.part.Index + (number-v.kept+v.part.Of(v.kept))*v.part.Total
}

func (v *inventory) number(i uint64) uint64 {
	if i < v.kept {
		return i
	}
	return i/v.part.Total - v.part.Of(v.kept) + v.kept
}

// settle records that the upload of an object has ended.
func (v *inventory) settle(object uint64, exists bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	i := v.number(object)
	if end := v.end.Load(); i != end {
		if i > end {
			v.ahead[i] = exists
		}
		return
	}
	for ended := true; ended; {
		if !exists {
			v.addGap(i)
		}
		i++
		if exists, ended = v.ahead[i]; ended {
			delete(v.ahead, i)
		}
	}
	v.end.Store(i)
	v.notify()
}

// addGap makes number i one without an object; v.mu is held.
func (v *inventory) addGap(i uint64) {
	v.gaps.Set(i, true)
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
			return v.object(low + a.spread(turn, high-low)), true
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	from, n := v.between(a, 0)
	if n == 0 {
		return 0, false
	}
	i := v.gaps.nth(from + a.spread(turn, n))
	if v.counts && i >= v.kept {
		v.readers[i]++
	}
	return v.object(i), true
}

// between counts the existing objects with numbers from least on: before the range that a chooses from, and in it; v.mu is held.
func (v *inventory) between(a *Access, least uint64) (from, n uint64) {
	end := v.end.Load()
	low, high := a.bounds(end)
	if low = max(low, least); low >= high {
		return 0, 0
	}
	from = v.gaps.rank(low)
	if high == end {
		return from, end - v.gaps.n - from
	}
	return from, v.gaps.rank(high) - from
}

// len returns how many existing objects a chooses from.
func (v *inventory) len(a *Access) uint64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	_, n := v.between(a, 0)
	return n
}

// at returns the k-th existing object.
func (v *inventory) at(k uint64) uint64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.object(v.gaps.nth(k))
}

// release ends the reading of an object.
func (v *inventory) release(object uint64) {
	if !v.counts || object < v.kept {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	i := v.number(object)
	if v.readers[i]--; v.readers[i] == 0 {
		delete(v.readers, i)
		v.notify()
	}
}

// take takes an object out, to be deleted; settled must be called afterwards. again reports whether it may be deleted already. It returns
// false if there is no object, or all are being read.
func (v *inventory) take(a *Access, turn uint64) (object uint64, again, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.uncertain) > 0 {
		object, v.uncertain = v.uncertain[0], v.uncertain[1:]
		v.taken++
		return object, true, true
	}
	from, n := v.between(a, v.kept)
	if n == 0 {
		return 0, false, false
	}
	k := uint64(0)
	if !a.inOrder() {
		k = generator.Uniform(a.Seed(StreamObject), turn, n)
	}
	for try := range min(n, uint64(len(v.readers))+1) {
		if i := v.gaps.nth(from + (k+try)%n); v.readers[i] == 0 {
			v.addGap(i)
			v.taken++
			return v.object(i), false, true
		}
	}
	return 0, false, false
}

// settled ends the deletion of n objects.
func (v *inventory) settled(n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.taken -= n
	v.notify()
}

// restore puts back an object that was taken out but not deleted.
func (v *inventory) restore(object uint64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.gaps.Set(v.number(object), false)
	v.missing.Add(^uint64(0))
	v.notify()
}

// putUncertain records that an object that was taken out may or may not exist. It is no longer read, and is taken again before any other.
func (v *inventory) putUncertain(object uint64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.uncertain = append(v.uncertain, object)
	v.notify()
}

// fill is called with 1 when a stream that uploads begins, and with -1 when it has ended.
func (v *inventory) fill(by int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.fillers += by
	v.notify()
}

// watch returns a channel that is closed at the next change, and whether a change may still bring objects.
func (v *inventory) watch() (changed <-chan struct{}, mayGrow bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.changed == nil {
		v.changed = make(chan struct{})
	}
	return v.changed, v.fillers > 0 || len(v.readers) > 0 || v.taken > 0
}

// notify wakes all waiters; v.mu is held.
func (v *inventory) notify() {
	if v.changed != nil {
		close(v.changed)
		v.changed = nil
	}
}

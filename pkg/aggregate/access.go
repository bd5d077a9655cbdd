package aggregate

import (
	"cmp"
	"math/bits"
	"math/rand/v2"
)

// accesses remembers the first and the last read of every object. Objects are identified by 63 bits of a hash of their
// key: among half a million, two objects are confused in one of seventy million runs.
//
// It is a hash table with open addressing whose entries lie in blocks that are never moved, so that it takes little
// memory, also while it grows.
type accesses struct {
	seed  uint64   // odd, so that no recording can choose slots
	slots []uint32 // index of the entry plus 1, or 0; their number is a power of two, at most three quarters are used
	count int
	list  [][]access
	late  [][]lateness // parallel to list; nil in a closed loop
	none  lateness
	limit int
	full  bool // too many objects: nothing is remembered
}

// access is the reads of one object. It contains no pointers, so that the garbage collector need not scan it.
type access struct {
	hash        uint64 // bit 0 is set if it was read more than once
	first, last visit
}

// visit is one successful read.
type visit struct {
	start, service, ttfb int64 // ttfb is -1 if unknown
}

// lateness is how much later than due the visits of an access began.
type lateness struct{ first, last int64 }

func (v visit) compare(late int64, o visit, oLate int64) int {
	return cmp.Or(cmp.Compare(v.start, o.start), cmp.Compare(v.service, o.service), cmp.Compare(late, oLate), cmp.Compare(v.ttfb, o.ttfb))
}

func newAccesses(limit int) *accesses {
	return &accesses{seed: rand.Uint64() | 1, limit: limit}
}

// add counts a successful read, in any order, by the hash of the key. It returns for how many objects memory was added.
func (a *accesses) add(hash uint64, v visit, late int64, open bool) (added int64) {
	if a.full {
		return 0
	}
	before := len(a.list)
	if open && a.late == nil {
		a.late = [][]lateness{}
		for range a.list {
			a.late = append(a.late, make([]lateness, accessBlock))
		}
	}
	e, l, found := a.entry(hash &^ 1)
	added = int64(len(a.list)-before) * accessBlock
	switch {
	case e == nil:
		return added
	case !found:
		e.first, e.last = v, v
		*l = lateness{late, late}
		return added
	}
	e.hash |= 1
	if v.compare(late, e.first, l.first) < 0 {
		e.first, l.first = v, late
	}
	if v.compare(late, e.last, l.last) > 0 {
		e.last, l.last = v, late
	}
	return added
}

// entry returns the entry of an object, and whether it existed before; nil if there are too many objects.
func (a *accesses) entry(hash uint64) (e *access, l *lateness, found bool) {
	if a.count >= len(a.slots)/4*3 {
		a.rehash()
	}
	mask := uint64(len(a.slots) - 1)
	slot := a.slot(hash)
	for ; a.slots[slot] != 0; slot = (slot + 1) & mask {
		if e, l = a.at(int(a.slots[slot]) - 1); e.hash&^1 == hash {
			return e, l, true
		}
	}
	if a.count == a.limit {
		*a = accesses{full: true}
		return nil, nil, false
	}
	if a.count == len(a.list)*accessBlock {
		a.list = append(a.list, make([]access, accessBlock))
		if a.late != nil {
			a.late = append(a.late, make([]lateness, accessBlock))
		}
	}
	a.count++
	a.slots[slot] = uint32(a.count)
	e, l = a.at(a.count - 1)
	e.hash = hash
	return e, l, false
}

// slot returns where to look for an object first.
func (a *accesses) slot(hash uint64) uint64 {
	return hash * a.seed >> (64 - bits.TrailingZeros(uint(len(a.slots))))
}

// at returns entry number i. In a closed loop all entries share one lateness, which is 0.
func (a *accesses) at(i int) (*access, *lateness) {
	l := &a.none
	if a.late != nil {
		l = &a.late[i/accessBlock][i%accessBlock]
	}
	return &a.list[i/accessBlock][i%accessBlock], l
}

// rehash doubles the slots.
func (a *accesses) rehash() {
	a.slots = make([]uint32, max(64, 2*len(a.slots)))
	mask := uint64(len(a.slots) - 1)
	for i := range a.count {
		e, _ := a.at(i)
		slot := a.slot(e.hash &^ 1)
		for a.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		a.slots[slot] = uint32(i + 1)
	}
}

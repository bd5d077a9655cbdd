package replay

import "sync"

// objectTurns has operations on the same object begin in the order of a trace, whichever client comes first, and however far apart clients are: reads
// after the write before them has ended, writes after everything before them has. It takes 4 bytes for each object.
//
// An operation needs a number of operations on its object to have ended: a write those before it, a read those up to the last write. To count all that
// have ended is enough: what follows a write cannot begin before it, so nothing but what must be over can have been counted. A copy counts on two objects.
type objectTurns struct {
	ended []uint32 // by object: operations that have ended; while they are counted, all that the trace has so far
	wrote []uint32 // by object, while operations are counted: those up to the last write

	mu      sync.Mutex
	waiting map[uint64][]needyClient // by object
}

// needyClient waits until so many operations on its object have ended.
type needyClient struct {
	need   uint32
	client int
}

func newObjectTurns(objects uint64) *objectTurns {
	return &objectTurns{ended: make([]uint32, objects), wrote: make([]uint32, objects), waiting: map[uint64][]needyClient{}}
}

// need returns how many operations on the object must have ended before the next one. It is called for all operations, in their order, before begin.
func (t *objectTurns) need(object uint64, writes bool) uint32 {
	n := t.wrote[object]
	if writes {
		n = t.ended[object]
		t.wrote[object] = n + 1
	}
	t.ended[object]++
	return n
}

// begin ends the counting.
func (t *objectTurns) begin() {
	clear(t.ended)
	t.wrote = nil
}

// reached reports whether so many operations on an object have ended. If not, a call of leave returns the client when they have.
func (t *objectTurns) reached(object uint64, need uint32, client int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended[object] >= need {
		return true
	}
	t.waiting[object] = append(t.waiting[object], needyClient{need, client})
	return false
}

// leave counts an operation that has ended, and returns the clients that waited for it and can go on.
func (t *objectTurns) leave(object uint64) (ready []int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended[object]++
	list := t.waiting[object]
	if len(list) == 0 {
		return nil
	}
	left := list[:0]
	for _, one := range list {
		if one.need > t.ended[object] {
			left = append(left, one)
			continue
		}
		ready = append(ready, one.client)
	}
	if t.waiting[object] = left; len(left) == 0 {
		delete(t.waiting, object)
	}
	return ready
}

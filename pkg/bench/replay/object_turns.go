package replay

import "sync"

// objectTurns makes operations on the same object begin in the order of the trace, whatever the order of clients, and however far apart
// they are: reads after the end of the preceding write, writes after the end of everything before. It takes 4 bytes for each object.
//
// An operation waits until a number of operations on its object have ended: a write for all before it, a read for all up to the last
// write. A count of ended operations is enough: nothing after a write can begin before it, so the count holds nothing else. A copy counts
// on two objects.
type objectTurns struct {
	ended []uint32 // by object: operations that have ended; while they are counted, all that the trace has so far
	wrote []uint32 // by object, while operations are counted: those up to the last write

	mu      sync.Mutex
	waiting map[uint64][]waitingClient // by object
}

// waitingClient waits until a number of operations on its object have ended.
type waitingClient struct {
	need   uint32
	client int
}

func newObjectTurns(objects uint64) *objectTurns {
	return &objectTurns{ended: make([]uint32, objects), wrote: make([]uint32, objects), waiting: map[uint64][]waitingClient{}}
}

// need returns how many operations on the object must end before the next one. It is called for all operations, in their order, before
// begin.
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

// reached reports whether the needed operations on an object have ended. If not, a later call of leave returns the client.
func (t *objectTurns) reached(object uint64, need uint32, client int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended[object] >= need {
		return true
	}
	t.waiting[object] = append(t.waiting[object], waitingClient{need, client})
	return false
}

// leave counts an ended operation, and returns the clients that can now go on.
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

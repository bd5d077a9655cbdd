package bench

import (
	"context"
	"sync"
)

// objectTurns has operations on the same object begin in the order of a trace, whichever thread comes first, and however far apart threads are: reads
// after the write before them has ended, writes after everything before them has. It takes 4 bytes for each object.
//
// An operation needs a number of operations on its object to have ended: a write those before it, a read those up to the last write. To count all that
// have ended is enough: what follows a write cannot begin before it, so nothing but what must be over can have been counted.
type objectTurns struct {
	ended []uint32 // by object: operations that have ended; while they are counted, all that the trace has so far
	wrote []uint32 // by object, while operations are counted: those up to the last write

	mu      sync.Mutex
	waiting map[uint64][]*needyTurn // by object
}

// needyTurn waits until so many operations on its object have ended.
type needyTurn struct {
	need uint32
	met  chan struct{}
}

func newObjectTurns(objects uint64) *objectTurns {
	return &objectTurns{ended: make([]uint32, objects), wrote: make([]uint32, objects), waiting: map[uint64][]*needyTurn{}}
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

// wait waits until so many operations on an object have ended. It returns false if ctx or sending ended before.
func (t *objectTurns) wait(ctx context.Context, stopped <-chan struct{}, object uint64, need uint32) bool {
	t.mu.Lock()
	if t.ended[object] >= need {
		t.mu.Unlock()
		return true
	}
	turn := &needyTurn{need: need, met: make(chan struct{})}
	t.waiting[object] = append(t.waiting[object], turn)
	t.mu.Unlock()
	return await(ctx, stopped, turn.met)
}

// leave counts an operation that has ended, and lets go on those that waited for it.
func (t *objectTurns) leave(object uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended[object]++
	list := t.waiting[object]
	if len(list) == 0 {
		return
	}
	left := list[:0]
	for _, turn := range list {
		if turn.need > t.ended[object] {
			left = append(left, turn)
			continue
		}
		close(turn.met)
	}
	if t.waiting[object] = left; len(left) == 0 {
		delete(t.waiting, object)
	}
}

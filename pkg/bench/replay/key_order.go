package replay

import (
	"context"
	"slices"
	"sync"

	"warp/pkg/load/loop"
)

// keyOrder makes turns that use the same object begin in the order of their numbers: reads after the end of the preceding write, writes
// after the end of everything before. Turns arrive in any order, as threads get them, and are registered in the order of their numbers.
type keyOrder struct {
	uses func(turn uint64) (objectUses, error)

	mu      sync.Mutex
	next    uint64                // first turn that is not registered
	waiting map[uint64]*turnPlace // registered turns that have not come yet, by number
	objects map[uint64]*inUse     // that registered turns use which are not over

	freePlaces []*turnPlace // to be used again, as are the others
	freeUses   []*inUse
}

type objectUse struct {
	object  uint64
	writes  bool // no other turn may use it meanwhile
	putBack bool // before the turn
}

// objectUses are a turn's uses of its object and of the source of a copy.
type objectUses struct {
	list [2]objectUse
	n    int
}

// add adds a use; uses of the same object become one.
func (u *objectUses) add(use objectUse) {
	for i := range u.all() {
		if was := &u.list[i]; was.object == use.object {
			was.writes, was.putBack = was.writes || use.writes, was.putBack || use.putBack
			return
		}
	}
	u.list[u.n] = use
	u.n++
}

func (u *objectUses) all() []objectUse { return u.list[:u.n] }

// turnPlace is the place of a turn in the queues of its objects.
type turnPlace struct {
	objectUses
	over  chan struct{} // nil: no turn waits for it
	after []*turnPlace  // that must be over before
}

// inUse are the unfinished turns that use an object.
type inUse struct {
	count  int
	writer *turnPlace   // the last write
	reads  []*turnPlace // since then
}

func newKeyOrder(uses func(uint64) (objectUses, error)) *keyOrder {
	return &keyOrder{uses: uses, waiting: map[uint64]*turnPlace{}, objects: map[uint64]*inUse{}}
}

// enter returns the place of a turn, which must leave in any case.
func (k *keyOrder) enter(turn uint64) (*turnPlace, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for ; k.next <= turn; k.next++ {
		p := takeFree(&k.freePlaces)
		var err error
		if p.objectUses, err = k.uses(k.next); err != nil {
			return nil, err
		}
		for i := range p.all() {
			k.register(p, &p.list[i])
		}
		k.waiting[k.next] = p
	}
	p := k.waiting[turn]
	delete(k.waiting, turn)
	return p, nil
}

// register adds a turn at the end of an object's queue.
func (k *keyOrder) register(p *turnPlace, use *objectUse) {
	u := k.objects[use.object]
	if u == nil {
		u = takeFree(&k.freeUses)
		k.objects[use.object] = u
	}
	u.count++
	if u.writer != nil {
		p.waitFor(u.writer)
	}
	if !use.writes {
		u.reads = append(u.reads, p)
		return
	}
	for _, read := range u.reads {
		p.waitFor(read)
	}
	u.writer, u.reads = p, u.reads[:0]
}

// waitFor makes a turn wait for another.
func (p *turnPlace) waitFor(before *turnPlace) {
	if before.over == nil {
		before.over = make(chan struct{})
	}
	p.after = append(p.after, before)
}

// takeFree takes a value from a free list; it allocates one if the list is empty.
func takeFree[T any](free *[]*T) *T {
	last := len(*free) - 1
	if last < 0 {
		return new(T)
	}
	v := (*free)[last]
	*free = (*free)[:last]
	return v
}

// leave ends a turn. The turns that wait for it go on.
func (k *keyOrder) leave(p *turnPlace) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p.after = nil
	for i := range p.all() {
		k.release(p, p.list[i].object)
	}
	if p.over != nil {
		close(p.over) // waiting turns hold p
		return
	}
	k.freePlaces = append(k.freePlaces, p)
}

// release takes a turn out of an object's queue.
func (k *keyOrder) release(p *turnPlace, object uint64) {
	u := k.objects[object]
	if u.count--; u.count == 0 {
		delete(k.objects, object)
		u.writer, u.reads = nil, u.reads[:0]
		k.freeUses = append(k.freeUses, u)
	} else if u.writer == p {
		u.writer = nil
	} else if i := slices.Index(u.reads, p); i >= 0 {
		u.reads = slices.Delete(u.reads, i, i+1)
	}
}

// await waits for a channel. It returns false if ctx or sending ended before.
func await[T any](ctx context.Context, stopped <-chan struct{}, c <-chan T) (came bool) {
	loop.Block(ctx, func(ctx context.Context) {
		select {
		case <-c:
			came = true
		case <-stopped:
		case <-ctx.Done():
		}
	})
	return came
}

// wait waits until the turn may begin. It returns false if ctx or sending ends first: the turns before it may never begin.
func (p *turnPlace) wait(ctx context.Context, stopped <-chan struct{}) (waited, ok bool) {
	for _, before := range p.after {
		select {
		case <-before.over:
			continue
		default:
		}
		if !await(ctx, stopped, before.over) {
			return true, false
		}
		waited = true
	}
	return waited, true
}

package bench

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestPoolKeepsItsReserve(t *testing.T) {
	p := newPool(0, 10, 4)
	taken := map[uint64]bool{}
	for turn := range uint64(100) {
		if o, _, ok := p.take(1, turn); ok {
			if taken[o] {
				t.Fatalf("object %d was taken twice", o)
			}
			taken[o] = true
		}
	}
	if len(taken) != 6 {
		t.Errorf("%d objects were taken, want 6", len(taken))
	}
	p.add(99)
	if _, _, ok := p.take(1, 200); !ok {
		t.Error("an added object cannot be spared")
	}
}

func TestPoolReadsOneObjectOftenAndDoesNotDeleteIt(t *testing.T) {
	p := newPool(0, 2, 1)
	one := newAccess(2, 0, 1)
	a := p.read(&one, 1)
	for p.read(&one, 1) != a { // the same turn reads the same object
		t.Fatal("the turn does not decide")
	}
	for turn := range uint64(50) {
		if o, _, ok := p.take(2, turn); ok {
			if o == a {
				t.Fatal("an object that is being read was taken")
			}
			p.add(o)
		}
	}
	p.release(a)
	if len(p.place) != 1 {
		t.Error("one of two readers released, the object counts as unread")
	}
	p.release(a)
	if len(p.place) != 0 {
		t.Error("no reader is left, the object counts as read")
	}
}

// Nobody may read an object that is deleted, whatever happens at once.
func TestPoolRace(t *testing.T) {
	p := newPool(0, 64, 8)
	var next, deletions atomic.Uint64
	next.Store(64)
	var state sync.Map // object -> true while it exists
	for i := range uint64(64) {
		state.Store(i, true)
	}
	access := newAccess(64, 0, 5)
	var wg sync.WaitGroup
	for w := range uint64(8) {
		wg.Go(func() {
			for turn := range uint64(3000) {
				switch n := turn*8 + w; n % 4 {
				case 0:
					o := next.Add(1) - 1
					state.Store(o, true)
					p.add(o)
				case 1:
					if o, _, ok := p.take(3, n); ok {
						state.Delete(o)
						deletions.Add(1)
					}
				default:
					o := p.read(&access, n)
					if _, there := state.Load(o); !there {
						t.Errorf("object %d was read, but it is deleted", o)
					}
					p.release(o)
				}
			}
		})
	}
	wg.Wait()
	if deletions.Load() == 0 || len(p.place) != 0 {
		t.Errorf("%d deletions, %d objects still read", deletions.Load(), len(p.place))
	}
}

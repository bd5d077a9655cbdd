package replay

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// Turns come in any order; those on an object are performed as if they came in the order of their numbers. Some use two objects, or one in two ways.
func TestKeyOrder(t *testing.T) {
	const turns, objects, threads = 5000, 7, 16
	rnd := rand.New(rand.NewPCG(3, 4))
	uses := make([]objectUses, turns)
	found := make([][2]int, turns) // versions of the objects that a turn must find
	versions := map[uint64]int{}
	for i := range uses {
		for range 1 + rnd.IntN(2) {
			uses[i].add(objectUse{object: rnd.Uint64N(objects), writes: rnd.IntN(4) == 0})
		}
		for k, use := range uses[i].all() {
			if found[i][k] = versions[use.object]; use.writes {
				versions[use.object]++
			}
		}
	}
	order := newKeyOrder(func(turn uint64) (objectUses, error) { return uses[turn], nil })
	var now [objects]atomic.Int64
	var next, together, most atomic.Int64
	var group sync.WaitGroup
	for range threads {
		group.Go(func() {
			for {
				n := uint64(next.Add(1) - 1)
				if n >= turns {
					return
				}
				p, err := order.enter(n)
				if err != nil {
					t.Error("no place", err)
					return
				}
				if _, ok := p.wait(context.Background(), nil); !ok {
					t.Error("the wait ended early")
					return
				}
				most.Store(max(most.Load(), together.Add(1)))
				for k, u := range uses[n].all() {
					if at := now[u.object].Load(); at != int64(found[n][k]) {
						t.Errorf("turn %d found version %d of object %d, want %d", n, at, u.object, found[n][k])
					}
					if u.writes {
						now[u.object].Add(1)
					}
				}
				together.Add(-1)
				order.leave(p)
			}
		})
	}
	group.Wait()
	if len(order.objects)+len(order.waiting) > 0 {
		t.Errorf("%d objects and %d turns are left", len(order.objects), len(order.waiting))
	}
}

// Who waits for a turn that never comes goes on when sending stops.
func TestKeyOrderEnds(t *testing.T) {
	order := newKeyOrder(func(uint64) (u objectUses, err error) {
		u.add(objectUse{object: 1, writes: true})
		return u, nil
	})
	p, err := order.enter(1)
	stopped := make(chan struct{})
	close(stopped)
	if err != nil {
		t.Fatal(err)
	}
	if waited, ok := p.wait(t.Context(), stopped); !waited || ok {
		t.Error("it did not wait for the turn before")
	}
	order.leave(p)
}

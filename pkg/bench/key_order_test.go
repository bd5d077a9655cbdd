package bench

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// Turns come in any order; those on an object are performed as if they came in the order of their numbers.
func TestKeyOrder(t *testing.T) {
	const turns, objects, threads = 5000, 7, 16
	rnd := rand.New(rand.NewPCG(3, 4))
	uses := make([]struct {
		object uint64
		writes bool
	}, turns)
	version := make([]int, turns) // of the object that a turn must find
	versions := map[uint64]int{}
	for i := range uses {
		uses[i].object, uses[i].writes = rnd.Uint64N(objects), rnd.IntN(4) == 0
		version[i] = versions[uses[i].object]
		if uses[i].writes {
			versions[uses[i].object]++
		}
	}
	order := newKeyOrder(func(turn uint64) (uint64, bool, error) { return uses[turn].object, uses[turn].writes, nil })
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
				if err != nil || !p.wait(context.Background(), nil) {
					t.Error("no place", err)
					return
				}
				u := uses[n]
				if at := now[u.object].Load(); at != int64(version[n]) {
					t.Errorf("turn %d found version %d, want %d", n, at, version[n])
				}
				most.Store(max(most.Load(), together.Add(1)))
				if u.writes {
					now[u.object].Add(1)
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
	order := newKeyOrder(func(uint64) (uint64, bool, error) { return 1, true, nil })
	p, err := order.enter(1)
	stopped := make(chan struct{})
	close(stopped)
	if err != nil || p.wait(t.Context(), stopped) {
		t.Error("it did not wait for the turn before", err)
	}
	order.leave(p)
}

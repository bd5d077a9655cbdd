package bench

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// Threads with operations of their own, on objects that all of them use, find what the trace says, and none waits for ever: whatever the trace is, and
// whichever thread is how far ahead.
func TestObjectTurns(t *testing.T) {
	const operations, threads = 3000, 12
	for seed := range uint64(10) {
		rnd := rand.New(rand.NewPCG(seed, 8))
		objects := 1 + seed*seed
		turns := newObjectTurns(objects)
		type use struct {
			object  uint64
			need    uint32
			writes  bool
			version int64 // of the object that it must find
		}
		of, versions := [threads][]use{}, make([]int64, objects)
		for range operations {
			u := use{object: rnd.Uint64N(objects), writes: rnd.IntN(3) == 0}
			u.version, u.need = versions[u.object], turns.need(u.object, u.writes)
			if u.writes {
				versions[u.object]++
			}
			k := rnd.IntN(threads)
			of[k] = append(of[k], u)
		}
		turns.begin()
		now, readers := make([]atomic.Int64, objects), make([]atomic.Int64, objects)
		var group sync.WaitGroup
		for _, list := range of {
			group.Go(func() {
				for _, u := range list {
					if !turns.wait(context.Background(), nil, u.object, u.need) {
						t.Error("the wait ended early")
						return
					}
					if at := now[u.object].Load(); at != u.version {
						t.Errorf("found version %d, want %d", at, u.version)
					}
					if u.writes {
						if n := readers[u.object].Load(); n != 0 {
							t.Errorf("written while %d read", n)
						}
						now[u.object].Add(1)
					} else {
						readers[u.object].Add(1)
						readers[u.object].Add(-1)
					}
					turns.leave(u.object)
				}
			})
		}
		group.Wait()
		if len(turns.waiting) > 0 {
			t.Errorf("%d objects are waited for", len(turns.waiting))
		}
	}
}

// A wait ends with sending.
func TestObjectTurnsEnd(t *testing.T) {
	turns := newObjectTurns(1)
	_, need := turns.need(0, true), turns.need(0, false)
	turns.begin()
	over := make(chan struct{})
	close(over)
	if turns.wait(t.Context(), over, 0, need) {
		t.Error("a read began before the write")
	}
	turns.leave(0)
	if !turns.wait(t.Context(), over, 0, need) {
		t.Error("a read after the write did not begin")
	}
}

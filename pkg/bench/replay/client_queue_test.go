package replay

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"warp/internal/clock"
)

// Clients with operations of their own, on objects that all of them use, find what the trace says, and none waits for ever: whatever the trace is,
// whichever client is how far ahead, and however few threads there are.
func TestClientQueue(t *testing.T) {
	const operations, clients = 3000, 12
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
		of, versions := [clients][]use{}, make([]int64, objects)
		for range operations {
			u := use{object: rnd.Uint64N(objects), writes: rnd.IntN(3) == 0}
			u.version, u.need = versions[u.object], turns.need(u.object, u.writes)
			if u.writes {
				versions[u.object]++
			}
			k := rnd.IntN(clients)
			of[k] = append(of[k], u)
		}
		turns.begin()
		now, readers := make([]atomic.Int64, objects), make([]atomic.Int64, objects)
		queue := newClientQueue(clients, func(k int) bool { return turns.reached(of[k][0].object, of[k][0].need, k) })
		next := func(k int) {
			if len(of[k]) == 0 {
				queue.retire()
				return
			}
			queue.schedule(k, clock.Now().Add(time.Duration(len(of[k])%3)*20*time.Microsecond))
		}
		for k := range of {
			next(k)
		}
		var group sync.WaitGroup
		for range 1 + seed*3/2 { // fewer than clients, and more
			group.Go(func() {
				for {
					k, _, ok := queue.take(t.Context(), nil)
					if !ok {
						return
					}
					u := of[k][0]
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
					for _, other := range turns.leave(u.object) {
						queue.push(other)
					}
					of[k] = of[k][1:]
					next(k)
				}
			})
		}
		group.Wait()
		if len(turns.waiting) > 0 || len(queue.gaps) > 0 || len(queue.queue) > 0 || len(queue.idle) > 0 {
			t.Errorf("%d objects are waited for; %d gaps, %d clients, %d threads are left", len(turns.waiting), len(queue.gaps), len(queue.queue), len(queue.idle))
		}
		queue.stop()
	}
}

// Waiting for a client ends with sending, and a thread that was free is not a client's waiting.
func TestClientQueueEnds(t *testing.T) {
	queue := newClientQueue(2, func(int) bool { return true })
	queue.schedule(0, clock.Now().Add(time.Hour))
	over := make(chan struct{})
	close(over)
	if _, _, ok := queue.take(t.Context(), over); ok {
		t.Error("a client whose gap has not passed was ready")
	}
	queue.stop()
	queue.idle = nil // the thread that gave up
	queue.schedule(1, clock.Now())
	if client, since, ok := queue.take(t.Context(), nil); client != 1 || since.IsZero() || !ok {
		t.Errorf("client %d, ready since %v, %v", client, since, ok)
	}
}

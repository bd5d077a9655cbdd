package replay

import (
	"context"
	"sync"
	"time"

	"warp/internal/clock"
	"warp/internal/heap"
)

// clientQueue hands out the clients of a trace to threads: each client once its gap has passed and what it needs has ended, first ready,
// first served. Waiting threads resume last in, first out, so that no more threads work, and take memory, than are needed.
type clientQueue struct {
	isReady func(client int) bool // reports whether what a client needs is over, once its gap has passed; if not, push is called later

	mu      sync.Mutex
	clients int // that have operations left
	gaps    heap.Heap[clientGap]
	timer   *time.Timer // for the first gap; nil before there is one
	queue   []readyClient
	idle    []chan struct{} // of threads that wait
}

// readyClient is a client with an operation ready to send.
type readyClient struct {
	client int
	since  time.Time // zero: a thread was free
}

func newClientQueue(clients int, met func(client int) bool) *clientQueue {
	return &clientQueue{clients: clients, isReady: met}
}

// schedule makes a client wait for the end of its gap, and then for what it needs.
func (q *clientQueue) schedule(client int, until time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	left := until.Sub(clock.Now())
	if left <= 0 {
		q.endGap(client)
		return
	}
	q.gaps.Push(clientGap{until, client})
	switch {
	case q.timer == nil:
		q.timer = time.AfterFunc(left, q.endGaps)
	case q.gaps[0].client == client:
		q.timer.Reset(left)
	}
}

// endGaps resumes all clients after their gaps.
func (q *clientQueue) endGaps() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.gaps) > 0 {
		left := q.gaps[0].until.Sub(clock.Now())
		if left > 0 {
			q.timer.Reset(left)
			return
		}
		q.endGap(q.gaps.Pop().client)
	}
}

// endGap resumes a client after its gap; q.mu is held.
func (q *clientQueue) endGap(client int) {
	if q.isReady(client) {
		q.pushLocked(client)
	}
}

// push adds a client that has what it waited for.
func (q *clientQueue) push(client int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pushLocked(client)
}

// pushLocked adds a client that is ready; q.mu is held.
func (q *clientQueue) pushLocked(client int) {
	r := readyClient{client: client}
	if !q.wakeThread() {
		r.since = clock.Now()
	}
	q.queue = append(q.queue, r)
}

// wakeThread wakes a thread, and reports whether there was one; q.mu is held.
func (q *clientQueue) wakeThread() bool {
	last := len(q.idle) - 1
	if last < 0 {
		return false
	}
	close(q.idle[last])
	q.idle = q.idle[:last]
	return true
}

// take waits for a ready client, and returns the first, and since when it has waited for a thread; zero if a thread was free. It returns
// false if ctx or sending ends first, or no client has operations left.
func (q *clientQueue) take(ctx context.Context, stopped <-chan struct{}) (client int, since time.Time, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.queue) == 0 {
		if q.clients == 0 {
			return 0, time.Time{}, false
		}
		woken := make(chan struct{})
		q.idle = append(q.idle, woken)
		q.mu.Unlock()
		ok := await(ctx, stopped, woken)
		q.mu.Lock()
		if !ok {
			return 0, time.Time{}, false // likewise in all other threads
		}
	}
	first := q.queue[0]
	q.queue = q.queue[1:]
	return first.client, first.since, true
}

// retire removes a client without further operations.
func (q *clientQueue) retire() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.clients--
	for q.clients == 0 && q.wakeThread() {
	}
}

// stop ends the waiting for gaps.
func (q *clientQueue) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.gaps = nil
	if q.timer != nil {
		q.timer.Stop()
	}
}

// clientGap is the end of a client's gap.
type clientGap struct {
	until  time.Time
	client int
}

// Before orders gaps by their ends.
func (g clientGap) Before(o clientGap) bool { return g.until.Before(o.until) }

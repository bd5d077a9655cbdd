package op

import (
	"sync"

	"warp/internal/clock"
)

// WorkerBuf takes the operations of one worker. Its lock is shared with nobody but the sweep twice a second.
type WorkerBuf struct {
	mu     sync.Mutex
	cur    *batch // nil: none since it was last handed over
	closed bool
	c      *Collector
	_      [96]byte // keeps the buffers of two workers off the same cache line
}

// Add records o, which it copies. It waits only if the sinks cannot keep up; see Collector.Stalls.
func (w *WorkerBuf) Add(o *Op) {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		w.c.dropped.Add(1)
		return
	}
	if w.cur == nil {
		w.cur = w.c.pool.Get().(*batch)
	}
	b := w.cur
	b.ops[b.n] = *o
	b.n++
	if b.n < batchOps {
		w.mu.Unlock()
		return
	}
	w.cur = nil
	w.c.pending.Add(1) // under the lock: once the buffer is closed, no batch is announced any more
	w.mu.Unlock()
	w.c.send(b) // not under the lock, which the receiver takes
}

// take empties the buffer; nil: it is empty. If it is the last time, the buffer takes no more.
func (w *WorkerBuf) take(last bool) *batch {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.cur
	w.cur = nil
	w.closed = last
	return b
}

// send hands over a batch, and measures how long it had to wait for that.
func (c *Collector) send(b *batch) {
	select {
	case c.full <- b:
		return
	default:
	}
	start := clock.Now()
	c.full <- b
	c.stalls.Add(1)
	c.stalled.Add(int64(clock.Now().Sub(start)))
}

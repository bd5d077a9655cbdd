package op

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"warp/internal/clock"
)

const (
	// batchOps is the number of operations in a batch. A thousand workers hold less than 10 MiB.
	batchOps = 32
	// queueBatches is how many full batches may wait for the sinks before workers block. It bridges a disk stall of a
	// third of a second at 100,000 operations per second.
	queueBatches = 1024
	// wakeBatches is the number of full batches that wake the goroutine of the sinks. A wake-up costs a worker as much as
	// an operation, and more batches would take the processor from a worker for longer than 0.3 ms.
	wakeBatches = 4
	// sweepEvery is how often partial batches are delivered too, and sinks flushed.
	sweepEvery = 500 * time.Millisecond
	// sweepParts is the number of parts of a sweep, at different times: all batches at once would take a processor for a
	// millisecond, while a client with one processor sends nothing.
	sweepParts = 16
)

// MaxDelay is how long after its end an operation reaches the sinks at the latest, unless the machine stalls.
const MaxDelay = 2 * time.Second

// Beginner is a Sink that is called before a run changes anything in its bucket.
type Beginner interface {
	Begin() error
}

// Flusher is a Sink that buffers operations until Flush.
type Flusher interface {
	Flush() error
}

// Collector passes the operations of many workers to sinks. Each worker fills a buffer of its own. One goroutine, the only
// one that calls the sinks, takes full buffers 32 times a second, or when there are several, and all others twice a second.
// It then calls Flush on sinks that are Flushers. So sinks are at most a second behind.
//
// Operations arrive roughly, not exactly, in the order of their ends, even from one worker.
//
// A sink that fails gets no more operations; the others, and the run, continue.
type Collector struct {
	full    chan *batch
	pending atomic.Int64 // batches that are in full, or about to be sent
	pool    sync.Pool    // of *batch
	sinks   []*sinkState // owned by the goroutine until done is closed
	errs    chan error
	wake    chan struct{} // many batches are full
	calls   chan func()   // made by the goroutine
	closing chan struct{}
	done    chan struct{}
	once    sync.Once

	mu      sync.Mutex
	workers []*WorkerBuf
	closed  bool

	stalls  atomic.Uint64
	stalled atomic.Int64 // nanoseconds
	dropped atomic.Uint64
}

// batch is a buffer of operations.
type batch struct {
	n   int
	ops [batchOps]Op
}

// sinkState is a sink and its first failure.
type sinkState struct {
	Sink
	err error
}

// NewCollector starts a collector, which owns the sinks from then on: it alone calls them, and Close closes them.
func NewCollector(sinks ...Sink) *Collector {
	c := &Collector{
		full:    make(chan *batch, queueBatches),
		errs:    make(chan error, len(sinks)),
		wake:    make(chan struct{}, 1),
		calls:   make(chan func()),
		closing: make(chan struct{}),
		done:    make(chan struct{}),
	}
	c.pool.New = func() any { return new(batch) }
	for _, s := range sinks {
		c.sinks = append(c.sinks, &sinkState{Sink: s})
	}
	go c.run()
	return c
}

// Worker returns the buffer of one worker.
func (c *Collector) Worker() *WorkerBuf {
	b := &WorkerBuf{c: c}
	c.mu.Lock()
	defer c.mu.Unlock()
	b.closed = c.closed
	c.workers = append(c.workers, b)
	return b
}

// Begin calls Begin on sinks that are Beginners, and returns when they have begun. It must not follow Close.
func (c *Collector) Begin() { c.call(c.beginSinks) }

// Deliver passes on all operations that were added before, and returns when the sinks have them. It must not follow Close.
func (c *Collector) Deliver() {
	c.call(func() {
		c.sweep(0, 1, false)
		c.drain()
		c.flush()
	})
}

// call has the goroutine that owns the sinks call a function.
func (c *Collector) call(do func()) {
	done := make(chan struct{})
	c.calls <- func() { defer close(done); do() }
	<-done
}

// Errs returns a channel that delivers the failure of a sink when it happens, at most one per sink, and is closed by
// Close. It need not be read.
func (c *Collector) Errs() <-chan error { return c.errs }

// Stalls returns how often workers had to wait because the sinks were slower, and for how long in total. A run with
// stalls measured itself as well as the server.
func (c *Collector) Stalls() (times uint64, waited time.Duration) {
	return c.stalls.Load(), time.Duration(c.stalled.Load())
}

// Dropped returns the number of operations that came after Close and were lost.
func (c *Collector) Dropped() uint64 { return c.dropped.Load() }

// Close delivers everything, closes the sinks and returns all their failures. Workers should have ended: what they add
// later is lost and counted by Dropped.
func (c *Collector) Close() error {
	c.once.Do(func() { close(c.closing) })
	<-c.done
	errs := make([]error, 0, len(c.sinks))
	for _, s := range c.sinks {
		errs = append(errs, s.err)
	}
	return errors.Join(errs...)
}

// run delivers batches to the sinks until Close.
func (c *Collector) run() {
	defer close(c.done)
	const step = sweepEvery / sweepParts
	swept, part := clock.Now(), 0
	tick := time.NewTicker(step)
	defer tick.Stop()
	for {
		select {
		case <-c.wake:
			c.drain()
		case do := <-c.calls:
			do()
		case now := <-tick.C:
			c.drain()
			for ; now.Sub(swept) >= step; swept = swept.Add(step) { // a slow sink makes ticks be left out
				c.sweep(part, sweepParts, false)
				if part = (part + 1) % sweepParts; part == 0 {
					c.flush()
				}
			}
		case <-c.closing:
			c.sweep(0, 1, true)
			c.drain() // no more are added
			c.closeSinks()
			return
		}
	}
}

// drain delivers the batches that are full by now.
func (c *Collector) drain() {
	for range c.pending.Load() {
		b := <-c.full
		c.pending.Add(-1)
		c.deliver(b)
	}
}

// sweep delivers what one part of the workers has not yet handed over. After the last sweep buffers accept no more.
func (c *Collector) sweep(part, parts int, last bool) {
	c.mu.Lock()
	c.closed = last
	workers := c.workers
	c.mu.Unlock()
	for i := part; i < len(workers); i += parts {
		if b := workers[i].take(last); b != nil {
			c.deliver(b)
		}
	}
}

// deliver writes a batch to the sinks and recycles it.
func (c *Collector) deliver(b *batch) {
	for _, s := range c.sinks {
		if s.err == nil {
			c.note(s, s.Write(b.ops[:b.n]))
		}
	}
	b.n = 0
	c.pool.Put(b)
}

func (c *Collector) beginSinks() {
	for _, s := range c.sinks {
		if b, ok := s.Sink.(Beginner); ok && s.err == nil {
			c.note(s, b.Begin())
		}
	}
}

// flush flushes the sinks that are Flushers.
func (c *Collector) flush() {
	for _, s := range c.sinks {
		if f, ok := s.Sink.(Flusher); ok && s.err == nil {
			c.note(s, f.Flush())
		}
	}
}

// closeSinks closes all sinks, also failed ones: they may hold files.
func (c *Collector) closeSinks() {
	for _, s := range c.sinks {
		err := s.Close()
		if s.err == nil {
			c.note(s, err)
		} else if !errors.Is(err, s.err) {
			s.err = errors.Join(s.err, err)
		}
	}
	close(c.errs)
}

// note stores the first failure of a sink and reports it.
func (c *Collector) note(s *sinkState, err error) {
	if err != nil {
		s.err = err
		c.errs <- err // never blocks: buffered for one per sink
	}
}

// WorkerBuf collects the operations of one worker. Only the sweep, twice a second, shares its lock.
type WorkerBuf struct {
	mu     sync.Mutex
	cur    *batch // nil if empty
	closed bool
	c      *Collector
	_      [96]byte // keeps the buffers of two workers on different cache lines
}

// Add records a copy of o. It blocks only if the sinks cannot keep up; see Collector.Stalls.
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
	many := w.c.pending.Add(1) >= wakeBatches // under the lock: once the buffer is closed, no batch is announced
	w.mu.Unlock()
	w.c.send(b) // without the lock, which the receiver needs
	if many {
		select {
		case w.c.wake <- struct{}{}:
		default: // it will
		}
	}
}

// take empties the buffer; nil if it is empty. After the last call, the buffer accepts no more.
func (w *WorkerBuf) take(last bool) *batch {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.cur
	w.cur = nil
	w.closed = last
	return b
}

// send hands over a batch, and measures how long it had to wait.
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

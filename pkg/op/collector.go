package op

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// batchOps is how many operations a worker hands over at once. A thousand workers hold under ten MiB.
	batchOps = 32
	// queueBatches is how many full batches may wait for the sinks before workers have to. It bridges a stall of the
	// disk of a third of a second at 100,000 operations per second.
	queueBatches = 1024
	// sweepEvery is how often batches that are not full are handed over too, and sinks flushed.
	sweepEvery = 500 * time.Millisecond
)

// Flusher is a Sink that holds operations back until it is told not to.
type Flusher interface {
	Flush() error
}

// Collector brings the operations of many workers to sinks. Each worker fills a buffer of its own; full buffers, and
// twice a second all others, go to one goroutine, the only one that calls the sinks. After that it calls Flush on those
// that are a Flusher. So sinks are at most a second behind.
//
// Operations arrive in about the order in which they ended, not exactly: not even those of one worker.
//
// A sink that fails gets no more operations; the others, and the run, go on.
type Collector struct {
	full    chan *batch
	pending atomic.Int64 // batches on their way through full: their worker will send them, or has
	pool    sync.Pool    // of *batch
	sinks   []*sinkState // of the goroutine, until done is closed
	errs    chan error
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

// sinkState is a sink, and its first failure.
type sinkState struct {
	Sink
	err error
}

// NewCollector starts a collector, which from now on owns the sinks: it alone calls them, and Close closes them.
func NewCollector(sinks ...Sink) *Collector {
	c := &Collector{
		full:    make(chan *batch, queueBatches),
		errs:    make(chan error, len(sinks)),
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

// Worker makes the buffer of one worker.
func (c *Collector) Worker() *WorkerBuf {
	b := &WorkerBuf{c: c}
	c.mu.Lock()
	defer c.mu.Unlock()
	b.closed = c.closed
	c.workers = append(c.workers, b)
	return b
}

// Errs delivers the failure of a sink when it happens, one for each sink at most, and is closed by Close. Nobody has to read it.
func (c *Collector) Errs() <-chan error { return c.errs }

// Stalls tells how often workers had to wait because the sinks were slower than they, and how long in sum. A run with
// stalls measured itself as well as the server.
func (c *Collector) Stalls() (times uint64, waited time.Duration) {
	return c.stalls.Load(), time.Duration(c.stalled.Load())
}

// Dropped is how many operations came after Close, and were lost.
func (c *Collector) Dropped() uint64 { return c.dropped.Load() }

// Close hands everything over, closes the sinks and returns all that failed in them. Workers should have ended: what
// they add later is counted by Dropped and lost.
func (c *Collector) Close() error {
	c.once.Do(func() { close(c.closing) })
	<-c.done
	errs := make([]error, 0, len(c.sinks))
	for _, s := range c.sinks {
		errs = append(errs, s.err)
	}
	return errors.Join(errs...)
}

// run brings batches to the sinks until Close.
func (c *Collector) run() {
	defer close(c.done)
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case b := <-c.full:
			c.received(b)
		case <-tick.C:
			c.sweep(false)
			c.flush()
		case <-c.closing:
			c.sweep(true)
			for c.pending.Load() > 0 { // none are added any more
				c.received(<-c.full)
			}
			c.closeSinks()
			return
		}
	}
}

// received delivers a batch that came through the channel.
func (c *Collector) received(b *batch) {
	c.pending.Add(-1)
	c.deliver(b)
}

// sweep delivers what workers have not handed over yet. If it is the last time, their buffers take no more.
func (c *Collector) sweep(last bool) {
	c.mu.Lock()
	c.closed = last
	workers := c.workers
	c.mu.Unlock()
	for _, w := range workers {
		if b := w.take(last); b != nil {
			c.deliver(b)
		}
	}
}

// deliver writes a batch to the sinks and makes it free again.
func (c *Collector) deliver(b *batch) {
	for _, s := range c.sinks {
		if s.err == nil {
			c.note(s, s.Write(b.ops[:b.n]))
		}
	}
	b.n = 0
	c.pool.Put(b)
}

// flush flushes the sinks that can be.
func (c *Collector) flush() {
	for _, s := range c.sinks {
		if f, ok := s.Sink.(Flusher); ok && s.err == nil {
			c.note(s, f.Flush())
		}
	}
}

// closeSinks closes all sinks, also those that failed: they may hold files.
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

// note keeps the first failure of a sink and makes it known.
func (c *Collector) note(s *sinkState, err error) {
	if err != nil {
		s.err = err
		c.errs <- err // never waits: there is room for one of each sink
	}
}

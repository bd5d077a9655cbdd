package load

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"warp/internal/clock"
)

// Run performs turns until ctx is cancelled, Duration has passed, Turns have been performed, do returns an error, or
// Abort is closed. It returns when all turns in flight have ended and no goroutine is left.
//
// Turns get a context that does not end with ctx. It is cancelled when Grace has passed since ctx was cancelled, Duration
// was over or do returned a fault, and at once when Abort is closed. Where sending ended because there are no more turns
// (Turns, ErrDone, ErrLast), Run waits for turns in flight until one of these events occurs.
//
// The error is the first that do returned, except ErrDone, ErrLast and the cancellation of a cut context. The end of ctx is not
// an error. Stats are valid with an error too.
func Run(ctx context.Context, o Options, do Do) (Stats, error) {
	if err := o.validate(); err != nil {
		return Stats{}, err
	}
	o.Share.Total = max(1, o.Share.Total)
	r := &run{Options: o, do: do, ctx: ctx, quit: make(chan struct{}), failed: make(chan struct{})}
	r.ending.noMore = make(chan struct{})
	r.warmupEnd()
	if !r.awaitStart(ctx) {
		return Stats{}, nil
	}
	var err error
	if r.executor, err = newExecutor(r); err != nil {
		return Stats{}, err
	}
	defer r.executor.close()
	inFlight, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(nil)
	r.inFlight = inFlight
	workers := make([]worker, o.Concurrency)
	for i := range workers {
		workers[i].run, workers[i].number, workers[i].home = r, i, i%r.executor.homes()
	}
	if o.Schedule != nil {
		r.open(workers)
	} else {
		for i := range workers {
			r.start(&workers[i], workers[i].work)
		}
	}
	over := make(chan struct{})
	go func() { r.group.Wait(); close(over) }()
	var watch sync.WaitGroup
	defer watch.Wait()
	if o.Waiting != nil {
		watch.Go(func() { r.watchEnd(over) })
	}
	r.supervise(ctx, over, func() {
		r.cut.Store(true)
		cut(errCut)
	})
	return r.stats(workers), r.fault
}

// run is what the workers of one Run share.
type run struct {
	Options
	do       Do
	ctx      context.Context // its end stops sending
	inFlight context.Context // of turns

	executor executor
	group    sync.WaitGroup // of workers
	first    uint64         // open loop: turn after the warm-up
	quit     chan struct{}  // closed when sending stops, to wake waiting workers
	stop     sync.Once
	sent     time.Duration // duration of sending; set before quit is closed
	failed   chan struct{} // closed when do returns a fault
	fail     sync.Once
	fault    error // set before failed is closed

	stopped atomic.Bool   // same as quit, cheaper to check
	cut     atomic.Bool   // the context of turns in flight was cancelled
	_       [64]byte      // keep what follows, which changes constantly, off the cache line of read-only fields
	next    atomic.Uint64 // turn of a closed loop
	counted atomic.Uint64 // turns after a warm-up, if Turns limits them
	queue   queue
	ending  ending
}

// length returns how long after the start sending stops; 0: there is no limit.
func (r *run) length() time.Duration {
	if r.Duration == 0 {
		return 0
	}
	return r.Warmup + r.Duration
}

// awaitStart waits for the start, and reports whether it was reached.
func (r *run) awaitStart(ctx context.Context) bool {
	if r.Start.IsZero() {
		r.Start = clock.Now()
	}
	a := alarm{fine: newFineTimers(1)}
	defer a.fine.close()
	defer a.close()
	if !a.wait(r.Start, ctx.Done(), r.Abort) {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-r.Abort:
		return false
	default:
		return true
	}
}

// end stops sending after the given duration.
func (r *run) end(sent time.Duration) {
	r.stop.Do(func() {
		r.sent = sent
		r.stopped.Store(true)
		close(r.quit)
	})
}

// mayContinue reports whether another turn may begin. A cancelled context counts at once: the supervisor may not have run since.
func (r *run) mayContinue() bool {
	if !r.stopped.Load() && r.ctx.Err() != nil {
		r.endNow(nil)
	}
	return !r.stopped.Load()
}

// endNow stops sending, with or without a fault.
func (r *run) endNow(fault error) {
	r.end(clock.Now().Sub(r.Start))
	if fault != nil {
		r.fail.Do(func() {
			r.fault = fault
			close(r.failed)
		})
	}
}

// supervise waits for the workers. It stops them when it is time, and cuts their turns after the grace period.
func (r *run) supervise(ctx context.Context, over <-chan struct{}, cut func()) {
	select {
	case <-over:
		return
	case <-ctx.Done():
		r.endNow(nil)
	case <-after(r.length(), r.Start.Add(r.length()).Sub(clock.Now())):
		r.end(r.length())
	case <-r.failed:
	case <-r.Abort:
		r.endNow(nil)
	}
	select {
	case <-over:
		return
	case <-after(r.Grace, r.Grace):
	case <-r.Abort:
	}
	cut()
	<-over
}

// after returns a timer for a limit that is reached in left; nil if there is no limit.
func after(limit, left time.Duration) <-chan time.Time {
	if limit == 0 {
		return nil
	}
	return time.After(left)
}

// stats sums up what the workers did, and the turns that were not performed.
func (r *run) stats(workers []worker) Stats {
	var s Stats
	var last time.Time
	for i := range workers {
		w := &workers[i]
		s.Done += w.done
		s.Late += w.late
		s.Own.Add(w.own)
		s.Busy.Add(w.busy)
		s.Unsent += w.unsent
		s.Cut += w.cut
		s.Warmup += w.warm
		s.Paused = max(s.Paused, w.paused)
		if w.end.After(last) {
			last = w.end
		}
	}
	if !last.IsZero() {
		s.Spent = last.Sub(r.Start)
	}
	if s.Sending = s.Spent; r.stopped.Load() {
		s.Sending = r.sent
	}
	s.Sending = max(0, s.Sending-r.Warmup)
	if s.Planned = s.Sending; r.Schedule == nil {
		return s
	}
	s.Most = r.queue.highest
	if r.unsent(&s); !r.stopped.Load() { // all turns were sent, perhaps later than planned
		s.Planned = min(s.Sending, r.planned(s.Done+s.Unsent))
	}
	return s
}

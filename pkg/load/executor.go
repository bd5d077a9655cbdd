package load

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/pkg/load/loop"
)

// Executor is what performs the workers of a load.
type Executor uint8

const (
	// Goroutines perform turns that may block, on all systems.
	Goroutines Executor = iota
	// Loops perform turns that wait for nothing but sockets and times by means of their context; see package loop. Where the system has none,
	// goroutines take their place.
	Loops
)

// executor starts workers, and is how they wait.
type executor interface {
	// homes returns how many groups of workers there are. Workers of one group wake each other at less cost.
	homes() int
	// start starts a worker.
	start(w *worker, perform func(context.Context))
	// until waits for a time, and reports whether it was reached: false if sending stopped, or changed was closed. The zero time never comes.
	until(w *worker, at time.Time, changed <-chan struct{}) bool
	// rest waits for wake.
	rest(w *worker)
	// wake ends the rest of another worker, the present one or the next.
	wake(by, w *worker)
	// close ends the executor after the workers.
	close()
}

// waiter is a worker's state in the executor.
type waiter struct {
	alarm alarm         // of a goroutine
	woken chan struct{} // of a goroutine: the rest is over

	task   *loop.Task
	called atomic.Bool // the rest of the task is over
}

// newExecutor makes the executor of a run.
func newExecutor(r *run) (executor, error) {
	if r.Executor == Loops {
		l, err := newLoops(r)
		switch {
		case err == nil:
			return l, nil
		case r.Realtime:
			return nil, err
		}
	}
	n := MaxTimers
	if r.Schedule != nil {
		n = 1 // the leader's
	}
	return &goroutines{run: r, timers: newFineTimers(n)}, nil
}

// goroutines perform a worker each.
type goroutines struct {
	run    *run
	timers fineTimers
}

func (*goroutines) homes() int { return 1 }

func (g *goroutines) start(w *worker, perform func(context.Context)) {
	w.alarm.fine, w.waiter.woken = g.timers, make(chan struct{}, 1)
	g.run.group.Go(func() {
		defer w.alarm.close()
		perform(g.run.inFlight)
	})
}

func (g *goroutines) until(w *worker, at time.Time, changed <-chan struct{}) bool {
	if !at.IsZero() {
		return w.alarm.wait(at, g.run.quit, changed)
	}
	select {
	case <-g.run.quit:
	case <-changed:
	}
	return false
}

func (*goroutines) rest(w *worker)    { <-w.waiter.woken }
func (*goroutines) wake(_, w *worker) { w.waiter.woken <- struct{}{} }
func (g *goroutines) close()          { g.timers.close() }

// loops perform workers as tasks of a few threads.
type loops struct {
	run  *run
	list []*loop.Loop
	mu   sync.Mutex
	all  []*loop.Task // that were started
	over chan struct{}
	done sync.WaitGroup
}

// newLoops starts loops. It fails if the system has none.
func newLoops(r *run) (*loops, error) {
	l := &loops{run: r, over: make(chan struct{})}
	for range r.loops() {
		one, err := loop.New(r.Realtime)
		if err != nil {
			l.closeAll()
			return nil, err
		}
		l.list = append(l.list, one)
	}
	addProcessors(len(l.list))
	changed := r.changed()
	l.done.Go(func() { l.watch(changed) })
	return l, nil
}

// loops returns the number of loops. A closed loop uses all processors. One is left to everything else in an open loop, whose turns are
// late while another thread has the processor, and by loops that other threads cannot interrupt.
func (r *run) loops() int {
	n := addProcessors(0)
	if r.Schedule != nil || r.Realtime {
		n = max(1, n-1)
	}
	return min(r.Concurrency, n)
}

func (l *loops) homes() int { return len(l.list) }

func (l *loops) start(w *worker, perform func(context.Context)) {
	t := l.list[w.home].Task(l.run.inFlight)
	w.task = t
	l.run.group.Add(1)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, t)
	t.Start(func(*loop.Task) {
		perform(t)
		l.run.group.Done() // not after a panic, which ends the process
	})
}

func (l *loops) until(w *worker, at time.Time, changed <-chan struct{}) bool {
	if !at.IsZero() && !at.After(clock.Now()) {
		return true
	}
	for !w.task.Until(at) {
		if w.stopped.Load() {
			return false
		}
		select {
		case <-changed:
			return false
		default:
		}
	}
	return true
}

func (*loops) rest(w *worker) {
	for !w.called.Swap(false) {
		w.task.Rest()
	}
}

func (*loops) wake(by, w *worker) {
	w.called.Store(true)
	by.task.WakeOther(w.task)
}

// watch wakes all tasks when sending stops, and when the schedule changes: changed is closed then. A change that comes while they are woken
// is not missed: who wakes after it was noted does not wait for the one before.
func (l *loops) watch(changed <-chan struct{}) {
	for stopped := false; !stopped; {
		select {
		case <-changed:
			changed = l.run.changed()
		case <-l.run.quit:
			stopped = true
		case <-l.over:
			return
		}
		l.mu.Lock()
		for _, t := range l.all {
			t.Wake()
		}
		l.mu.Unlock()
	}
}

func (l *loops) close() {
	close(l.over)
	l.done.Wait()
	l.closeAll()
	addProcessors(-len(l.list))
}

func (l *loops) closeAll() {
	for _, one := range l.list {
		one.Close()
	}
}

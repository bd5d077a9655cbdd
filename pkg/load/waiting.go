package load

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// waitingAfter is how long turns may be in flight after the last one began until Options.Waiting is called, and
// waitingAgain how often from then on.
const (
	waitingAfter = 10 * time.Second
	waitingAgain = 30 * time.Second
)

// ending is what is known of the end of a run.
type ending struct {
	noMore  chan struct{} // closed when there are no more turns
	none    sync.Once
	working atomic.Int64 // workers that have not ended
}

// lastBegan notes that there are no more turns.
func (r *run) lastBegan() { r.ending.none.Do(func() { close(r.ending.noMore) }) }

// start starts a worker.
func (r *run) start(w *worker, work func(context.Context)) {
	r.ending.working.Add(1)
	r.executor.start(w, func(ctx context.Context) {
		defer r.ending.working.Add(-1)
		work(ctx)
	})
}

// watchEnd calls Options.Waiting while turns are in flight and no more begin.
func (r *run) watchEnd(over <-chan struct{}) {
	select {
	case <-over:
		return
	case <-r.quit:
	case <-r.ending.noMore:
	}
	for wait := waitingAfter; ; wait = waitingAgain {
		select {
		case <-over:
			return
		case <-time.After(wait):
			if n := r.ending.working.Load(); n > 0 {
				r.Waiting(int(n), r.stopped.Load() && r.Grace > 0)
			}
		}
	}
}

package load

import (
	"context"
	"errors"
	"math"
	"sort"
	"time"

	"warp/internal/clock"
)

// worker performs one turn at a time. Its counters are its own until the run is over.
type worker struct {
	*run
	alarm           alarm
	done, late, cut uint64
	skipped         uint64    // turns that were too late
	end             time.Time // of its last turn

	unreached uint          // consecutive turns without a response
	paused    time.Duration // in total after such turns

	dropped bool          // sending stopped while it waited for a turn
	due     time.Duration // of the current turn, from the start

	_ [64]byte // keep the counters of the next worker off this cache line
}

// work performs turns until sending stops or there are no more.
func (w *worker) work(ctx context.Context, number int) {
	defer w.alarm.close()
	for !w.stopped.Load() {
		t := Turn{N: w.next.Add(1) - 1, Worker: number}
		if w.Turns > 0 && t.N >= w.Turns {
			return
		}
		if w.Schedule != nil {
			if !w.await(&t) {
				return
			}
			if w.tooLate(&t) {
				continue
			}
		}
		if !w.settle(w.do(ctx, t)) || !w.backOff() {
			return
		}
	}
}

// Pauses of a worker whose turns get no response. There is none after the first one in a row: a server that closes
// a connection now and then must not slow the load down.
const (
	firstPause = time.Millisecond
	maxPause   = 100 * time.Millisecond
)

// backOff pauses after consecutive turns without a response, twice as long after each, and reports whether the
// worker continues.
func (w *worker) backOff() bool {
	if w.unreached < 2 || w.Schedule != nil {
		return true
	}
	from := clock.Now()
	on := w.alarm.sleep(min(maxPause, firstPause<<min(w.unreached-2, 10)), w.quit, nil)
	w.paused += clock.Now().Sub(from)
	return on
}

// await waits until the turn is due, and reports whether it may be performed.
func (w *worker) await(t *Turn) bool {
	w.due = w.dueOf(t.N)
	t.Due = w.Start.Add(w.due)
	w.dropped = true
	if w.due == Never && w.Duration == 0 {
		return false
	}
	if w.Duration > 0 && w.due >= w.Duration {
		<-w.quit // the load lasts for its duration, whatever its rate
		return false
	}
	if !w.alarm.wait(t.Due, w.quit, nil) || w.stopped.Load() {
		return false
	}
	w.dropped = false
	return true
}

// tooLate counts a turn that is late, and reports whether it is too late to be performed.
func (w *worker) tooLate(t *Turn) bool {
	switch late := clock.Now().Sub(t.Due); {
	case w.MaxLate > 0 && late > w.MaxLate:
		w.skipped++
		return true
	case late > lateBy:
		w.late++
	}
	return false
}

// settle counts a turn by the error of do, and reports whether the worker continues.
func (w *worker) settle(err error) bool {
	if errors.Is(err, ErrDone) {
		w.endNow(nil)
		return false
	}
	w.end = clock.Now()
	if errors.Is(err, ErrUnreachable) {
		w.unreached++
		err = nil
	} else {
		w.unreached = 0
	}
	cut := w.run.cut.Load()
	if err != nil && !(cut && errors.Is(err, context.Canceled)) {
		w.endNow(err)
		return false
	}
	w.done++
	if cut {
		w.cut++
	}
	return true
}

// dueOf returns when turn n of this client is due, from the start.
func (r *run) dueOf(n uint64) time.Duration {
	return r.Schedule.Due(r.Share.Index + n*r.Share.Total)
}

// untaken counts the turns that were due before sending stopped but were not performed. Due times never decrease, so a
// binary search finds the last one, between turns that are found by doubling: no turn far beyond is looked at, which would
// be costly where gaps are random.
func (r *run) untaken() uint64 {
	taken := r.next.Load()
	limit := uint64(math.MaxInt64) / r.Share.Total
	if r.Turns > 0 {
		limit = min(limit, r.Turns)
	}
	if taken >= limit {
		return 0
	}
	after := func(i uint64) bool { return r.dueOf(taken+i) >= r.sent }
	end := uint64(1)
	for end < limit-taken && !after(end-1) {
		end = min(2*end, limit-taken)
	}
	return uint64(sort.Search(int(end), func(i int) bool { return after(uint64(i)) }))
}

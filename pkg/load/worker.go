package load

import (
	"context"
	"errors"
	"time"

	"warp/internal/clock"
)

// worker performs one turn at a time. Its counters are its own until the run is over.
type worker struct {
	*run
	number    int
	home      int // see executor
	waiter        // of the executor
	done, cut uint64
	end       time.Time // of its last turn
	pace      time.Time // when the next turn should begin, for the pause after it; see Think.CatchUp

	warm   uint64        // turns of the warm-up
	active time.Duration // until when it is one of the threads at work

	unreached uint          // consecutive turns without a response
	paused    time.Duration // in total after such turns

	// In an open loop:
	started           bool
	freed             time.Time     // when it became idle
	due               time.Duration // of the turn that it waits for, from the start
	ownLate, busyLate time.Duration // of the present turn
	late, unsent      uint64
	own, busy         Lateness

	_ [64]byte // keep the counters of the next worker off this cache line
}

// work performs the turns of a closed loop until sending stops or there are no more.
func (w *worker) work(ctx context.Context) {
	for w.mayContinue() && w.admit() {
		t := Turn{N: w.next.Add(1) - 1, Worker: w.number, Warmup: w.Warmup > 0 && clock.Now().Sub(w.Start) < w.Warmup}
		if !t.Warmup && w.enough(t.N) {
			w.lastBegan()
			return
		}
		var begun time.Time
		if w.Think.FromStart {
			begun = clock.Now()
		}
		if !w.settle(&t, w.do(ctx, t)) || !w.backOff() || !w.think(&t, begun) {
			return
		}
	}
}

// workOpen performs the turns of an open loop, beginning as the leader.
func (w *worker) workOpen(ctx context.Context) {
	for {
		t, ok := w.lead()
		if !ok || !w.settle(&t, w.do(ctx, t)) || !w.rest() {
			return
		}
	}
}

// enough reports whether all turns of a closed loop were performed that the limit allows.
func (w *worker) enough(n uint64) bool {
	if w.Turns > 0 && w.Warmup > 0 {
		n = w.counted.Add(1) - 1
	}
	return w.Turns > 0 && n >= w.Turns
}

// admit waits until the worker is one of the threads at work, and reports whether it may go on.
func (w *worker) admit() bool {
	if w.Threads.IsZero() {
		return true
	}
	since := max(0, clock.Now().Sub(w.Start)-w.Warmup)
	if since < w.active {
		return true
	}
	var from time.Duration
	from, w.active = w.Threads.timesAbove(float64(w.number)+0.5, since)
	if from == Never {
		if w.Duration > 0 {
			w.executor.until(w, time.Time{}, nil) // the load lasts for its duration
		}
		return false
	}
	return from <= since || w.executor.until(w, w.Start.Add(w.Warmup+from), nil)
}

// think pauses after a turn, and reports whether the worker continues.
func (w *worker) think(t *Turn, begun time.Time) bool {
	if w.Think.IsZero() {
		return true
	}
	switch catchUp := w.Think.CatchUp; {
	case !w.Think.FromStart:
		begun = w.end
	case catchUp > 0 && !w.pace.IsZero() && begun.Sub(w.pace) > catchUp:
		begun = begun.Add(-catchUp)
	case catchUp > 0 && !w.pace.IsZero():
		begun = w.pace
	}
	w.pace = begun.Add(w.Think.after(w.Seed, w.Share.Index+t.N*w.Share.Total))
	return !w.pace.After(clock.Now()) || w.executor.until(w, w.pace, nil)
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
	if w.unreached < 2 {
		return true
	}
	from := clock.Now()
	on := w.executor.until(w, from.Add(min(maxPause, firstPause<<min(w.unreached-2, 10))), nil)
	w.paused += clock.Now().Sub(from)
	return on
}

// settle counts a turn by the error of do, and reports whether the worker continues.
func (w *worker) settle(t *Turn, err error) bool {
	switch {
	case errors.Is(err, ErrDone):
		w.endNow(nil)
		return false
	case errors.Is(err, ErrUnsent):
		if w.freed = clock.Now(); !t.Warmup {
			w.unsent++
		}
		return true
	case errors.Is(err, ErrNoMore):
		return false
	}
	w.end = clock.Now()
	w.freed = w.end
	last := errors.Is(err, ErrLast)
	if last {
		w.endNow(nil)
		err = nil
	}
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
	if t.Warmup {
		w.warm++
	} else {
		w.done++
		w.countLate()
	}
	if cut {
		w.cut++
	}
	return !last
}

// countLate counts how late the turn of an open loop began.
func (w *worker) countLate() {
	if w.ownLate+w.busyLate > lateBy {
		w.late++
	}
	w.own.add(w.ownLate)
	w.busy.add(w.busyLate)
}

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
	isLate          bool      // the present turn is
	end             time.Time // of its last turn
	pace            time.Time // when the next turn should begin, by which the pause after it counts; see Think.CatchUp

	warm   uint64        // turns of the warm-up
	active time.Duration // until when it is one of the threads at work

	unreached uint          // consecutive turns without a response
	paused    time.Duration // in total after such turns

	dropped bool          // sending stopped while it waited for a turn
	due     time.Duration // of the current turn, from the start

	_ [64]byte // keep the counters of the next worker off this cache line
}

// work performs turns until sending stops or there are no more.
func (w *worker) work(ctx context.Context, number int) {
	defer w.alarm.close()
	for w.goesOn() && w.admit(number) {
		t := Turn{N: w.next.Add(1) - 1, Worker: number}
		if w.Schedule == nil {
			t.Warmup = w.Warmup > 0 && clock.Now().Sub(w.Start) < w.Warmup
		}
		if !t.Warmup && w.enough(t.N) {
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
		var begun time.Time
		if w.Think.FromStart {
			begun = clock.Now()
		}
		if !w.settle(&t, w.do(ctx, t)) || !w.backOff() || !w.think(&t, begun) {
			return
		}
	}
}

// enough reports whether all turns were performed that the limit allows.
func (w *worker) enough(n uint64) bool {
	switch {
	case w.Turns == 0:
		return false
	case w.Schedule == nil && w.Warmup > 0:
		return w.counted.Add(1) > w.Turns
	}
	return n >= w.first+w.Turns
}

// admit waits until the worker is one of the threads at work, and reports whether it may go on.
func (w *worker) admit(number int) bool {
	if w.Threads.IsZero() {
		return true
	}
	since := max(0, clock.Now().Sub(w.Start)-w.Warmup)
	if since < w.active {
		return true
	}
	var from time.Duration
	from, w.active = w.Threads.timesAbove(float64(number)+0.5, since)
	if from == Never {
		if w.Duration > 0 {
			<-w.quit // the load lasts for its duration
		}
		return false
	}
	return from <= since || w.alarm.wait(w.Start.Add(w.Warmup+from), w.quit, nil)
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
	return !w.pace.After(clock.Now()) || w.alarm.wait(w.pace, w.quit, nil)
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
	w.dropped = true
	for {
		changed := w.changed()
		w.due = w.dueOf(t.N)
		t.Due, t.Warmup = w.Start.Add(w.due), w.due < w.Warmup
		if w.due == Never && w.Duration == 0 {
			return false
		}
		if w.Duration > 0 && w.due >= w.Duration {
			select { // the load lasts for its duration, whatever its rate
			case <-w.quit:
				return false
			case <-changed:
				continue
			}
		}
		reached := w.alarm.wait(t.Due, w.quit, changed)
		if w.stopped.Load() {
			return false
		}
		if reached {
			break
		}
	}
	w.dropped = false
	return true
}

// changed returns a channel that is closed when turns become due at other times; nil: they do not.
func (r *run) changed() <-chan struct{} {
	if r.Pace == nil {
		return nil
	}
	return r.Pace.load().changed
}

// tooLate counts a turn that is late, and reports whether it is too late to be performed.
func (w *worker) tooLate(t *Turn) bool {
	w.isLate = false
	switch late := clock.Now().Sub(t.Due); {
	case w.MaxLate > 0 && late > w.MaxLate:
		if !t.Warmup {
			w.skipped++
		}
		return true
	case late > lateBy && !t.Warmup:
		w.late++
		w.isLate = true
	}
	return false
}

// unsent counts a turn that was not sent after all.
func (w *worker) unsent(t *Turn) {
	if t.Warmup {
		return
	}
	w.skipped++
	if w.isLate {
		w.late--
	}
}

// settle counts a turn by the error of do, and reports whether the worker continues.
func (w *worker) settle(t *Turn, err error) bool {
	switch {
	case errors.Is(err, ErrDone):
		w.endNow(nil)
		return false
	case errors.Is(err, ErrUnsent):
		w.unsent(t)
		return true
	case errors.Is(err, ErrNoMore):
		return false
	}
	w.end = clock.Now()
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
	}
	if cut {
		w.cut++
	}
	return !last
}

// dueOf returns when turn n of this client is due, from the start.
func (r *run) dueOf(n uint64) time.Duration {
	due := r.Schedule.Due(r.Share.Index + n*r.Share.Total)
	if r.Pace != nil {
		due = r.Pace.load().due(due)
	}
	return due
}

// untaken counts the turns that were due before sending stopped but were not performed.
func (r *run) untaken() uint64 {
	taken := max(r.next.Load(), r.first)
	limit := uint64(math.MaxInt64) / r.Share.Total
	if r.Turns > 0 {
		limit = min(limit, r.first+r.Turns)
	}
	if taken >= limit {
		return 0
	}
	return r.dueFrom(taken, limit, r.sent)
}

// dueFrom counts the turns from one number on, below a limit, that are due before a time. Due times never decrease, so a
// binary search finds the last one, between turns that are found by doubling: no turn far beyond is looked at, which would
// be costly where gaps are random.
func (r *run) dueFrom(first, limit uint64, before time.Duration) uint64 {
	after := func(i uint64) bool { return r.dueOf(first+i) >= before }
	end := uint64(1)
	for end < limit-first && !after(end-1) {
		end = min(2*end, limit-first)
	}
	return uint64(sort.Search(int(end), func(i int) bool { return after(uint64(i)) }))
}

// warmupEnd finds the turn with which the warm-up of an open loop ends.
func (r *run) warmupEnd() {
	if r.Schedule != nil && r.Warmup > 0 {
		r.first = r.dueFrom(0, uint64(math.MaxInt64)/r.Share.Total, r.Warmup)
	}
}

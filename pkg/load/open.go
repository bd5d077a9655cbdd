package load

import (
	"math"
	"sort"
	"sync"
	"time"

	"warp/internal/clock"
)

// queue hands the turns of an open loop to workers. One idle worker at a time leads: it waits for the next turn. When that is
// due, it passes the lead to the worker that became idle last, and performs the turn. So no more workers are in use than turns
// are in flight, and one: with each comes a connection. And one goroutine wakes for a turn, the one that performs it.
type queue struct {
	mu      sync.Mutex
	idle    [][]*worker // by home, without the leader; the last one became idle last
	led     bool        // a worker leads; if none does, none is idle
	over    bool        // no more turns begin
	highest int         // most turns in flight, after the warm-up

	// When the idle workers, and the leader, became idle, since the start: a ring, the oldest first. Workers are alike: a turn
	// could have begun when the oldest of these was free, though another worker performs it.
	free        []time.Duration
	first, held int

	// These are the leader's.
	next    uint64
	due     time.Duration // of the last turn that began, or was left out
	skipped uint64        // turns that were too late
	missed  uint64        // of those, by the client's own lateness
}

// open makes the queue of an open loop, and starts its first leader. Other workers start when they are first needed.
func (r *run) open(workers []worker) {
	q := &r.queue
	q.free, q.held, q.led = make([]time.Duration, len(workers)), len(workers), true
	q.idle = make([][]*worker, r.executor.homes())
	for i := len(workers) - 1; i > 0; i-- {
		w := &workers[i]
		q.idle[w.home] = append(q.idle[w.home], w)
	}
	workers[0].startLeading()
}

// startLeading starts a worker as the leader.
func (w *worker) startLeading() {
	w.started = true
	w.run.start(w, w.workOpen)
}

// wake makes another worker lead, or end.
func (w *worker) wake(other *worker) {
	if !other.started {
		other.startLeading()
		return
	}
	w.executor.wake(w, other)
}

// newest removes the worker that became idle last: one of this home, if it has any; nil if none is idle.
func (q *queue) newest(home int) *worker {
	for i := range q.idle {
		list := &q.idle[(home+i)%len(q.idle)]
		if last := len(*list) - 1; last >= 0 {
			w := (*list)[last]
			*list = (*list)[:last]
			return w
		}
	}
	return nil
}

// lead waits for the next turn, and passes the lead on when it begins; ok is false if no more turns begin.
func (w *worker) lead() (t Turn, ok bool) {
	q := &w.queue
	for w.mayContinue() {
		t = Turn{N: q.next, Worker: w.number}
		if !w.await(&t) {
			break
		}
		now := clock.Now()
		q.next++
		q.due = w.due
		if late := now.Sub(t.Due); w.MaxLate > 0 && late > w.MaxLate {
			w.skipLate(&t)
			continue
		}
		w.pass(&t, now)
		return t, true
	}
	w.endTurns()
	return Turn{}, false
}

// await waits until the turn is due, and reports whether it may begin.
func (w *worker) await(t *Turn) bool {
	for {
		changed := w.changed()
		w.due = w.dueOf(t.N)
		t.Due, t.Warmup = w.Start.Add(w.due), w.due < w.Warmup
		if w.due == Never && w.Duration == 0 || !t.Warmup && w.Turns > 0 && t.N >= w.first+w.Turns {
			return false
		}
		if w.Duration > 0 && w.due >= w.length() {
			w.executor.until(w, time.Time{}, changed) // the load lasts for its duration, whatever its rate
			if w.stopped.Load() {
				return false
			}
			continue
		}
		reached := w.executor.until(w, t.Due, changed)
		if w.stopped.Load() {
			return false
		}
		if reached {
			return true
		}
	}
}

// changed returns a channel that is closed when turns become due at other times; nil: they do not.
func (r *run) changed() <-chan struct{} {
	if r.Pace == nil {
		return nil
	}
	return r.Pace.load().changed
}

// skipLate counts a turn that is too late.
func (w *worker) skipLate(t *Turn) {
	if t.Warmup {
		return
	}
	q := &w.queue
	q.skipped++
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.free[q.first]-w.due <= w.MaxLate {
		q.missed++
	}
}

// pass begins a turn: the worker is no longer idle, and the one that became idle last leads.
func (w *worker) pass(t *Turn, now time.Time) {
	q := &w.queue
	q.mu.Lock()
	freed := q.free[q.first]
	if q.first++; q.first == len(q.free) {
		q.first = 0
	}
	if q.held--; !t.Warmup {
		q.highest = max(q.highest, len(q.free)-q.held)
	}
	next := q.newest(w.home)
	q.led = next != nil
	q.mu.Unlock()
	if next != nil {
		w.wake(next)
	}
	t.Ready = t.Due
	if freed > w.due {
		t.Ready = w.Start.Add(freed)
	}
	w.busyLate, w.ownLate = t.Ready.Sub(t.Due), max(0, now.Sub(t.Ready))
}

// rest makes the worker idle, and returns when it leads; false if no more turns begin.
func (w *worker) rest() bool {
	q := &w.queue
	q.mu.Lock()
	q.free[(q.first+q.held)%len(q.free)] = w.freed.Sub(w.Start)
	q.held++
	switch {
	case q.over:
		q.mu.Unlock()
		return false
	case !q.led:
		q.led = true
		q.mu.Unlock()
		return true
	}
	q.idle[w.home] = append(q.idle[w.home], w)
	q.mu.Unlock()
	w.executor.rest(w)
	return !q.over // the one that woke this worker led, or set it
}

// endTurns ends the idle workers. The leader calls it.
func (w *worker) endTurns() {
	w.lastBegan()
	q := &w.queue
	q.mu.Lock()
	idle := q.idle
	q.over, q.idle = true, nil
	q.mu.Unlock()
	for _, list := range idle {
		for _, other := range list {
			if other.started {
				w.executor.wake(w, other)
			}
		}
	}
}

// dueOf returns when turn n of this client is due, from the start.
func (r *run) dueOf(n uint64) time.Duration {
	due := r.Schedule.Due(r.Share.Index + n*r.Share.Total)
	if r.Pace != nil {
		due = r.Pace.load().due(due)
	}
	return due
}

// unsent adds the turns that were due before sending stopped and never began.
func (r *run) unsent(s *Stats) {
	q := &r.queue
	s.Unsent, s.UnsentOwn = s.Unsent+q.skipped, s.UnsentOwn+q.missed
	if !r.stopped.Load() {
		return
	}
	turns := r.unstarted()
	s.Unsent += turns
	for i := range min(uint64(q.held), turns) {
		if q.free[(uint64(q.first)+i)%uint64(len(q.free))] < r.sent {
			s.UnsentOwn++
		}
	}
}

// unstarted counts the turns that were due before sending stopped and that no worker began, or left out.
func (r *run) unstarted() uint64 {
	taken := max(r.queue.next, r.first)
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

// planned returns the time for a number of turns: until the last one was due, and the time between two more.
func (r *run) planned(turns uint64) time.Duration {
	last := r.queue.due - r.Warmup
	if turns < 2 || last <= 0 {
		return Never
	}
	return time.Duration(float64(last) * float64(turns) / float64(turns-1))
}

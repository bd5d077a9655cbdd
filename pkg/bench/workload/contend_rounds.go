package workload

import (
	"fmt"
	"strings"
	"sync"

	"warp/pkg/s3"
)

// rounds is what one client knows of the attempts to replace an object, to find those that the server must not have let through.
// It is safe for concurrent use.
type rounds struct {
	mu       sync.Mutex
	winners  map[uint64]attempt // by round, of this client
	open     map[attempt]bool   // attempts whose outcome is not known yet; true: their contents were read
	failed   map[attempt]bool   // attempts that were refused, the last ones
	order    []attempt          // of failed
	next     int                // in order, when that is full
	kept     uint64             // rounds that are remembered
	refusals int                // likewise, of attempts
	highest  uint64             // round that was won
	violations
}

const (
	// keptRounds is how many rounds of an object are remembered at most. A second winner of one comes soon after the first, or as a commit
	// that was undone.
	keptRounds = 1 << 16
	// maxRefused is the same of attempts that were refused. Contents of one that took effect nevertheless are read soon.
	maxRefused = 4096
	// allRounds and allRefused are how many are remembered of all objects together: some 80 bytes each.
	allRounds, allRefused = 1 << 19, 1 << 18
	// leastKept is how many are remembered of each object at least.
	leastKept = 16
)

// newRounds returns what is known of one of so many objects.
func newRounds(objects uint64) *rounds {
	return &rounds{
		winners: map[uint64]attempt{}, open: map[attempt]bool{}, failed: map[attempt]bool{},
		kept:     max(leastKept, min(keptRounds, allRounds/objects)),
		refusals: int(max(leastKept, min(maxRefused, allRefused/objects))),
	}
}

// violations counts what a server that honours conditions does not do.
type violations struct {
	twice     uint64 // rounds that were won again
	effective uint64 // writes that took effect although they were refused
	undone    uint64 // commits that were followed by an earlier round
}

func (v *violations) add(o violations) {
	v.twice, v.effective, v.undone = v.twice+o.twice, v.effective+o.effective, v.undone+o.undone
}

// String says in one line what is wrong; empty if nothing is.
func (v *violations) String() string {
	var list []string
	for _, found := range []struct {
		n    uint64
		text string
	}{
		{v.twice, "rounds had another winner"},
		{v.effective, "writes took effect although they were refused"},
		{v.undone, "times an earlier round came back"},
	} {
		if found.n > 0 {
			list = append(list, fmt.Sprintf("%d %s", found.n, found.text))
		}
	}
	if list == nil {
		return ""
	}
	return "the server does not honour conditions (If-Match): " + strings.Join(list, ", ")
}

func violation(format string, args ...any) error {
	return &s3.Error{Class: "condition ignored", Status: 200, Message: fmt.Sprintf(format, args...)}
}

// latest returns the highest round that this client has won.
func (r *rounds) latest() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.highest
}

// found returns the violations so far.
func (r *rounds) found() violations {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.violations
}

// begin notes an attempt that is about to be made.
func (r *rounds) begin(a attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open[a] = false
}

// read checks contents that were read by a client, which had won the round latest before.
func (r *rounds) read(a attempt, client, latest uint64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, open := r.open[a]
	winner, known := r.winners[a.round]
	switch {
	case open:
		r.open[a] = true
	case r.failed[a]:
		delete(r.failed, a) // it is counted once
		r.effective++
		return violation("round %d: a write took effect although it was refused", a.round)
	case known && winner != a && a.client != client: // of its own ones each is noticed when it wins
		r.winners[a.round] = a
		r.twice++
		return violation("round %d had two winners", a.round)
	case a.round < latest && r.highest == latest:
		r.highest = a.round
		r.undone++
		return violation("round %d came back after round %d", a.round, latest)
	}
	return nil
}

// won notes an attempt that succeeded.
func (r *rounds) won(a attempt) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, a)
	if _, twice := r.winners[a.round]; twice {
		r.twice++
		return violation("round %d had two winners", a.round)
	}
	r.winners[a.round] = a
	r.highest = max(r.highest, a.round)
	if a.round > r.kept {
		delete(r.winners, a.round-r.kept)
	}
	return nil
}

// refused notes an attempt that was refused.
func (r *rounds) refused(a attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.open[a]
	delete(r.open, a)
	if seen {
		r.effective++
		return
	}
	r.failed[a] = true
	if len(r.order) < r.refusals {
		r.order = append(r.order, a)
		return
	}
	delete(r.failed, r.order[r.next])
	r.order[r.next] = a
	r.next = (r.next + 1) % r.refusals
}

// unknown notes an attempt that may have succeeded or not.
func (r *rounds) unknown(a attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, a)
}

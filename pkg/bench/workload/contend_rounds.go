package workload

import (
	"fmt"
	"strings"
	"sync"

	"warp/pkg/s3"
)

// rounds is one client's knowledge of the attempts to replace an object. It exposes writes that the server should have refused. It is safe
// for concurrent use.
type rounds struct {
	mu       sync.Mutex
	winners  map[uint64]attempt // by round, of this client
	open     map[attempt]bool   // attempts without a known outcome; true: their contents were read
	failed   map[attempt]bool   // the latest refused attempts
	order    []attempt          // of failed
	next     int                // place in order, once that is full
	kept     uint64             // number of remembered rounds
	refusals int                // number of remembered refused attempts
	highest  uint64             // round won
	violations
}

const (
	// keptRounds is the maximum number of remembered rounds of an object. A second winner of a round comes soon after the first, or as an
	// undone commit.
	keptRounds = 1 << 16
	// maxRefused is the maximum number of remembered refused attempts. If one took effect nevertheless, its contents are read soon.
	maxRefused = 4096
	// maxRounds and allRefused limit them over all objects: some 80 bytes each.
	maxRounds, maxRefusals = 1 << 19, 1 << 18
	// minKept is the minimum of both for each object.
	minKept = 16
)

// newRounds returns the state of one object, without rounds yet; objects share the limits of memory.
func newRounds(objects uint64) *rounds {
	return &rounds{
		winners: map[uint64]attempt{}, open: map[attempt]bool{}, failed: map[attempt]bool{},
		kept:     max(minKept, min(keptRounds, maxRounds/objects)),
		refusals: int(max(minKept, min(maxRefused, maxRefusals/objects))),
	}
}

// violations counts effects that a server which honours conditions never has.
type violations struct {
	twice     uint64 // rounds won again
	effective uint64 // refused writes that took effect
	undone    uint64 // commits followed by an earlier round
}

func (v *violations) add(o violations) {
	v.twice, v.effective, v.undone = v.twice+o.twice, v.effective+o.effective, v.undone+o.undone
}

// String describes the violations in one line; empty without any.
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

// begin notes the start of an attempt.
func (r *rounds) begin(a attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open[a] = false
}

// read checks contents that a client has read; latest is the highest round that it had won before the read.
func (r *rounds) read(a attempt, client, latest uint64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, open := r.open[a]
	winner, known := r.winners[a.round]
	switch {
	case open:
		r.open[a] = true
	case r.failed[a]:
		delete(r.failed, a) // counted once
		r.effective++
		return violation("round %d: a write took effect although it was refused", a.round)
	case known && winner != a && a.client != client: // an own attempt is noticed when it wins
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

// won notes a successful attempt.
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

// refused notes a refused attempt.
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

// unknown notes an attempt with an unknown outcome.
func (r *rounds) unknown(a attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, a)
}

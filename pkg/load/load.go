// Package load schedules turns: closed loops (a fixed concurrency) and open loops (a given rate), limits by count
// and time, and the division of one load among clients. It does not know what a turn does.
package load

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// errCut is the cause (context.Cause) with which the context of turns in flight is cancelled: the grace period
// ended, or the run was aborted.
var errCut = errors.New("operation cut at the end of the run")

// ErrDone is returned by a turn that finds nothing left to do; it ends the run for all workers without being a
// fault.
var ErrDone = errors.New("nothing left to do")

// ErrLast is returned by a turn that was performed, and after which no other begins.
var ErrLast = errors.New("no turn after this one")

// ErrUnsent is returned by a turn of an open loop that decided not to begin: it was too late, or what it waits for never came.
var ErrUnsent = errors.New("not sent")

// ErrNoMore is returned by a turn of a worker that has nothing left to do, and did nothing; the other workers go on.
var ErrNoMore = errors.New("nothing left to do for this worker")

// ErrUnreachable is returned by a turn that got no response from any server. It counts as performed, and makes a
// worker of a closed loop pause before its next turn. See Options.Schedule for why open loops do not pause.
var ErrUnreachable = errors.New("no server answered")

// Share is one client's part of a load: client Index of Total performs turns Index, Index+Total, Index+2*Total, ... The
// zero value is the whole load.
type Share struct {
	Index uint64 `json:"index"`
	Total uint64 `json:"total"`
}

// Of returns the client's part of n turns, objects or bytes: the parts of all clients add up to n.
func (s Share) Of(n uint64) uint64 {
	if n <= s.Index {
		return 0
	}
	return (n-s.Index-1)/s.Total + 1
}

// Turn is one scheduled unit of work.
type Turn struct {
	N      uint64    // number of the turn: this client's turns from 0, without gaps, over all workers
	Worker int       // 0 <= Worker < Concurrency
	Due    time.Time // scheduled start; zero in a closed loop
	Ready  time.Time // when it could begin: it was due, and a worker was free; zero in a closed loop
	Warmup bool      // it belongs to the warm-up
}

// Options describes one run of load.
type Options struct {
	Concurrency int           // workers, at least 1
	Executor    Executor      // what performs them
	Realtime    bool          // loops have a real-time priority; needs Loops
	Schedule    Schedule      // nil: closed loop. An open loop never pauses: it tries each turn once, when it is due, which bounds its rate.
	MaxLate     time.Duration // open loop: a turn that would start later than this after it was due is left out; 0: none is
	Share       Share         // of the schedule
	Pace        *Pace         // open loop: changes the schedule; nil: it stays
	Start       time.Time     // of the first turn; zero: now
	Warmup      time.Duration // turns that begin (open loop: are due) so long after Start belong to the warm-up, which no limit counts
	Duration    time.Duration // sending stops this long after the warm-up; 0: no limit
	Turns       uint64        // sending stops after this many turns of this client; 0: no limit
	Grace       time.Duration // time for turns in flight after sending stopped, before their context is cancelled; 0: no limit

	Think   Think  // closed loop: between the turns of a worker
	Seed    uint64 // of random pauses
	Threads Shape  // closed loop: how many workers are at work, over time after the warm-up; zero: all

	// Waiting is called from time to time while no more turns begin and some are in flight for long: their number,
	// and whether they are cut when Grace is over. May be nil.
	Waiting func(turns int, cut bool)

	Abort <-chan struct{} // when closed, turns in flight are cancelled at once; nil: never
}

// validate returns an error for options that no run can have.
func (o *Options) validate() error {
	switch {
	case o.Concurrency < 1:
		return fmt.Errorf("invalid concurrency %d (want at least 1)", o.Concurrency)
	case o.Realtime && o.Executor != Loops:
		return errors.New("real-time priority without loops")
	case o.Warmup < 0:
		return fmt.Errorf("negative warm-up %v", o.Warmup)
	case o.Duration < 0:
		return fmt.Errorf("negative duration %v", o.Duration)
	case o.Grace < 0:
		return fmt.Errorf("negative grace period %v", o.Grace)
	case o.MaxLate < 0:
		return fmt.Errorf("negative lateness %v", o.MaxLate)
	case o.Share.Index >= max(1, o.Share.Total):
		return fmt.Errorf("invalid share %d of %d (want a smaller index, from 0)", o.Share.Index, max(1, o.Share.Total))
	}
	return nil
}

// Stats is the result of a run of load.
type Stats struct {
	Done   uint64        `json:"done"`             // turns performed, including cut ones, without the warm-up
	Late   uint64        `json:"late,omitempty"`   // open loop: turns that started more than 1 ms after they were due
	Unsent uint64        `json:"unsent,omitempty"` // open loop: turns due before sending stopped that never started, or were left out
	Cut    uint64        `json:"cut,omitempty"`    // turns cancelled at the end of the grace period or by Abort
	Paused time.Duration `json:"paused,omitempty"` // closed loop: longest total pause of a worker after ErrUnreachable
	Spent  time.Duration `json:"spent"`            // from the start to the end of the last turn

	// In an open loop, how late turns started, in two parts. Until a worker was free (Busy) they waited for those before them,
	// that is for what is measured; from then on (Own), and if a worker was free when they were due, for this client.
	Busy, Own Lateness `json:"-"`
	UnsentOwn uint64   `json:"-"` // of Unsent: a worker was free
	Most      int      `json:"-"` // maximum of turns in flight, without the warm-up

	Warmup  uint64        `json:"warmup,omitempty"` // turns performed in the warm-up
	Sending time.Duration `json:"-"`                // from the end of the warm-up until sending stopped, or the last turn of all ended
	Planned time.Duration `json:"-"`                // open loop: the part of Sending with turns due
}

// lateBy is how long after it was due a turn may start without counting as late.
const lateBy = time.Millisecond

// Lateness is how late turns started for one reason.
type Lateness struct {
	Turns uint64        `json:"turns"`    // that were later than 1 ms for it
	Total time.Duration `json:"total_ns"` // of all turns
	Max   time.Duration `json:"max_ns"`   // of one turn
}

// add counts a turn.
func (l *Lateness) add(d time.Duration) {
	if d > lateBy {
		l.Turns++
	}
	l.Total += d
	l.Max = max(l.Max, d)
}

// Add adds that of other turns.
func (l *Lateness) Add(o Lateness) {
	l.Turns, l.Total, l.Max = l.Turns+o.Turns, l.Total+o.Total, max(l.Max, o.Max)
}

// Do performs one turn. Recording the errors of turns is up to the caller; Do returns only what ends the run
// or slows it down: ErrDone, ErrUnreachable, or a fault after which continuing makes no sense.
type Do func(ctx context.Context, t Turn) error

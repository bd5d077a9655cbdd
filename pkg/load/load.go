// Package load says when operations happen: closed loops (so many at once) and open loops (at a given rate), limits by
// count and time, and shares of one load among several clients. It knows nothing of what an operation is.
package load

import (
	"context"
	"errors"
	"time"
)

// ErrCut is the cause (context.Cause) for which the context of operations in flight is cancelled: the grace period was
// over, or the run was aborted.
var ErrCut = errors.New("operation cut at the end of the run")

// ErrDone is returned by an operation that finds nothing left to do; it ends the run for all workers without being a fault.
var ErrDone = errors.New("nothing left to do")

// ErrUnreachable is returned by an operation that no server answered. It counts as performed, and has a worker of a closed
// loop pause before its next turn. See Options.Schedule for why open loops do not pause.
var ErrUnreachable = errors.New("no server answered")

// Schedule gives the time at which turn n of the whole load is due, counted from the start. It is a pure function
// of n that never decreases. A nil Schedule is a closed loop: a worker starts its next turn as soon as the last one is over.
type Schedule interface {
	Due(n uint64) time.Duration
}

// Share is one client's part of a load: client Index of Total takes turns Index, Index+Total, Index+2*Total, ...
// The zero value is the whole load.
type Share struct {
	Index uint64 `json:"index"`
	Total uint64 `json:"total"`
}

// Turn is the right to perform one operation.
type Turn struct {
	N      uint64    // counts this client's turns from 0, without gaps, over all workers
	Worker int       // 0 <= Worker < Concurrency
	Due    time.Time // when it should have started; zero in a closed loop
}

// Options shapes one run of load.
type Options struct {
	Concurrency int           // workers, at least 1
	Schedule    Schedule      // nil: closed loop. An open loop never pauses: it tries each turn once, when it is due, so that its rate is the bound.
	Share       Share         // of the schedule
	Start       time.Time     // when the first turn may begin; zero: at once
	Duration    time.Duration // sending stops so long after Start; 0: no limit
	Turns       uint64        // sending stops after so many turns of this client; 0: no limit
	Grace       time.Duration // how long operations in flight may go on after sending stopped; then their context is cancelled; 0: no limit

	Abort <-chan struct{} // when closed, the context of operations in flight is cancelled at once; nil: never
}

// Stats tells how a run of load went.
type Stats struct {
	Done   uint64        `json:"done"`             // turns that were performed, those that were cut included
	Late   uint64        `json:"late,omitempty"`   // open loop: turns that started later than 1 ms after they were due
	Unsent uint64        `json:"unsent,omitempty"` // open loop: turns due before sending stopped that no worker was free for
	Cut    uint64        `json:"cut,omitempty"`    // operations that were cancelled when the grace period was over or Abort was closed
	Paused time.Duration `json:"paused,omitempty"` // closed loop: the longest that a worker paused in all after operations that no server answered
	Spent  time.Duration `json:"spent"`            // from the start to the end of the last operation
}

// Do performs one operation. Errors of operations are the caller's to record; Do returns only what must end the run:
// ErrDone, ErrUnreachable, or a fault after which going on makes no sense.
type Do func(ctx context.Context, t Turn) error

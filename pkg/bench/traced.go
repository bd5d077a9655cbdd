package bench

import (
	"warp/pkg/trace"
)

// traced is a workload that performs the operations of a trace.
type traced interface {
	// Open opens the trace. traces may be nil, which is an error.
	Open(traces func(name string) (*trace.Player, error)) error
	// Replayed returns what came of the trace when its stream had so many turns.
	Replayed(turns uint64) trace.Replayed
	// Close ends the use of the trace. It may be called twice, and without Open.
	Close()
}

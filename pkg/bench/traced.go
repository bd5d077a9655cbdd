package bench

import (
	"warp/pkg/trace"
)

// traced is a workload that performs the operations of a trace.
type traced interface {
	// Open opens the trace. traces may be nil, which is an error.
	Open(traces func(name string) (*trace.Player, error)) error
	// Replayed returns the results of the trace, given the number of its stream's turns.
	Replayed(turns uint64) trace.Replayed
	// Close closes the trace. It may be called twice, and without Open.
	Close()
}

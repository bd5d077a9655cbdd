package bench

import (
	"context"
	"time"

	"warp/pkg/load"
)

// Group coordinates a run with the other clients that perform the same plan.
type Group interface {
	// Share is this client's part of the load.
	Share() load.Share
	// Once has make called by one client only, and gives its result to all.
	Once(ctx context.Context, key string, make func(context.Context) ([]byte, error)) ([]byte, error)
	// Barrier waits until all clients have reached the stage, and gives the time at which all begin it; zero means at
	// once. mine is why this client cannot go on (nil: it can), which the others learn; the returned error includes it.
	Barrier(ctx context.Context, stage string, mine error) (start time.Time, err error)
}

// Stages of a run, at which clients wait for each other.
const (
	StagePrepare   = "prepare"
	StageBenchmark = "benchmark"
	StageCleanup   = "cleanup"
	StageRemove    = "remove" // only the client that made the bucket comes here, to remove it when the others are done with it
)

// Settler is a Group that ends the benchmark of all clients at once, when their throughput together is stable.
type Settler interface {
	// Settled is closed when it is.
	Settled() <-chan struct{}
}

// Survivor is a Group that may lose clients on the way.
type Survivor interface {
	// Orphans are, after the barrier for clean-up, the indices (see load.Share) of lost clients whose part of the data
	// set that all share falls to this client to remove.
	Orphans() []uint64
}

// Local is the Group of a run on one machine alone.
type Local struct{}

// Share is everything.
func (Local) Share() load.Share { return whole }

// Once calls make.
func (Local) Once(ctx context.Context, _ string, make func(context.Context) ([]byte, error)) ([]byte, error) {
	return make(ctx)
}

// Barrier does not wait.
func (Local) Barrier(_ context.Context, _ string, mine error) (time.Time, error) {
	return time.Time{}, mine
}

package bench

import (
	"context"
	"time"

	"warp/pkg/bench/dataset"
	"warp/pkg/load"
)

// Group coordinates a run with the other clients that perform the same plan.
type Group interface {
	// Share is this client's part of the load.
	Share() load.Share
	// Once calls make on one client only, and returns its result on all.
	Once(ctx context.Context, key string, make func(context.Context) ([]byte, error)) ([]byte, error)
	// Barrier waits until all clients have reached the stage, and returns the time at which all begin it; zero means at
	// once. mine is why this client cannot continue, if it cannot. The others get it too; the returned error includes it. An
	// error that is ErrCancelled says that others cannot continue.
	Barrier(ctx context.Context, stage string, mine error) (start time.Time, err error)
}

// Stages of a run, at which clients wait for each other.
const (
	StagePrepare   = "prepare"
	StageBenchmark = "benchmark"
	StageTrial     = "trial" // between the trials of a search; see TrialGroup
	StageCleanup   = "cleanup"
	StageVerify    = "verify" // of a Verification
	StageRemove    = "remove" // only the client that made the bucket comes here, to remove it when the others are done with it
)

// Settler is a Group that ends the benchmark of all clients at once, when their throughput together is stable.
type Settler interface {
	// Settled returns a channel that is closed then.
	Settled() <-chan struct{}
}

// Ender ends phases early.
type Ender interface {
	// Ended returns a channel that is closed when a phase, by its index in the plan, is to end.
	Ended(phase int) <-chan struct{}
}

// Survivor is a Group that may lose clients during the run.
type Survivor interface {
	// Orphans returns, after the barrier for clean-up, the indices (see load.Share) of lost clients whose part of a
	// shared data set this client must remove.
	Orphans() []uint64
}

// Local is the Group of a run on a single machine.
type Local struct{}

// Share returns the whole load.
func (Local) Share() load.Share { return dataset.Whole }

// Once calls make.
func (Local) Once(ctx context.Context, _ string, make func(context.Context) ([]byte, error)) ([]byte, error) {
	return make(ctx)
}

// Barrier does not wait.
func (Local) Barrier(_ context.Context, _ string, mine error) (time.Time, error) {
	return time.Time{}, mine
}

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
	// Barrier waits until all clients have reached the stage, and returns the common start; zero means at once. mine is the reason if this
	// client cannot continue. The others get it too; the returned error includes it. ErrCancelled means that others cannot continue.
	Barrier(ctx context.Context, stage string, mine error) (start time.Time, err error)
}

// Stages of a run; clients wait for each other at each.
const (
	StagePrepare   = "prepare"
	StageBenchmark = "benchmark"
	StageTrial     = "trial" // between the trials of a search; see TrialGroup
	StageCleanup   = "cleanup"
	StageVerify    = "verify" // of a Verification
	StageRemove    = "remove" // only for the client that made the bucket, to remove it when the others are done
)

// Settler is a Group that ends the benchmark of all clients at once, when their total throughput is stable.
type Settler interface {
	// Settled returns a channel that is closed at that time.
	Settled() <-chan struct{}
}

// Ender ends phases early.
type Ender interface {
	// Ended returns a channel that is closed when a phase, given by its index in the plan, must end.
	Ended(phase int) <-chan struct{}
}

// Survivor is a Group that may lose clients during the run.
type Survivor interface {
	// Orphans returns, after the barrier for clean-up, the indices (see load.Share) of lost clients; this client must remove their parts of
	// shared data sets.
	Orphans() []uint64
}

// Local is the Group of a run on a single machine.
type Local struct{}

// Share returns the whole load.
func (Local) Share() load.Share { return dataset.SoleClient }

// Once calls make.
func (Local) Once(ctx context.Context, _ string, make func(context.Context) ([]byte, error)) ([]byte, error) {
	return make(ctx)
}

// Barrier does not wait.
func (Local) Barrier(_ context.Context, _ string, mine error) (time.Time, error) {
	return time.Time{}, mine
}

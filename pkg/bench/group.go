package bench

import (
	"context"
	"time"

	"warp/internal/clock"
	"warp/pkg/load"
)

// Group is the company in which a run happens: alone, or as one of many clients that start together.
type Group interface {
	// Share is this client's part of the load.
	Share() load.Share
	// Once has make called by one client only, and gives its result to all.
	Once(ctx context.Context, key string, make func(context.Context) ([]byte, error)) ([]byte, error)
	// Meet waits until all clients have reached the stage, and gives the time at which all begin it; zero means at
	// once. mine tells the others that this client cannot go on; the error is then mine too, or one that says it as well.
	Meet(ctx context.Context, stage string, mine error) (start time.Time, err error)
}

// Stages of a run, at which clients meet.
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
	// Orphans tells, after the meeting for clean-up, the indices (see load.Share) of lost clients whose part of the data
	// set that all share falls to this client to remove.
	Orphans() []uint64
}

// whole is a part that is everything.
var whole = load.Share{Total: 1}

// Solo is a run by one client alone.
type Solo struct {
	StartAt time.Time // when the benchmark begins; zero, or over when all is prepared: at once
}

// Share is everything.
func (Solo) Share() load.Share { return whole }

// Once calls make.
func (Solo) Once(ctx context.Context, _ string, make func(context.Context) ([]byte, error)) ([]byte, error) {
	return make(ctx)
}

// Meet gives the start of the benchmark.
func (s Solo) Meet(_ context.Context, stage string, mine error) (time.Time, error) {
	if stage == StageBenchmark && s.StartAt.After(clock.Now()) {
		return s.StartAt, mine
	}
	return time.Time{}, mine
}

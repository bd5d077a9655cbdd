package bench

import (
	"slices"
	"time"

	"warp/pkg/load"
	"warp/pkg/s3"
)

// loadOptions returns the options that all loads of the benchmark have; see loadOf.
func (r *Run) loadOptions(start time.Time, abort <-chan struct{}) load.Options {
	return load.Options{
		Executor: r.executor(),
		Realtime: r.plan.Target.Realtime,
		Start:    start,
		Share:    r.share,
		Grace:    grace,
		Abort:    abort,
		Waiting:  r.waiting,
	}
}

// executor returns what performs open loops. The requests of the std engine block, so that only the lean engine's can be made on loops.
func (r *Run) executor() load.Executor {
	if r.env.Goroutines || r.env.Store.Engine() != s3.EngineLean {
		return load.Goroutines
	}
	return load.Loops
}

// stepExecutor returns what performs the preparation and steps: the same as the streams, which then find open connections.
func (r *Run) stepExecutor() load.Executor {
	for i := range r.plan.Phases {
		ph := &r.plan.Phases[i]
		if r.plan.Target.Realtime || ph.Search != nil || slices.ContainsFunc(ph.Streams(), (*Stream).open) {
			return r.executor()
		}
	}
	return load.Goroutines
}

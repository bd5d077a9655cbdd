package bench

import (
	"warp/pkg/load"
	"warp/pkg/s3"
)

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
		for _, s := range ph.Streams() {
			if s.open() || ph.Search != nil || r.plan.Target.Realtime {
				return r.executor()
			}
		}
	}
	return load.Goroutines
}

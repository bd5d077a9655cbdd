package bench

import (
	"warp/pkg/load"
	"warp/pkg/s3"
)

// executor returns what performs turns. The requests of the std engine block, so that only the lean engine's can be made on loops.
func (r *Run) executor() load.Executor {
	if r.env.Goroutines || r.env.Store.Engine() != s3.EngineLean {
		return load.Goroutines
	}
	return load.Loops
}

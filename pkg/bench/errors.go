package bench

import (
	"context"
	"errors"

	"warp/pkg/s3"
)

// Errors of a run.
var (
	ErrInterrupted = errors.New("interrupted before the benchmark began")
	ErrExec        = errors.New("the plan runs programs, which is not allowed here")
	ErrCancelled   = errors.New("the benchmark was cancelled")        // by another client, says a Group; a phase that was measured before is reported
	ErrStoreGone   = errors.New("the store ended before the run did") // see Env.Gone; what was measured until then is reported
)

// interrupted returns ErrInterrupted in place of the error of a request that was cancelled.
func interrupted(ctx context.Context, err error) error {
	if cut, ok := err.(*s3.Error); ok && ctx.Err() != nil && errors.Is(cut, context.Canceled) { //nolint:errorlint // an error that says more stays
		return ErrInterrupted
	}
	return err
}

// errCut is the interrupt of a run that has measured a phase.
var errCut = errors.New("interrupted before the benchmark ended")

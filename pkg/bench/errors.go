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
	ErrCancelled   = errors.New("the benchmark was cancelled")        // by another client, says a Group; measured phases are reported
	ErrStoreGone   = errors.New("the store ended before the run did") // see Env.Gone; figures until then are reported
)

// interrupted replaces the error of a cancelled request by ErrInterrupted.
func interrupted(ctx context.Context, err error) error {
	cut, ok := err.(*s3.Error) //nolint:errorlint // an error that says more stays
	if ok && ctx.Err() != nil && errors.Is(cut, context.Canceled) {
		return ErrInterrupted
	}
	return err
}

// errCut is the interrupt of a run after a measured phase.
var errCut = errors.New("interrupted before the benchmark ended")

package work

import (
	"context"

	"warp/internal/clock"
	"warp/pkg/s3"
	"warp/pkg/s3/preflight"
)

// RetryWait is the pause before the first retry of a request.
var RetryWait = preflight.RetryWait

// RetryWhile is preflight.Retry with the pauses of a run.
func RetryWhile(ctx context.Context, tries int, again func(error) bool, do func() (progress bool, err error)) error {
	return preflight.Retry(ctx, tries, RetryWait, again, do)
}

// RetryTemporary retries an unmeasured request while its errors are temporary.
func RetryTemporary(ctx context.Context, do func() error) error {
	return RetryWhile(ctx, preflight.Tries, s3.Temporary, func() (bool, error) { return false, do() })
}

// Unmeasured makes a request outside of any operation, and retries temporary errors. The next operation of the turn waits for it, and is
// not late for that.
func (w *Worker) Unmeasured(ctx context.Context, do func() error) error {
	err := RetryTemporary(ctx, func() error {
		w.Call.Reset()
		return do()
	})
	w.waited(clock.Now())
	return err
}

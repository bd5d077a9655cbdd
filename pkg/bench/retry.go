package bench

import (
	"context"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3"
)

// retryWait is the pause before a request is sent again for the first time; it doubles up to maxRetryWait.
var retryWait = 100 * time.Millisecond

const maxRetryWait = 5 * time.Second

// retry calls do until it succeeds, fails for good, or has failed tries times. again reports whether an error may go away.
// do reports whether it made progress in spite of its error, which resets the count.
func retry(ctx context.Context, tries int, again func(error) bool, do func() (progress bool, err error)) error {
	for try := 1; ; try++ {
		progress, err := do()
		if progress {
			try = 1
		}
		if err == nil || !again(err) || try >= tries || !clock.Pause(ctx, min(retryWait<<(try-1), maxRetryWait)) {
			return err
		}
	}
}

// preflightTries is how often a request of the preparation is sent before its error counts.
const preflightTries = 4

// RetryTemporary retries a request that is not measured, while its errors are temporary.
func RetryTemporary(ctx context.Context, do func() error) error {
	return retry(ctx, preflightTries, s3.Temporary, func() (bool, error) { return false, do() })
}

// unmeasured makes a request of a worker that belongs to no operation, again if it fails for a while. The next operation of its turn waits for it, which is
// no lateness.
func unmeasured(ctx context.Context, w *Worker, do func() error) error {
	err := RetryTemporary(ctx, func() error {
		w.Call.Reset()
		return do()
	})
	w.waited(clock.Now())
	return err
}

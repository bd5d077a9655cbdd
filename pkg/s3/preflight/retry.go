package preflight

import (
	"context"
	"net/http"
	"time"

	"warp/internal/clock"
	"warp/pkg/load/loop"
	"warp/pkg/s3"
)

const (
	// Tries is how often a request that is not measured is sent before its error counts.
	Tries = 4
	// RetryWait is the pause before it is sent again for the first time.
	RetryWait = 100 * time.Millisecond
	// maxRetryWait is the longest pause.
	maxRetryWait = 5 * time.Second
)

// Retry calls do until it succeeds, fails for good, or has failed tries times. again reports whether an error may go away.
// do reports whether it made progress in spite of its error, which resets the count. The pause doubles each time.
func Retry(ctx context.Context, tries int, wait time.Duration, again func(error) bool, do func() (progress bool, err error)) error {
	for try := 1; ; try++ {
		progress, err := do()
		if progress {
			try = 1
		}
		if err == nil || !again(err) || try >= tries || !loop.Pause(ctx, min(wait<<(try-1), maxRetryWait)) {
			return err
		}
	}
}

// readableTimeout is how long an object may take to become readable.
var readableTimeout = 5 * time.Second

// Late calls do, which reads an object that was just uploaded, again for some seconds where the object is not there
// yet. It returns how long that took; 0 if it was there at once.
func Late(ctx context.Context, do func() error) (lag time.Duration, err error) {
	begun := clock.Now()
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, 200*time.Millisecond) {
		err = do()
		if !s3.AsError(err).Says(s3.NotThere) || clock.Now().Sub(begun) > readableTimeout || !loop.Pause(ctx, wait) {
			return lag, err
		}
		lag = clock.Now().Sub(begun)
	}
}

// deletingTimeout and deletingPause are how long the deletion of a bucket may take, and how often it is looked whether it is over.
var deletingTimeout, deletingPause = 2 * time.Minute, 2 * time.Second

// outwait calls do again while an old bucket of the same name is being deleted.
func outwait(ctx context.Context, do func() error) error {
	for begun := clock.Now(); ; {
		err := do()
		if !s3.AsError(err).Says(s3.Deleting) || clock.Now().Sub(begun) > deletingTimeout || !clock.Pause(ctx, deletingPause) {
			return err
		}
	}
}

// persist calls do again while a host answers with an error that may go away, as a busy one does. A host that does
// not answer is asked once.
func persist(ctx context.Context, do func() error) error {
	again := func(err error) bool { return s3.AsError(err).Status >= http.StatusBadRequest && s3.Temporary(err) }
	return Retry(ctx, Tries, RetryWait, again, func() (bool, error) { return false, do() })
}

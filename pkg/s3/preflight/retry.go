package preflight

import (
	"context"
	"net/http"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3"
)

// What a host answers with an error that may go away, as a busy one does, is asked for again up to persistTries times.
const persistTries = 4

// persistWait is the pause before the second try; it doubles.
var persistWait = 100 * time.Millisecond

// lateFor is how long an object may take to become readable.
var lateFor = 5 * time.Second

// Late calls do, which reads an object that was just uploaded, again for some seconds where the object is not there yet. It returns how long that took;
// 0 if it was there at once.
func Late(ctx context.Context, do func() error) (lag time.Duration, err error) {
	begun := clock.Now()
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, 200*time.Millisecond) {
		err = do()
		if s3.AsError(err).Code != "NoSuchKey" || clock.Now().Sub(begun) > lateFor || !clock.Pause(ctx, wait) {
			return lag, err
		}
		lag = clock.Now().Sub(begun)
	}
}

// persist calls do until its error is none that a host answered for a while. A host that does not answer is asked once.
func persist(ctx context.Context, do func() error) error {
	for try := 1; ; try++ {
		err := do()
		if err == nil || try == persistTries || s3.AsError(err).Status < http.StatusBadRequest || !s3.Temporary(err) || !clock.Pause(ctx, persistWait<<(try-1)) {
			return err
		}
	}
}

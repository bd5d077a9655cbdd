package bench

import (
	"context"
	"time"

	"warp/internal/clock"
)

const (
	// grace is the time for operations in flight to finish after the end of a phase.
	grace = time.Minute
	// interruptGrace is the same after an interrupt.
	interruptGrace = 10 * time.Second
	// longPause is the total pause of a thread after operations without a response that causes a warning.
	longPause = 100 * time.Millisecond
	// checkEvery is the interval of autoterm's checks.
	checkEvery = time.Second
	// backlogInterval is the interval of checks of the backlog.
	backlogInterval = 100 * time.Millisecond
)

// abortAfter returns a channel that is closed interruptGrace after ctx is cancelled, unless release is called before.
func abortAfter(ctx context.Context) (abort <-chan struct{}, release func()) {
	late := make(chan struct{})
	over, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if clock.Pause(over, interruptGrace) {
			close(late)
		}
	})
	return late, func() { stop(); end() }
}

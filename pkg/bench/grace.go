package bench

import (
	"context"
	"time"

	"warp/internal/clock"
)

const (
	// grace is how long operations in flight may continue after the end of a phase.
	grace = time.Minute
	// interruptGrace is the same after an interrupt.
	interruptGrace = 10 * time.Second
	// longPause is the total pause of a thread, after operations without a response, from which on a run warns of it.
	longPause = 100 * time.Millisecond
	// checkEvery is how often autoterm checks the throughput.
	checkEvery = time.Second
	// lookEvery is how often a backlog is looked at.
	lookEvery = 100 * time.Millisecond
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

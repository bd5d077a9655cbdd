package responder

import (
	"context"
	"time"

	"warp/internal/clock"
)

const (
	coarse = 2 * time.Millisecond  // Go's timers may be late by this much
	spin   = 80 * time.Microsecond // what the system's own sleep may be late by
)

// waitUntil waits for a time, to within some tens of microseconds where the system can: by a timer, then by the
// system's sleep, then by looking at the clock. It returns early when ctx ends.
func waitUntil(ctx context.Context, due time.Time) {
	if left := due.Sub(clock.Now()); left > coarse {
		t := time.NewTimer(left - coarse)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return
		}
	}
	if left := due.Sub(clock.Now()); left > spin {
		preciseSleep(left - spin)
	}
	for clock.Now().Before(due) {
		continue
	}
}

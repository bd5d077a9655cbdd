package lean

import (
	"time"

	"warp/internal/clock"
)

// wallEvery is how old the reading of the system's clock may be that a signature is dated with.
const wallEvery = 100 * time.Millisecond

// wallClock dates signatures. Stamps of operations ignore steps of the system's clock, but a server compares the date of a
// signature with its own clock, so that must follow them.
type wallClock struct {
	read  time.Time     // when the system's clock was read
	ahead time.Duration // of that time
}

// at is what the system's clock says at now, a time of clock.Now.
func (w *wallClock) at(now time.Time) time.Time {
	if w.read.IsZero() || now.Sub(w.read) >= wallEvery {
		w.read, w.ahead = now, clock.Wall().Sub(now)
	}
	return now.Add(w.ahead)
}

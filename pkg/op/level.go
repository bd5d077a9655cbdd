package op

import "time"

// Level is the load in a part of a phase: constant, or rising or falling evenly.
type Level struct {
	From, To   float64       // at its beginning and its end: threads, or operations per second
	Start, End time.Duration // since the beginning of the phase
}

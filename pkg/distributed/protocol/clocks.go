package protocol

import (
	"time"

	"warp/internal/clock"
	"warp/pkg/op"
	"warp/pkg/runinfo"
)

// ClockProbes is how often a clock is probed.
const ClockProbes = 8

// Correction converts a client's times to the coordinator's clock. The clocks run at different but steady rates, so the offset
// at any time lies on the line through the two that were measured.
type Correction struct {
	since  time.Time     // on the client's clock
	Offset time.Duration // then
	rate   float64       // of its growth
}

// NewCorrection makes a Correction from the clocks at the start and at the end; end may be nil.
func NewCorrection(start runinfo.Clock, end *runinfo.Clock) Correction {
	c := Correction{since: start.At.Add(start.Offset), Offset: start.Offset}
	if end != nil && end.At.After(start.At) {
		c.rate = float64(end.Offset-start.Offset) / float64(end.At.Add(end.Offset).Sub(c.since))
	}
	return c
}

// Apply converts one time.
func (c Correction) Apply(t time.Time) time.Time {
	return t.Add(-c.Offset - time.Duration(c.rate*float64(t.Sub(c.since))))
}

// duration converts a duration, which a client's clock measured.
func (c Correction) duration(d time.Duration) time.Duration {
	return d - time.Duration(c.rate*float64(d))
}

// Ops converts all times of an operation, and its own lateness: that never exceeds Start - Due.
func (c Correction) Ops(o *op.Op) {
	o.OwnLate = c.duration(o.OwnLate)
	for _, t := range []*time.Time{&o.Due, &o.Start, &o.Sent, &o.FirstByte, &o.Arrived, &o.End} {
		if !t.IsZero() {
			*t = c.Apply(*t)
		}
	}
}

// LocalTime adds to a time of the wall clock the monotonic reading that clock.Now has, so that the two can be subtracted.
func LocalTime(t time.Time) time.Time {
	now := clock.Now()
	return now.Add(time.Duration(t.UnixNano() - now.UnixNano()))
}

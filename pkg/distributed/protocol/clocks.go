package protocol

import (
	"time"

	"warp/internal/clock"
	"warp/pkg/op"
	"warp/pkg/runinfo"
)

// probes is how often a clock is asked.
const ClockProbes = 8

// correction takes a client's times to the coordinator's clock. Clocks of two machines do not go at the same rate, but each
// does at its own, so the offset at any time lies on the line through the two that were measured.
type Correction struct {
	since  time.Time     // on the client's clock
	Offset time.Duration // then
	rate   float64       // by which it grows
}

// newCorrection needs the offset at the start; end is that at the end, nil if it is not known.
func NewCorrection(start runinfo.Clock, end *runinfo.Clock) Correction {
	c := Correction{since: start.At.Add(start.Offset), Offset: start.Offset}
	if end != nil && end.At.After(start.At) {
		c.rate = float64(end.Offset-start.Offset) / float64(end.At.Add(end.Offset).Sub(c.since))
	}
	return c
}

// apply gives the coordinator's time for one of the client's.
func (c Correction) Apply(t time.Time) time.Time {
	return t.Add(-c.Offset - time.Duration(c.rate*float64(t.Sub(c.since))))
}

// ops moves all times of operations to the coordinator's clock.
func (c Correction) Ops(o *op.Op) {
	for _, t := range []*time.Time{&o.Due, &o.Start, &o.Sent, &o.FirstByte, &o.End} {
		if !t.IsZero() {
			*t = c.Apply(*t)
		}
	}
}

// localTime gives an instant of the wall clock the monotonic reading that clock.Now has, so that both can be subtracted.
func LocalTime(t time.Time) time.Time {
	now := clock.Now()
	return now.Add(time.Duration(t.UnixNano() - now.UnixNano()))
}

package distributed

import (
	"context"
	"time"

	"github.com/gorilla/websocket"

	"warp/internal/clock"
	"warp/pkg/op"
	"warp/pkg/runinfo"
)

// Clock is how the clock of a client differs from the coordinator's. It is the clock that stamps operations, which is never
// set while a process runs.
type Clock = runinfo.Clock

// probes is how often a clock is asked.
const probes = 8

// measureClock asks a client for its time, and takes the answer that came back first: it waited the least on its way.
// Offset and round trip are those of NTP (RFC 5905, 8).
func measureClock(ws *websocket.Conn, timeout time.Duration) (best Clock, err error) {
	for i := range probes {
		t0 := clock.Now()
		if err := say(ws, msgClock, clockProbe{T0: t0.UnixNano()}, timeout); err != nil {
			return best, err
		}
		var c clockProbe
		if err := hear(ws, msgClock, &c); err != nil {
			return best, err
		}
		t3 := clock.Now().UnixNano()
		k := Clock{At: t0.UTC(), Offset: time.Duration((c.T1-c.T0)/2 + (c.T2-t3)/2), RTT: time.Duration((t3 - c.T0) - (c.T2 - c.T1))}
		k.Wall = k.Offset + time.Duration(c.Stepped) - clock.Stepped()
		if i == 0 || k.RTT < best.RTT {
			best = k
		}
	}
	return best, nil
}

// correction takes a client's times to the coordinator's clock. Clocks of two machines do not go at the same rate, but each
// does at its own, so the offset at any time lies on the line through the two that were measured.
type correction struct {
	since  time.Time     // on the client's clock
	offset time.Duration // then
	rate   float64       // by which it grows
}

// newCorrection needs the offset at the start; end is that at the end, nil if it is not known.
func newCorrection(start Clock, end *Clock) correction {
	c := correction{since: start.At.Add(start.Offset), offset: start.Offset}
	if end != nil && end.At.After(start.At) {
		c.rate = float64(end.Offset-start.Offset) / float64(end.At.Add(end.Offset).Sub(c.since))
	}
	return c
}

// apply gives the coordinator's time for one of the client's.
func (c correction) apply(t time.Time) time.Time {
	return t.Add(-c.offset - time.Duration(c.rate*float64(t.Sub(c.since))))
}

// ops moves all times of operations to the coordinator's clock.
func (c correction) ops(o *op.Op) {
	for _, t := range []*time.Time{&o.Due, &o.Start, &o.Sent, &o.FirstByte, &o.End} {
		if !t.IsZero() {
			*t = c.apply(*t)
		}
	}
}

// partingClock asks the client for its time, now that it has measured, on a connection of its own. If it does not answer,
// its clock stays corrected by what it was at the start.
func (m *member) partingClock(ctx context.Context) *Clock {
	ws, w, k, err := m.meetAgain(ctx)
	if err != nil {
		return nil
	}
	_ = ws.Close() // all is said
	if w.Instance != m.greeting.Instance {
		return nil
	}
	m.c.mu.Lock()
	defer m.c.mu.Unlock()
	m.parting = &k
	return &k
}

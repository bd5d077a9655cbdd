package doctor

import (
	"bytes"
	"context"
	"net/http"
	"runtime"
	"slices"
	"time"

	"warp/internal/clock"
	"warp/pkg/doctor/finding"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

const (
	// tripCount is the number of requests of a kind. The first ones of a connection are acknowledged at once.
	tripCount = 40
	// tripTime is the maximum time for the requests of a kind.
	tripTime = 3 * time.Second
	// tripSize is the size of the object: a head and a body that do not come in one packet from servers that write them one by one.
	tripSize = 4 << 10
)

// ackDelay is how long the system of this machine waits with the acknowledgement of data, while a server that uses Nagle's
// algorithm waits for it before it sends more.
var ackDelay = map[string]time.Duration{"linux": 40 * time.Millisecond, "windows": 200 * time.Millisecond}[runtime.GOOS]

func init() {
	if ackDelay == 0 {
		ackDelay = 100 * time.Millisecond
	}
}

// measure sends small requests, one after the other over one connection.
func (h *host) measure(ctx, requests context.Context, key string) {
	body := make([]byte, tripSize)
	h.Connections = &finding.Connections{}
	h.add(key)
	for _, kind := range []string{http.MethodPut, http.MethodGet, http.MethodHead} {
		var all, gaps []time.Duration
		for begun := clock.Now(); len(all) < tripCount && clock.Now().Sub(begun) < tripTime && ctx.Err() == nil; {
			c := &s3.Call{Key: key, Size: -1}
			if kind == http.MethodPut {
				c.Body, c.Size = bytes.NewReader(body), tripSize
			}
			before := clock.Wall()
			if err := h.trip(requests, kind, c); err != nil {
				h.fail(err)
				return
			}
			end := clock.Now()
			if len(c.Got) > 0 {
				h.dateBounds(c.Got[0], before, clock.Wall())
			}
			h.Connections.Requests++
			if c.Connected > 0 {
				h.Connections.Made++
			}
			all, gaps = append(all, end.Sub(c.Start)-c.Connect), append(gaps, end.Sub(c.FirstByte))
		}
		h.summarize(kind, all, gaps)
	}
}

// trip sends one request.
func (h *host) trip(ctx context.Context, kind string, c *s3.Call) error {
	if h.session.Dialect().Name() != s3.StoreS3 {
		return tripOther(ctx, h.session, kind, c)
	}
	c.Begin(kind, s3.NoAccess)
	c.Want = append(c.Want, "date")
	if kind != http.MethodPut {
		c.Body = nil
	}
	return h.session.Do(ctx, c)
}

// tripOther sends the request of a round trip.
func tripOther(ctx context.Context, s s3.Session, kind string, c *s3.Call) error {
	switch kind {
	case http.MethodPut:
		return ops.Put(ctx, s, c)
	case http.MethodHead:
		return ops.Stat(ctx, s, c)
	}
	return ops.Get(ctx, s, c)
}

// summarize adds the round trips of a kind, given their times, and those from the first byte of the response to its end.
func (h *host) summarize(kind string, all, gaps []time.Duration) {
	if len(all) == 0 {
		return
	}
	slices.Sort(all)
	h.RoundTrips = append(h.RoundTrips, finding.RoundTrip{
		Kind: kind, Requests: len(all), Median: milliseconds(all[len(all)/2]), Min: milliseconds(all[0]), Max: milliseconds(all[len(all)-1]),
	})
	if stepped(all, all[len(all)/10]) || kind == http.MethodGet && stepped(gaps, 0) {
		h.DelayedACK = append(h.DelayedACK, kind)
	}
}

// stepped reports whether a fifth of the times at least lie about ackDelay above base, and few between or beyond.
func stepped(times []time.Duration, base time.Duration) bool {
	late, odd := 0, 0
	for _, t := range times {
		switch d := t - base; {
		case d >= ackDelay*3/4 && d <= ackDelay*3/2:
			late++
		case d > ackDelay/4:
			odd++
		}
	}
	return late >= 3 && 5*late >= len(times) && odd <= late/4
}

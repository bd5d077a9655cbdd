package coordinator

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/pkg/aggregate/live"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/hist"
	"warp/pkg/op"
)

// kindCount is a count of GET with this number of requests.
func kindCount(at time.Time, requests int64) protocol.KindCount {
	return protocol.KindCount{At: at.UnixNano(), Count: live.Count{Kind: op.Get, Requests: requests}}
}

// TestCountsOfATime: whatever the network does to messages, views have each second of a client once, and totals never fall.
func TestCountsOfATime(t *testing.T) {
	begin := time.Date(2026, 11, 24, 1, 0, 0, 0, time.UTC)
	at := func(ms int) time.Time { return begin.Add(time.Duration(ms) * time.Millisecond) }
	var m memberCounts
	requests := func(ms int) (n int64) {
		for _, c := range m.upTo(at(ms).Add(-countSlack)) {
			n += c.Requests
		}
		return n
	}
	for _, step := range []struct {
		counted  int   // when the client counted; 0: nothing arrives
		requests int64 // that it counted
		look     int   // when a view looks
		want     int64
	}{
		{0, 0, 1000, 0},
		{1000, 100, 1100, 0},        // other clients may not be heard yet
		{0, 0, 2000, 100},           // the first second
		{2000, 200, 2010, 100},      // fast
		{0, 0, 3000, 200},           // the second one
		{3000, 300, 3990, 300},      // slow
		{4000, 400, 4001, 300},      // fast again
		{4300, 430, 4310, 400},      // off the full second, as at the end of a run
		{0, 0, 5000, 430},           //
		{0, 0, 9000, 430},           // lost
		{9500, 900, 9501, 430},      // back
		{0, 0, 10_000, 900},         //
		{10_000, 1000, 10_010, 900}, // fast
	} {
		if step.counted > 0 {
			if err := m.update(kindCount(at(step.counted), step.requests), "id", 1, 1); err != nil {
				t.Fatal(err)
			}
		}
		if n := requests(step.look); n != step.want {
			t.Errorf("counted %d at %d ms: at %d ms a view has %d, want %d", step.requests, step.counted, step.look, n, step.want)
		}
	}
	if last := m.upTo(time.Time{}); len(last) != 1 || last[0].Requests != 1000 {
		t.Errorf("in the end: %+v", last)
	}
}

// BenchmarkCounts is what counts cost the coordinator: a message of a client, and a view of 100 clients.
func BenchmarkCounts(b *testing.B) {
	const clients = 100
	c, err := newCoordinator(harness.Plan(b, "mixed", "127.0.0.1:1", time.Second, "-objects=100"), testOptions("a"))
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	latencies := func() *hist.Histogram {
		h := hist.New(hist.Coarse)
		for range 5000 {
			h.Record(int64(30e6 * math.Exp(0.5*rng.NormFloat64())))
		}
		return h
	}
	var body []byte
	for i := range clients {
		m := addMember(c, "a", fmt.Sprint(i))
		defer m.cancel(nil)
		for _, kind := range []op.Kind{op.Get, op.Put, op.Stat, op.Delete} {
			k := protocol.KindCount{At: 1, Count: live.Count{
				Kind: kind, Requests: 5000, Ops: 5000, Latency: latencies(), TTFB: latencies(), Clients: []string{m.id}, Hosts: []string{"h:9000"},
				Responses: []live.Response{{Host: "h:9000", Status: 200, Ops: 5000}},
			}}
			if body, err = json.Marshal(k); err != nil {
				b.Fatal(err)
			}
			if err := (inbox{c, m}).handle(transport.Frame{Kind: protocol.MsgCount, Body: body}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("message", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			if err := (inbox{c, c.members.all[clients-1]}).handle(transport.Frame{Kind: protocol.MsgCount, Body: body}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("view", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			c.counts(clock.Now())
		}
	})
}

package live

import (
	"testing"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/op"
)

// TestHistory: however long a run is, segments hold all that happened since the first sample, and nothing twice.
func TestHistory(t *testing.T) {
	live, h := New(aggregate.Options{}), NewHistory(time.Second)
	live.CountMore()
	start := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	var first int64
	const seconds = 5*historySegments + 1
	for second := range seconds {
		at := start.Add(time.Duration(second) * time.Second)
		for i := range second%7 + 1 {
			o := op.Op{Kind: op.Get, Phase: "p", Start: at, FirstByte: at.Add(time.Millisecond), End: at.Add(time.Duration(i+1) * 10 * time.Millisecond), Bytes: 100, Objects: 1, Endpoint: "h"}
			if i == 6 {
				o.Err = "timeout: x"
			}
			if i%3 == 1 {
				o.Resent = 2
			}
			if err := live.Write([]op.Op{o, {Kind: op.Put, Phase: op.PhaseWarmup, Start: at, End: at.Add(1)}}); err != nil {
				t.Fatal(err)
			}
		}
		if second == 0 {
			first = live.Counts()[0].Ops
		}
		if second%97 == 96 {
			continue // a sample that did not come in time
		}
		h.Add(at.Add(time.Second), live.Counts())
		s := h.Snapshot()
		if len(s.Groups) != 1 {
			t.Fatalf("%d groups", len(s.Groups))
		}
		g := s.Groups[0]
		if n := len(g.Segments); n > historySegments || second > 0 && g.Window.Duration() != time.Duration(n)*s.Segment {
			t.Fatalf("second %d: %d segments of %v, window %v", second, n, s.Segment, g.Window)
		}
	}
	s := h.Snapshot()
	g := s.Groups[0]
	var ended, errors, latencies int64
	for i := range g.Segments {
		ended, errors, latencies = ended+g.Segments[i].Ended, errors+g.Segments[i].Errors, latencies+g.Segments[i].Latency.Count()
		if g.Segments[i].TTFB.Count() != g.Segments[i].Ended || g.Segments[i].ErrorsByClass["timeout"] != g.Segments[i].Errors {
			t.Fatalf("segment %d: %+v", i, g.Segments[i])
		}
	}
	c := live.Counts()[0]
	if r, _ := live.Recent(start.Add(seconds * time.Second)); c.Resent == 0 || g.Resent != c.Resent || r.Total.Resent != c.Resent {
		t.Errorf("%d operations are resent now, %d in all, %d in the counts", r.Total.Resent, g.Resent, c.Resent)
	}
	if s.Segment != 8*time.Second || ended != c.Ops-first || latencies != ended || errors != c.Errors || g.Requests != c.Requests || g.Bytes != float64(100*ended) {
		t.Errorf("segments of %v hold %d operations, %d latencies, %d errors; want %d, %d; bytes %v",
			s.Segment, ended, latencies, errors, c.Ops-first, c.Errors, g.Bytes)
	}
}

// TestCounts: responses by host and status add up, and an open loop has late operations and service times.
func TestCounts(t *testing.T) {
	live := New(aggregate.Options{})
	live.CountMore()
	at := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	for i := range 100 {
		o := op.Op{Kind: op.Get, Due: at, Start: at.Add(time.Duration(i) * 100 * time.Microsecond), Bytes: 10, Objects: 1, Status: 200 + 6*(i%2), Endpoint: []string{"a", "b", "c"}[i%3]}
		o.End = o.Start.Add(2 * time.Millisecond)
		if i%10 == 0 {
			o.Status, o.Err = 0, "timeout: x"
		}
		if err := live.Write([]op.Op{o}); err != nil {
			t.Fatal(err)
		}
	}
	c := live.Counts()[0]
	var all, bytes int64
	for _, r := range c.Responses {
		all, bytes = all+r.Ops, bytes+r.Bytes
		if r.Status == 0 && r.Bytes > 0 {
			t.Errorf("%+v", r)
		}
	}
	if all != 100 || bytes != 900 || len(c.Responses) != 9 || len(c.Hosts) != 3 {
		t.Errorf("%d responses, %d bytes: %+v", all, bytes, c.Responses)
	}
	if c.Late != 89 || c.Busy != 200*time.Millisecond || c.Service.Count() != 90 || c.Service.Max() != int64(2*time.Millisecond) || c.Latency.Max() != int64(11900*time.Microsecond) {
		t.Errorf("%d late, %v busy, service %v, latency %v", c.Late, c.Busy, c.Service.Max(), c.Latency.Max())
	}
}

// TestHistoryHeldUp: a sample that was held up, so that a later one came first, adds to it.
func TestHistoryHeldUp(t *testing.T) {
	live, h := New(aggregate.Options{}), NewHistory(time.Second)
	live.CountMore()
	at := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	for i := range 3 {
		o := op.Op{Kind: op.Get, Phase: "p", Start: at, End: at.Add(time.Millisecond), Bytes: 100, Objects: 1, Endpoint: "h"}
		if err := live.Write([]op.Op{o}); err != nil {
			t.Fatal(err)
		}
		h.Add(at.Add(time.Duration(5-2*i)*time.Second), live.Counts())
		if g := h.Snapshot().Groups; len(g) != 1 || g[0].Considered != int64(i+1) {
			t.Errorf("after %d counts: %+v", i+1, g)
		}
	}
	h.Add(at.Add(6*time.Second), live.Counts())
	if g := h.Snapshot().Groups[0]; len(g.Segments) != 1 || g.Segments[0].Ended != 2 {
		t.Errorf("segments: %+v", g.Segments)
	}
}

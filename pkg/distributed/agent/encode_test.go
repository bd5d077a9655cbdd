package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/aggregate"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/op"
)

// TestTooManyFigures has statistics that are too long to be sent: all but the details are in the result, and all operations.
func TestTooManyFigures(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]int{"long": 0, "too long": 20_000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := harness.Server(t, responder.Options{Rule: func(op.Kind, uint64) responder.Fault {
				return responder.Fault{Delay: 2 * time.Millisecond} // of 2,000 turns of two threads, for 200 segments
			}})
			c := startClient(t, func(o *Options) { o.snapshot = limit })
			o := testOptions(c.addr)
			o.Statistics = aggregate.Options{Segment: 10 * time.Millisecond, SegmentTimes: true, HostSegments: true}
			r, rec, err := runAll(context.Background(), harness.Limited(t, "put", server.Host(), 2000), o)
			if err != nil {
				t.Fatal(err)
			}
			g := r.Snapshot.Groups[0]
			if n := int64(len(harness.ReadOps(t, rec))); r.InResult != 1 || n != r.Operations || g.Requests != n || g.Latency.Count() == 0 || len(g.Segments) == 0 {
				t.Errorf("%d clients, %d operations in the result, %d in the recording, %d segments", r.InResult, g.Requests, n, len(g.Segments))
			}
			times := false
			for _, s := range g.Segments {
				times = times || s.Latency != nil
			}
			if told := strings.Contains(strings.Join(r.Warnings, "\n"), "times of segments are missing from this result"); times != (limit == 0) || told == times {
				t.Errorf("times by segment: %v; warnings %q", times, r.Warnings)
			}
		})
	}
}

// TestEncodingIsProgress: a client that encodes for long gets on with each group, and with each piece that it sends.
func TestEncodingIsProgress(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 3*transport.ChunkSize)
	s := &aggregate.Snapshot{Version: aggregate.Version, Segment: time.Second, Groups: []*aggregate.Group{{Kind: "GET"}, {Kind: "PUT"}}, Totals: []*aggregate.Group{{Phase: long}}}
	a := transport.NewSession(&protocol.Wire, harness.Timing.Timing, protocol.Medium, nil)
	h := &handover{job: &job{opts: &Options{snapshot: 1 << 30}, inbox: newInbox(a)}}
	text, err := h.encode(s)
	if err != nil {
		t.Fatal(err)
	}
	if n := h.progressed.Load(); n != 3 {
		t.Errorf("three groups are %d steps", n)
	}
	whole, err := json.Marshal(protocol.Snapshot{Snapshot: s})
	if err != nil {
		t.Fatal(err)
	}
	var back, want protocol.Snapshot
	if json.Unmarshal(text, &back) != nil || json.Unmarshal(whole, &want) != nil || len(back.Snapshot.Groups) != 2 || len(back.Snapshot.Totals) != 1 || back.Snapshot.Segment != time.Second {
		t.Errorf("the encoding of the parts is not that of the whole: %.200s", text)
	}
	if err := h.send(context.Background(), protocol.MsgSnapshot, text); err != nil {
		t.Fatal(err)
	}
	if n := h.progressed.Load(); n != 3+4 {
		t.Errorf("after four chunks %d steps", n)
	}
}

package report

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/hist"
	"warp/pkg/load"
	"warp/pkg/op"
)

// Only segments that lie wholly in a step count for it.
func TestSteps(t *testing.T) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	g := &aggregate.Group{Kind: op.Get, OpSizes: aggregate.OpSizes{MaxObjects: 1, MinObjects: 1, MaxSize: 1 << 20, MinSize: 1 << 20}}
	g.Window = aggregate.Window{Start: began.Add(100 * time.Millisecond), End: began.Add(10 * time.Second), AllTime: true}
	for i := range 9 {
		n := 10 * (1 + i/3)
		s := aggregate.Segment{Bytes: float64(n) * (1 << 20), Objects: float64(n), Ended: int64(n), Latency: hist.New(hist.Fine)}
		for range n {
			s.Latency.Record(int64(n) * 1e6)
		}
		if i == 4 {
			s.Errors = 2
		}
		g.Segments = append(g.Segments, s)
	}
	shape, err := load.ParseShape("1/3s,2/3s,2..10/2s,10")
	if err != nil {
		t.Fatal(err)
	}
	curve := NewLoadCurve(g, time.Second, began, load.Steps(shape, 10*time.Second), "threads")
	got := strings.Join(curve.Lines(), "\n")
	const want = `GET at 1 thread, for 3s: 10.00 MiB/s, 10.00 obj/s, p50: 10.0ms
GET at 2 threads, for 3s: 20.00 MiB/s, 20.00 obj/s, p50: 20.0ms, 2 errors
GET at 10 threads, for 2s: 30.00 MiB/s, 30.00 obj/s, p50: 30.0ms`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	var text strings.Builder
	if err := JSON(&text, Document{Snapshot: &aggregate.Snapshot{}, LoadCurves: []*LoadCurve{curve}}); err != nil {
		t.Fatal(err)
	}
	var out struct {
		Curves []struct {
			Op, Unit string
			Steps    []struct {
				From, To         float64
				Measured         float64 `json:"measured_s"`
				Requests, Errors int64
				Ops              float64                `json:"ops_per_sec"`
				Bytes            float64                `json:"bytes_per_sec"`
				Latency          *struct{ Avg float64 } `json:"latency_ms"`
			}
		} `json:"load_curves"`
	}
	if err := json.Unmarshal([]byte(text.String()), &out); err != nil || len(out.Curves) != 1 {
		t.Fatal(err, text.String())
	}
	c := out.Curves[0]
	type figures struct {
		from, to, measured float64
		requests, errors   int64
		ops, mib, ms       float64
	}
	var points []figures
	for _, p := range c.Steps {
		f := figures{p.From, p.To, p.Measured, p.Requests, p.Errors, p.Ops, p.Bytes / (1 << 20), 0}
		if p.Latency != nil {
			f.ms = math.Round(p.Latency.Avg)
		}
		points = append(points, f)
	}
	// The parts of the ramp are shorter than a segment.
	expected := []figures{{1, 1, 2, 20, 0, 10, 10, 10}, {2, 2, 2, 42, 2, 20, 20, 20}}
	for k := range 8 {
		expected = append(expected, figures{from: float64(2 + k), to: float64(3 + k)})
	}
	expected = append(expected, figures{10, 10, 1, 30, 0, 30, 30, 30})
	if c.Op != "GET" || c.Unit != "threads" || !slices.Equal(points, expected) {
		t.Errorf("%s, %s:\n got %v\nwant %v", c.Op, c.Unit, points, expected)
	}
}

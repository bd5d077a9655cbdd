package report

import (
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
	g := &aggregate.Group{Kind: op.Get, MaxObjects: 1, MinObjects: 1, MaxSize: 1 << 20, MinSize: 1 << 20}
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
	got := strings.Join(Steps(g, time.Second, began, load.Steps(shape, 10*time.Second), "threads"), "\n")
	const want = `GET at 1 thread, for 3s: 10.00 MiB/s, 10.00 obj/s, 50%: 10.0ms
GET at 2 threads, for 3s: 20.00 MiB/s, 20.00 obj/s, 50%: 20.0ms, 2 errors
GET at 10 threads, for 2s: 30.00 MiB/s, 30.00 obj/s, 50%: 30.0ms`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

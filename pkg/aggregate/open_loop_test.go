package aggregate

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"warp/pkg/load"
	"warp/pkg/op"
)

// openLoop returns what a load on one server records that serves one turn after the other, on a virtual clock.
func openLoop(t *testing.T, shape string, arrivals load.Arrivals, o load.Options, service func(n uint64) time.Duration) (ops []op.Op) {
	t.Helper()
	s, err := load.ParseShape(shape)
	if err != nil {
		t.Fatal(err)
	}
	if o.Schedule, err = s.Schedule(arrivals, 7); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		free := time.Now()
		_, err := load.Run(t.Context(), o, func(_ context.Context, turn load.Turn) error {
			begun := time.Now()
			mu.Lock()
			if begun.After(free) {
				free = begun
			}
			free = free.Add(service(turn.N))
			served := free
			mu.Unlock()
			time.Sleep(served.Sub(begun))
			mu.Lock()
			defer mu.Unlock()
			ops = append(ops, op.Op{Kind: op.Get, Thread: uint32(turn.Worker), Client: "c", Due: turn.Due, Start: begun, End: time.Now(), Objects: 1, Bytes: 1, Endpoint: "h", Key: "k"})
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	return ops
}

// A stall of a second at 10 operations per second shows in response times, and not in service times.
func TestStallInReports(t *testing.T) {
	ops := openLoop(t, "10", load.Even, load.Options{Concurrency: 1, Duration: 9 * time.Second}, func(n uint64) time.Duration {
		if n == 40 {
			return time.Second
		}
		return 10 * time.Millisecond
	})
	_, s := twoPasses(t, Options{AllTime: []string{""}}, ops)
	g := s.Groups[0]
	response, _ := g.Latency.Percentile(95)
	service, _ := g.Service.Percentile(95)
	if r, s := time.Duration(response).Round(time.Millisecond), time.Duration(service).Round(time.Millisecond); r != 640*time.Millisecond || s != 10*time.Millisecond {
		t.Errorf("95th percentiles: response time %v, service time %v; want 640ms and 10ms", r, s)
	}
}

// The segments of a ramp show the rate that the server can serve.
func TestRampInReports(t *testing.T) {
	ops := openLoop(t, "0..60/60s", load.Even, load.Options{Concurrency: 1000, Duration: 60 * time.Second}, func(uint64) time.Duration { return 40 * time.Millisecond })
	_, s := twoPasses(t, Options{AllTime: []string{""}, SegmentTimes: true}, ops)
	rate, most := -1, int64(0)
	for i := range s.Groups[0].Segments {
		g := &s.Groups[0].Segments[i]
		most = max(most, g.Ended)
		if g.Latency != nil && g.Latency.Mean() > 80e6 && rate < 0 {
			rate = i + 1 // operations due in that second
		}
	}
	if rate < 25 || rate > 28 || most < 24 || most > 26 {
		t.Errorf("operations wait from %d per second on, and at most %d end; want 25 of both", rate, most)
	}
}

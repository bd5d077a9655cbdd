package bench_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// TestConnectionsOfAnOpenLoop counts the connections that a server accepts from an open loop: one more than turns are under way at a time, and not one
// for each of 200 threads.
func TestConnectionsOfAnOpenLoop(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		ownServer(t)
		r := startResponder(t, responder.Options{Keep: true, Buckets: []string{"few"}, Rule: func(op.Kind, uint64) responder.Fault {
			return responder.Fault{Delay: 5 * time.Millisecond}
		}})
		var accepted, measuring atomic.Int64
		front := httptest.NewUnstartedServer(r)
		front.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				accepted.Add(1)
			}
		}
		front.Start()
		defer front.Close()
		cfg := s3.Config{Hosts: []string{strings.TrimPrefix(front.URL, "http://")}, AccessKey: "a", SecretKey: "s", Bucket: "few", Concurrency: 200, Engine: engine}
		store, err := connect.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		const turns = 150
		m, result, err := job{workload: "get", args: []string{"-objects=4"}, change: func(p *bench.Plan) {
			p.Target = cfg
			p.Phases[0].Rate, p.Phases[0].Concurrency, p.Phases[0].Ops = 100, 200, turns
		}, observe: watch{stage: func(s bench.Stage) {
			switch s.Name {
			case bench.StageBenchmark:
				measuring.Store(-accepted.Load())
			case bench.StageCleanup: // which has connections of its own
				measuring.Add(accepted.Load())
			}
		}}}.run(context.Background(), t, store)
		if err != nil || m.failed() != "" {
			t.Fatalf("%v; failed: %s", err, m.failed())
		}
		most, made := result.Schedules[0].Most, int(measuring.Load())
		threads := map[uint32]bool{}
		for _, o := range m.benchmark() {
			threads[o.Thread] = true
		}
		if len(m.benchmark()) != turns || made > most+1 || len(threads) > most+1 || most < 1 {
			t.Errorf("%d connections were made for %d turns by %d threads, at most %d at a time: %s", made, len(m.benchmark()), len(threads), most, &result.Schedules[0])
		}
	})
}

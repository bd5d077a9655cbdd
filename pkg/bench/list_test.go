package bench_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// TestListCountsAllPages: retries and connections of each page of a listing are recorded, not just of the last one.
func TestListCountsAllPages(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		ownServer(t)
		var requests, failed uint64 // of the benchmark, which the clean-up's question for versions ends
		measured := func() {}
		r, err := responder.New(responder.Options{Buckets: []string{"pages"}, Keep: true, Rule: func(k op.Kind, n uint64) responder.Fault {
			if k == responder.Bucket {
				measured()
			}
			if k == op.List && n%3 == 1 {
				return responder.Fault{Status: 503}
			}
			return responder.Fault{}
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		cfg := s3.Config{Hosts: []string{r.Host()}, AccessKey: "a", SecretKey: "s", Bucket: "pages", Concurrency: 1, Engine: engine, Retries: 3, NoKeepAlive: true}
		store, err := connect.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		var before, beforeFailed uint64
		measured = func() {
			if before > 0 && requests == 0 {
				requests, failed = r.Requests(op.List)-before, r.Responses(op.List, 503)-beforeFailed
			}
		}
		o := watch{stage: func(s bench.Stage) {
			if s.Name == bench.StageBenchmark {
				before, beforeFailed = r.Requests(op.List), r.Responses(op.List, 503)
			}
		}}
		m, result, err := job{workload: "list", observe: o, change: func(p *bench.Plan) {
			p.Target, p.KeepData = cfg, true
			p.Phases[0].Concurrency = 1
		}}.run(context.Background(), t, store)
		if err != nil {
			t.Fatal(err)
		}
		retries, pages := uint64(0), uint64(0)
		for _, o := range m.benchmark() {
			retries += uint64(o.Retries)
			pages += 6 // 40 objects, 7 in each
		}
		if retries != failed || pages+retries != requests || failed == 0 {
			t.Errorf("%d retries in %d pages, the server had %d requests, %d failed", retries, pages, requests, failed)
		}
		if c := result.Connections; c.Made != requests || c.Requests != requests { // each with a connection of its own
			t.Errorf("%d connections and %d requests, the server had %d", c.Made, c.Requests, requests)
		}
	})
}

// TestListingsAreRepeated: a page of a listing of existing objects that fails for a while is asked for again.
func TestListingsAreRepeated(t *testing.T) {
	t.Parallel()
	var fails atomic.Uint64
	s := oddly(t, "lean", responder.Options{Rule: func(k op.Kind, n uint64) (f responder.Fault) {
		if k == op.List && n == fails.Load() {
			f.Status = http.StatusServiceUnavailable
		}
		return f
	}})
	fails.Store(1 << 60)
	if _, err := s.run(t, "put", func(p *bench.Plan) { p.KeepData = true }); err != nil {
		t.Fatal(err)
	}
	fails.Store(s.server.Requests(op.List) + 1) // the one after the look at the bucket
	m, _, err := job{workload: "get", args: []string{"-list-existing"}, change: func(p *bench.Plan) { p.Target = s.cfg }}.run(context.Background(), t, s.Store)
	if err != nil || m.failed() != "" || s.server.Responses(op.List, http.StatusServiceUnavailable) != 1 {
		t.Errorf("%v; failed: %s; %d refused", err, m.failed(), s.server.Responses(op.List, http.StatusServiceUnavailable))
	}
}

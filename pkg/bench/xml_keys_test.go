package bench_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
)

// atResponder opens a bucket at a responder, reached through front, with each engine.
func atResponder(t *testing.T, front func(http.Handler) http.Handler, test func(t *testing.T, r *responder.Server, cfg s3.Config, store s3.Store)) {
	for _, engine := range []string{"lean", "std"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			ownServer(t)
			r, err := responder.New(responder.Options{Keep: true, Buckets: []string{"bucket"}})
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(front(r))
			cfg := s3.Config{Hosts: []string{strings.TrimPrefix(server.URL, "http://")}, Bucket: "bucket", Engine: engine, Concurrency: 8}
			store, err := connect.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			test(t, r, cfg, store)
			store.Close()
			server.Close()
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDeleteKeysOutsideXML deletes objects, some of whose keys no multi-delete can name, and no others. Each request is
// recorded.
func TestDeleteKeysOutsideXML(t *testing.T) {
	direct := func(h http.Handler) http.Handler { return h }
	atResponder(t, direct, func(t *testing.T, r *responder.Server, cfg s3.Config, store s3.Store) {
		ctx := context.Background()
		put := func(key string) {
			if err := ops.Put(ctx, store.Session(0), &s3.Call{Key: key, Body: strings.NewReader("x"), Size: 1}); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 30 {
			put(fmt.Sprintf("mine/%02d", i))
			put(fmt.Sprintf("mine/%02d\x01", i))
		}
		put("other/\uFFFD")
		m, _, err := job{workload: "delete", args: []string{"-list-existing", "-batch=10"}, change: func(p *bench.Plan) {
			p.Target, p.Data.Prefix, p.Force, p.Phases[0].Duration = cfg, "mine", true, 0
		}}.run(ctx, t, store)
		if err != nil || m.failed() != "" {
			t.Errorf("%v, failed: %s", err, m.failed())
		}
		deleted, requests := 0, 0
		for _, o := range m.benchmark() {
			deleted += o.Objects
			requests++
		}
		if sent := int(r.Requests(op.Delete)) - 3; deleted != 60 || requests != sent || requests < 36 { // the others are the preflight's
			t.Errorf("%d objects deleted by %d operations, %d requests", deleted, requests, sent)
		}
		if left := listing(t, store); len(left) != 1 {
			t.Errorf("left: %v", left)
		}
	})
}

// TestPlainRanges: ranges that come with status 200 count, and there is one warning.
func TestPlainRanges(t *testing.T) {
	front := func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(allFine{w}, r) })
	}
	atResponder(t, front, func(t *testing.T, _ *responder.Server, cfg s3.Config, store s3.Store) {
		m, result, err := job{workload: "get", args: []string{"-range"}, change: func(p *bench.Plan) { p.Target = cfg }}.run(context.Background(), t, store)
		if err != nil || m.failed() != "" || len(m.benchmark()) == 0 {
			t.Errorf("%v, %d operations, failed: %s", err, len(m.benchmark()), m.failed())
		}
		want := fmt.Sprintf("%d ranges came with status 200", len(m.benchmark()))
		if n := strings.Count(strings.Join(result.Warnings, "\n"), want); n != 1 {
			t.Errorf("warnings %q, want %q once", result.Warnings, want)
		}
	})
}

// allFine answers with status 200 where it should be 206.
type allFine struct{ http.ResponseWriter }

func (a allFine) WriteHeader(status int) {
	if status == http.StatusPartialContent {
		status = http.StatusOK
	}
	a.ResponseWriter.WriteHeader(status)
}

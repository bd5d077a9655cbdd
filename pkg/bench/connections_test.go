package bench_test

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// startResponder starts a server that ends with the test.
func startResponder(t *testing.T, o responder.Options) *responder.Server {
	t.Helper()
	r, err := responder.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// TestShareOfRedirects: the redirects that are reported are those that a server sent, and their time is that of its delays.
func TestShareOfRedirects(t *testing.T) {
	const delay = 5 * time.Millisecond
	eachEngine(t, func(t *testing.T, engine string) {
		ownServer(t)
		there := startResponder(t, responder.Options{Forget: true, ObjectSize: 4096})
		here := startResponder(t, responder.Options{Keep: true, Rule: func(k op.Kind, n uint64) responder.Fault {
			if k == op.Stat && n%3 == 0 {
				return responder.Fault{Delay: delay, Status: 307, Redirect: there.URL()}
			}
			return responder.Fault{}
		}})
		cfg := s3.Config{Hosts: []string{here.Host()}, RedirectTo: []string{there.Host()}, AccessKey: "a", SecretKey: "s", Bucket: "redirected", Concurrency: 4, Engine: engine}
		store, err := connect.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		m, result, err := job{workload: "stat", change: func(p *bench.Plan) { p.Target = cfg }}.run(context.Background(), t, store)
		if err != nil || m.failed() != "" {
			t.Fatalf("%v; failed: %s", err, m.failed())
		}
		got := result.Connections
		sent, came := here.Responses(op.Stat, 307), there.Requests(op.Stat)
		if got.Requests != uint64(len(m.benchmark())) || got.Redirects.Requests != sent || got.Redirects.Followed != sent || came != sent || sent == 0 {
			t.Errorf("%+v of %d operations; %d redirects were sent, and %d followed", got, len(m.benchmark()), sent, came)
		}
		if want := []work.KindSent{{Kind: op.Stat, Requests: got.Requests, Redirected: sent}}; !slices.Equal(got.Kinds, want) {
			t.Errorf("%+v, want %+v", got.Kinds, want)
		}
		if least := time.Duration(sent) * delay; got.Redirects.Spent < least {
			t.Errorf("redirects took %v, at least %v were injected", got.Redirects.Spent, least)
		}
		least := uint64(2) // each thread that was redirected has one there
		if engine == s3.EngineStd {
			least = 1 // threads share connections
		}
		if got.Made < least {
			t.Errorf("%d connections were made, want at least %d", got.Made, least)
		}
	})
}

// TestRequestsOfEachMethod: the requests that are reported by method are those that the server received until the clean-up.
func TestRequestsOfEachMethod(t *testing.T) {
	ownServer(t)
	for _, workload := range []string{"mixed", "list", "delete", "multipart-put"} {
		t.Run(workload, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, engine string) {
				var mu sync.Mutex
				came, want := map[string]uint64{}, map[string]uint64{}
				r := startResponder(t, responder.Options{Buckets: []string{"bill"}, Keep: true})
				front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
					method := q.Method
					switch {
					case q.URL.Query().Has("versioning"):
						method = "clean-up" // it begins with this, before its stage is announced
					case method == http.MethodGet && strings.Trim(q.URL.Path, "/") == "bill":
						method = "LIST"
					}
					mu.Lock()
					came[method]++
					mu.Unlock()
					r.ServeHTTP(w, q)
				}))
				defer front.Close()
				cfg := s3.Config{Hosts: []string{strings.TrimPrefix(front.URL, "http://")}, AccessKey: "a", SecretKey: "s", Bucket: "bill", Concurrency: 4, Engine: engine}
				store, err := connect.New(cfg)
				if err != nil {
					t.Fatal(err)
				}
				defer store.Close()
				m, result, err := job{workload: workload, ops: 50, change: func(p *bench.Plan) { p.Target = cfg }, observe: watch{stage: func(s bench.Stage) {
					if s.Name == bench.StageCleanup {
						mu.Lock()
						maps.Copy(want, came)
						mu.Unlock()
					}
				}}}.run(context.Background(), t, store)
				if err != nil || m.failed() != "" {
					t.Fatalf("%v; failed: %s", err, m.failed())
				}
				n := result.Connections.Methods
				got := map[string]uint64{"GET": n.Get, "HEAD": n.Head, "PUT": n.Put, "POST": n.Post, "DELETE": n.Delete, "LIST": n.List}
				maps.DeleteFunc(got, func(_ string, n uint64) bool { return n == 0 })
				delete(want, "clean-up")
				if !maps.Equal(got, want) || want["PUT"]+want["POST"] == 0 {
					t.Errorf("reported are %v, the server received %v", got, want)
				}
			})
		})
	}
}

// TestStreamsOfHTTP2: each request of the benchmark was a stream, and threads share connections.
func TestStreamsOfHTTP2(t *testing.T) {
	ownServer(t)
	r := startResponder(t, responder.Options{Keep: true})
	var heads atomic.Uint64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method == http.MethodHead && q.ProtoMajor == 2 && strings.Count(q.URL.Path, "/") > 2 { // of an object
			heads.Add(1)
		}
		r.ServeHTTP(w, q)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	cfg := s3.Config{
		Hosts: []string{strings.TrimPrefix(server.URL, "https://")}, AccessKey: "a", SecretKey: "s", Bucket: "streams", Concurrency: 4,
		TLS: true, Insecure: true, HTTP2: true,
	}
	store, err := connect.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var before uint64
	o := watch{stage: func(s bench.Stage) {
		if s.Name == bench.StageBenchmark {
			before = heads.Load()
		}
	}}
	m, result, err := job{workload: "stat", observe: o, change: func(p *bench.Plan) { p.Target = cfg }}.run(context.Background(), t, store)
	if err != nil || m.failed() != "" {
		t.Fatalf("%v; failed: %s", err, m.failed())
	}
	if got := result.Connections; got.HTTP2.Streams != heads.Load()-before || got.HTTP2.Streams != got.Requests || got.HTTP2.Connections == 0 || got.HTTP2.Connections > 4 {
		t.Errorf("%+v; the server had %d streams", got, heads.Load()-before)
	}
}

package bench_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/s3/connect"
)

// Objects that become readable some time after their upload are no reason to refuse a run: it says how late they were.
func TestObjectsThatAppearLate(t *testing.T) {
	bench.ShortenCleanup(t, time.Millisecond)
	var mu sync.Mutex
	asked := map[string]int{}
	s := front(t, responder.Options{}, func(h http.Handler, w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if _, key, _ := strings.Cut(r.URL.Path[1:], "/"); key != "" && r.Method == http.MethodGet && strings.Contains(key, "claim") {
			if asked[key]++; asked[key] <= 3 {
				w.WriteHeader(http.StatusNotFound)
				_, _ = w.Write([]byte("<Error><Code>NoSuchKey</Code></Error>"))
				return
			}
		}
		h.ServeHTTP(w, r)
	})
	_, res, err := job{workload: "tag", change: func(p *bench.Plan) { p.Target = s.cfg }}.run(t.Context(), t, s.Store)
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(res.Warnings, "\n"); !strings.Contains(text, "objects became readable") {
		t.Errorf("warnings: %q", text)
	}
	if left := s.left(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// Without a preflight nothing is tried, and the names are claimed nevertheless.
func TestWithoutPreflight(t *testing.T) {
	puts := 0
	s := front(t, responder.Options{}, func(h http.Handler, w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "claim") {
			puts++
		}
		h.ServeHTTP(w, r)
	})
	s.cfg.NoPreflight = true
	store, err := connect.New(s.cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	_, _, err = job{workload: "tag", change: func(p *bench.Plan) { p.Target = s.cfg }}.run(t.Context(), t, store)
	if err != nil || puts != 1 || len(s.left()) > 0 {
		t.Errorf("%v; %d objects of preflight and claims; left: %q", err, puts, s.left())
	}
}

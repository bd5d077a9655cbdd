package bench_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"warp/internal/responder"
	"warp/pkg/bench"
)

// An error of the preparation names the request, its object, its host, and the cause. A permanent refusal is not tried again.
func TestPreparationThatFails(t *testing.T) {
	bench.ShortenCleanup(t, 0)
	for _, tc := range []struct {
		status int
		tries  uint64
		want   string
	}{
		{400, 1, "(400 Bad Request"},
		{503, 3, "(503 Service Unavailable"},
	} {
		const first = 2 // upload of an object that fails
		var objects, failed atomic.Uint64
		s := front(t, responder.Options{}, func(h http.Handler, w http.ResponseWriter, r *http.Request) {
			object := r.Method == http.MethodPut && !strings.Contains(r.URL.Path, "claim")
			if object && objects.Add(1) >= first {
				failed.Add(1)
				_, _ = io.Copy(io.Discard, r.Body)
				w.WriteHeader(tc.status)
				return
			}
			h.ServeHTTP(w, r)
		})
		_, err := s.run(t, "get", func(p *bench.Plan) { p.Phases[0].Concurrency = 1 })
		start := fmt.Sprintf("preparation: PUT of object %d of ", first)
		host := fmt.Sprintf(": http://%s: cannot put objects into the bucket %s", s.cfg.Hosts[0], tc.want)
		if err == nil || !strings.HasPrefix(err.Error(), start) || !strings.Contains(err.Error(), host) || failed.Load() != tc.tries {
			t.Errorf("%d: %v after %d tries; want %q, %q after %d", tc.status, err, failed.Load(), start, host, tc.tries)
		}
		if tried := strings.HasSuffix(fmt.Sprint(err), "(tried 3 times)"); tried != (tc.tries > 1) {
			t.Errorf("%d: %v", tc.status, err)
		}
	}
}

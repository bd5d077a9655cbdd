package s3_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// TestExpect: a server that is asked before the body of an upload can refuse it before any of it is sent.
func TestExpect(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		var asked, got atomic.Int64
		host := handle(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
			w.Header().Set("ETag", `"x"`)
			if r.Header.Get("Expect") == "100-continue" {
				asked.Add(1)
			}
			if strings.HasSuffix(r.URL.Path, "no") {
				w.Header().Set("Connection", "close")
				w.WriteHeader(http.StatusForbidden)
				return
			}
			n, _ := io.Copy(io.Discard, r.Body)
			got.Add(n)
		})
		const size = 3 << 20
		s := open(t, s3.Config{Hosts: []string{host}, Expect: true}).Session(0)
		c := putCall("yes", strings.Repeat("x", size))
		if err := ops.Put(t.Context(), s, c); err != nil || c.Sent.IsZero() || asked.Load() != 1 || got.Load() != size {
			t.Errorf("%v, %+v: asked %d times, %d bytes arrived", err, c, asked.Load(), got.Load())
		}
		c = putCall("no", strings.Repeat("x", size))
		if err := ops.Put(t.Context(), s, c); class(err) != "403 Forbidden" || asked.Load() != 2 || !c.Sent.IsZero() {
			t.Errorf("%v, %+v: asked %d times", err, c, asked.Load())
		}
		if err := ops.Stat(t.Context(), s, &s3.Call{Key: "yes"}); err != nil || asked.Load() != 2 {
			t.Errorf("%v, asked %d times: a question without a body", err, asked.Load())
		}
	})
}

// TestSilenceEnds: a server that stops in the middle of a body does not hold a run for ever.
func TestSilenceEnds(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		end := make(chan struct{})
		host := handle(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
			w.Header().Set("ETag", `"x"`)
			w.Header().Set("Content-Length", "100000")
			_, _ = io.WriteString(w, strings.Repeat("x", 1000))
			_ = http.NewResponseController(w).Flush()
			<-end
		})
		t.Cleanup(func() { close(end) })
		limit := 100 * time.Millisecond
		s := open(t, s3.Config{Hosts: []string{host}, Timeout: limit, IdleTimeout: limit}).Session(0)
		c := &s3.Call{Key: "k", Size: 100000}
		if err := ops.Get(t.Context(), s, c); class(err) != "timeout" || c.Bytes != 1000 {
			t.Errorf("%v (%s) after %d bytes", err, class(err), c.Bytes)
		}
	})
}

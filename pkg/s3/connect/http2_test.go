package connect_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"warp/internal/responder"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
)

// TestHTTP2Required: requests are streams of HTTP/2, as many over as many connections as the server had, or are refused in one line
// where it does not speak it.
func TestHTTP2Required(t *testing.T) {
	r := serve(t, responder.Options{Keep: true})
	for _, offered := range []bool{true, false} {
		var mu sync.Mutex
		requests, connections := map[string]int{}, 0
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			mu.Lock()
			requests[q.Proto]++
			mu.Unlock()
			r.ServeHTTP(w, q)
		}))
		server.EnableHTTP2 = offered
		server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
			if s == http.StateNew {
				mu.Lock()
				defer mu.Unlock()
				connections++
			}
		}
		server.StartTLS()
		cfg := s3.Config{Hosts: []string{strings.TrimPrefix(server.URL, "https://")}, TLS: true, Insecure: true, HTTP2: true}
		st := open(t, cfg)
		if st.Engine() != "std" || !strings.Contains(st.EngineReason(), "--http2") {
			t.Errorf("engine %s: %s", st.Engine(), st.EngineReason())
		}
		if !offered {
			err := preflight.Open(st).TryWrite(t.Context(), "probe")
			if want := server.URL + ": the host does not offer HTTP/2; remove --http2"; err == nil || err.Error() != want || len(requests) > 0 {
				t.Errorf("%v after requests %v, want %s", err, requests, want)
			}
			st.Close()
			server.Close()
			continue
		}
		var wg sync.WaitGroup
		streams, carriers := 0, map[uint64]bool{}
		for worker := range 8 {
			wg.Go(func() {
				s := st.Session(worker)
				for range 5 {
					c := putCall("k", strings.Repeat("text", 1000))
					if err := ops.Put(t.Context(), s, c); err != nil {
						t.Error(err)
					}
					mu.Lock()
					streams += c.Streams
					carriers[c.Stream] = true
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		st.Close()
		server.Close()
		if streams != 40 || requests["HTTP/2.0"] != 40 || len(requests) != 1 || len(carriers) > connections || carriers[0] {
			t.Errorf("%d streams over connections %v; the server had requests %v over %d connections", streams, carriers, requests, connections)
		}
	}
	for want, cfg := range map[string]s3.Config{
		"--http2: it is spoken over TLS only; add --tls": {Hosts: []string{"h"}, HTTP2: true},
		"--http2, --disable-keepalive: use one of them":  {Hosts: []string{"h"}, HTTP2: true, TLS: true, NoKeepAlive: true},
	} {
		if err := cfg.Check(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	cfg := s3.Config{Hosts: []string{"h"}, HTTP2: true, TLS: true, Engine: "lean", Bucket: "bucket"}
	if _, err := connect.New(cfg); err == nil || !strings.Contains(err.Error(), "--engine=lean cannot be used: --http2 is spoken by the std engine alone") {
		t.Error(err)
	}
}

package connect_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// counted counts connections that are open.
type counted struct {
	mu        sync.Mutex
	now, most int
}

func (c *counted) note(_ net.Conn, s http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch s {
	case http.StateNew:
		c.now++
		c.most = max(c.most, c.now)
	case http.StateClosed, http.StateHijacked:
		c.now--
	}
}

// TestConnectionsOfManyHosts: threads that turn from host to host share the connections to them.
func TestConnectionsOfManyHosts(t *testing.T) {
	const hosts, threads, requests = 8, 20, 200
	eachEngine(t, func(t *testing.T, open opener) {
		for _, choice := range []string{"weighed", "roundrobin"} {
			var seen counted
			cfg := s3.Config{HostSelect: choice, Concurrency: threads}
			for range hosts {
				s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
				s.Config.ConnState = seen.note
				s.Start()
				t.Cleanup(s.Close)
				cfg.Hosts = append(cfg.Hosts, strings.TrimPrefix(s.URL, "http://"))
			}
			st := open(t, cfg)
			var made sync.Map
			var wg sync.WaitGroup
			for w := range threads {
				wg.Go(func() {
					s, n := st.Session(w), 0
					for range requests {
						c := &s3.Call{Key: "k"}
						if err := ops.Delete(t.Context(), s, c); err != nil {
							t.Error(err)
							return
						}
						n += c.Connected
					}
					made.Store(w, n)
				})
			}
			wg.Wait()
			total := 0
			made.Range(func(_, n any) bool { total += n.(int); return true })
			// net/http makes connections that it then does not need, when one becomes idle meanwhile.
			limit := s3.MaxConnections(threads, hosts) + threads
			if seen.most > limit || total > 2*limit {
				t.Errorf("%s: %d connections at once, %d made for %d requests; want %d at most", choice, seen.most, total, threads*requests, limit)
			}
			t.Logf("%s: %d connections at once, %d made", choice, seen.most, total)
			st.Close()
		}
	})
}

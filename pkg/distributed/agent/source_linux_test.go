package agent

import (
	"bytes"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"warp/internal/responder"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/recording"
)

// TestSourceIsTheListenAddress: connections leave from the address that the client listens on, unless the plan names another one.
// works: MinIO warp: with several networks, connections leave from the address that a client listens on
func TestSourceIsTheListenAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ local, want string }{{"", "127.0.0.2"}, {"127.0.0.3", "127.0.0.3"}} {
		server := harness.Server(t, responder.Options{})
		host, sources := sourceProxy(t, server.Host())
		client := startClient(t, func(o *Options) { o.Listen = "127.0.0.2:0" })
		p := harness.Plan(t, "put", host, 0)
		p.Phases[0].Ops, p.Target.LocalAddr = 20, c.local
		r, _, err := runAll(t.Context(), p, testOptions(client.addr))
		if err != nil {
			t.Fatal(err)
		}
		list := sources()
		if len(list) == 0 || strings.Count(strings.Join(list, " "), c.want) < len(list)-1 { // one may be the coordinator's
			t.Errorf("connections came from %q, want %s", list, c.want)
		}
		b, err := os.ReadFile(r.Clients[0].Recording)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := recording.NewReader(bytes.NewReader(b), "test")
		if err != nil {
			t.Fatal(err)
		}
		if config := string(rec.Header().Config); !strings.Contains(config, `"source":"`+c.want+`"`) {
			t.Errorf("the recording does not say that connections left from %s: %s", c.want, config)
		}
		rec.Close()
		if said := strings.Contains(client.logged(), "Connections to the store leave from 127.0.0.2."); said != (c.local == "") {
			t.Errorf("the client said %q", client.logged())
		}
	}
}

// sourceProxy passes connections on to a server; sources are the addresses that they came from.
func sourceProxy(t *testing.T, server string) (host string, sources func() []string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	var mu sync.Mutex
	var from []string
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			from = append(from, in.RemoteAddr().(*net.TCPAddr).IP.String())
			mu.Unlock()
			out, err := net.Dial("tcp", server)
			if err != nil {
				_ = in.Close()
				continue
			}
			for _, pair := range [][2]net.Conn{{in, out}, {out, in}} {
				go func() {
					_, _ = io.Copy(pair[0], pair[1])
					_ = pair[0].Close()
				}()
			}
		}
	}()
	return l.Addr().String(), func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(from)
	}
}

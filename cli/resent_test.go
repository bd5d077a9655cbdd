package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"warp/cli/internal/process"
	"warp/internal/responder"
	"warp/pkg/op"
)

// limitedServer closes each connection after a number of responses, unannounced, as proxies with a request limit do. It counts the object
// requests that met a closed connection, by method. Every other connection closes once the next request is there.
type limitedServer struct {
	net.Listener
	store http.Handler
	limit int

	wg  sync.WaitGroup
	mu  sync.Mutex
	met map[string]int64
}

func startLimited(t *testing.T, limit int) *limitedServer {
	t.Helper()
	store, err := responder.New(responder.Options{Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &limitedServer{Listener: l, store: store, limit: limit, met: map[string]int64{}}
	s.wg.Go(func() {
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.wg.Go(func() {
				defer c.Close()
				s.serve(c.(*net.TCPConn), n%2 > 0)
			})
		}
	})
	return s
}

func (s *limitedServer) serve(c *net.TCPConn, late bool) {
	in := bufio.NewReader(c)
	for range s.limit {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		w := httptest.NewRecorder()
		s.store.ServeHTTP(w, r)
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		resp := w.Result()
		resp.Request, resp.ContentLength = r, int64(w.Body.Len())
		if text := resp.Header.Get("Content-Length"); text != "" {
			resp.ContentLength, _ = strconv.ParseInt(text, 10, 64)
		}
		if err := resp.Write(c); err != nil {
			return
		}
	}
	if !late {
		_ = c.CloseWrite()
	}
	// Claims and probes are read too, and not measured.
	if r, err := http.ReadRequest(in); err == nil && strings.HasSuffix(r.URL.Path, ".rnd") {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.met[r.Method]++
	}
}

// end returns how many requests with a method met an end. All clients are gone.
func (s *limitedServer) end(method string) int64 {
	_ = s.Close()
	s.wg.Wait()
	return s.met[method]
}

// TestRulerKeepAliveLimit: the recording has as many resent requests as the server saw over connections that it had closed, and text and
// JSON count the operations of these requests alike, with either engine. None fails.
func TestRulerKeepAliveLimit(t *testing.T) {
	t.Parallel()
	for kind, method := range map[op.Kind]string{op.Get: http.MethodGet, op.Stat: http.MethodHead, op.Put: http.MethodPut} {
		for _, engine := range []string{"lean", "std"} {
			t.Run(fmt.Sprintf("%s/%s", kind, engine), func(t *testing.T) {
				const operations = 2000
				s, file := startLimited(t, 50), filepath.Join(t.TempDir(), "run")
				env, text := testEnv(strings.ToLower(string(kind)), "--host="+s.Addr().String(), "--access-key=a", "--secret-key=b", "--engine="+engine, "--concurrent=4",
					"--obj.size=4KiB", fmt.Sprintf("--ops=%d", operations), "--benchdata="+file)
				if kind != op.Put {
					env.Args = append(env.Args, "--objects=100")
				}
				if code := Main(env); code != process.ExitOK {
					t.Fatalf("exit code %d\n%s", code, text)
				}
				met := s.end(method)
				requests, resent := recordedResent(t, file+".csv.zst", kind)
				if requests != met || met == 0 {
					t.Errorf("%d requests are recorded as sent again, the server had %d over connections that it had closed", requests, met)
				}
				if said := fmt.Sprintf("%s: %d of %d operations met a connection that the server had closed", kind, resent, operations); !strings.Contains(text.String(), said) {
					t.Errorf("the report does not say %q:\n%s", said, text)
				}
				if got := reportedResent(t, file+".csv.zst", kind); got != resent {
					t.Errorf("%d operations are resent in JSON, %d in the recording", got, resent)
				}
				t.Logf("%d requests met a closed connection, in %d of %d operations", met, resent, operations)
			})
		}
	}
}

// recordedResent returns how many requests of a kind of operations were sent again, the preparation included, and of how many operations
// of the benchmark.
func recordedResent(t *testing.T, name string, kind op.Kind) (requests, operations int64) {
	t.Helper()
	for _, o := range readRecording(t, name) {
		if o.Failed() {
			t.Errorf("%s: %s", o.Kind, o.Err)
		}
		if o.Kind != kind {
			continue
		}
		if requests += int64(o.Resent); o.Resent > 0 && o.Phase != op.PhasePrepare {
			operations++
		}
	}
	return requests, operations
}

func reportedResent(t *testing.T, name string, kind op.Kind) int64 {
	t.Helper()
	env, out := testEnv("analyze", "--json", name)
	if code := Main(env); code != process.ExitOK {
		t.Fatalf("exit code %d", code)
	}
	var report struct {
		Operations []struct {
			Op     op.Kind
			Phase  string
			Resent int64
		}
	}
	if err := json.NewDecoder(bytes.NewReader(out.Bytes())).Decode(&report); err != nil {
		t.Fatal(err)
	}
	for _, o := range report.Operations {
		if o.Op == kind && o.Phase != op.PhasePrepare {
			return o.Resent
		}
	}
	t.Fatalf("no %s in %s", kind, out)
	return 0
}

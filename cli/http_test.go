package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"warp/cli/internal/process"
	"warp/internal/responder"
	"warp/view/page"
)

// served is a run with --http in this process.
type served struct {
	t      *testing.T
	screen *buffer
	out    func() string
	code   chan int
	url    string
	env    process.Env
}

// startStore starts a store for a test in a directory of its own, after which no goroutine may be left.
func startStore(t *testing.T) *responder.Server {
	t.Helper()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		goleak.VerifyNone(t)
	})
	t.Chdir(t.TempDir())
	server, err := responder.New(responder.Options{Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return server
}

// startServed starts warp against a server of its own, and waits for the address of the page.
func startServed(t *testing.T, args ...string) *served {
	t.Helper()
	server := startStore(t)
	env, out := testEnv(append(args, "--host="+server.Host(), "--access-key=a", "--secret-key=b", "--objects=20", "--obj.size=4KiB", "--concurrent=2", "--benchdata=run", "--http=:0")...)
	env.Signals = make(chan os.Signal, 4)
	s := &served{t: t, screen: &buffer{}, code: make(chan int, 1), env: env}
	env.Stderr = s.screen
	s.out = out.String
	go func() { s.code <- Main(env) }()
	s.address()
	return s
}

var addressLine = regexp.MustCompile(`Serving (http://127\.0\.0\.1:\d+/)`)

// address waits for the address of the page.
func (s *served) address() {
	s.t.Helper()
	s.wait("its address", func() bool {
		if m := addressLine.FindStringSubmatch(s.screen.String()); m != nil {
			s.url = m[1]
		}
		return s.url != ""
	})
}

// wait waits for something that the run does.
func (s *served) wait(what string, done func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("no %s: %s", what, s.screen.String())
		}
	}
}

// get returns what is served at a path.
func (s *served) get(path string) string {
	s.t.Helper()
	res, err := http.Get(s.url + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: %s, %v, %s", path, res.Status, err, text)
	}
	return string(text)
}

// operationRow is a part of what a report says of a kind of operations.
type operationRow struct {
	Op       string `json:"op"`
	Phase    string `json:"phase"`
	Requests int64  `json:"requests"`
}

// chartRow is a part of the charts of a kind of operations.
type chartRow struct {
	Op  string    `json:"op"`
	P50 []float64 `json:"p50"`
}

// frame is a part of what a page gets.
type frame struct {
	Live   page.Live `json:"live"`
	Report struct {
		Incomplete []string       `json:"incomplete"`
		Operations []operationRow `json:"operations"`
	} `json:"report"`
	Charts []chartRow `json:"charts"`
}

// frames opens the page's stream.
func (s *served) frames() (next func() (frame, bool)) {
	s.t.Helper()
	res, err := http.Get(s.url + "events")
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { res.Body.Close() })
	in := bufio.NewReader(res.Body)
	return func() (f frame, ok bool) {
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return f, false
			}
			if data, is := strings.CutPrefix(line, "data: "); is {
				if err := json.Unmarshal([]byte(data), &f); err != nil {
					s.t.Fatal(err)
				}
				return f, true
			}
		}
	}
}

// TestLivePage follows a run that would take hours, and stops it from the page: the page gets figures while it goes on, then the final
// report, and the process ends as after an interrupt.
func TestLivePage(t *testing.T) {
	s := startServed(t, "get", "--think=2ms", "--duration=10h")
	next := s.frames()
	var f frame
	for measured := false; !measured; {
		var ok bool
		if f, ok = next(); !ok {
			t.Fatalf("the stream ends: %s", s.screen.String())
		}
		for _, c := range f.Charts {
			measured = measured || c.Op == "GET" && len(c.P50) >= 2
		}
	}
	if f.Live.State != page.Running || !f.Live.Stop || f.Live.Stage != "Benchmarking get" || len(f.Live.Rates) != 1 || f.Live.Duration != 36000 || len(f.Report.Incomplete) != 1 {
		t.Errorf("live: %+v", f)
	}
	for path, want := range map[string]string{
		"metrics": `warp_requests_total{host="http://127.0.0.1:`, "healthz": "ok", "api/v1/snapshot": `"command": "get"`, "report.html": "default-src 'none'", "": `<script type="application/json" id="data">{`,
	} {
		if text := s.get(path); !strings.Contains(text, want) {
			t.Errorf("%s lacks %s: %.400s", path, want, text)
		}
	}
	stop, _ := http.NewRequest("POST", s.url+"stop", nil)
	stop.Header.Set("X-Warp-Request", "stop")
	if res, err := http.DefaultClient.Do(stop); err != nil || res.StatusCode != http.StatusAccepted {
		t.Fatal(res, err)
	} else {
		res.Body.Close()
	}
	for g, ok := next(); ok; g, ok = next() {
		f = g
	}
	if f.Live.State != page.Over {
		t.Errorf("the stream ends with %s", f.Live.State)
	}
	if code := <-s.code; code != process.ExitInterrupted {
		t.Errorf("exit code %d", code)
	}
	if !strings.Contains(s.screen.String(), "Stopped from the page: ") || !strings.Contains(s.out(), "Operation: GET") {
		t.Errorf("%s\n%s", s.screen.String(), s.out())
	}
	again, out := testEnv("analyze", "--json", "run.csv.zst")
	var want frame
	if code := Main(again); code != process.ExitOK {
		t.Fatalf("analyze: %d", code)
	}
	if err := json.Unmarshal(out.Bytes(), &want.Report); err != nil {
		t.Fatal(err)
	}
	for i, o := range want.Report.Operations {
		if f.Report.Operations[i] != o {
			t.Errorf("the last page has %+v, the report %+v", f.Report.Operations[i], o)
		}
	}
}

// TestLinger: after the run its report and metrics are served until an interrupt.
func TestLinger(t *testing.T) {
	s := startServed(t, "get", "--ops=200", "--http-linger=10h", "--json")
	s.wait("lingering", func() bool { return strings.Contains(s.screen.String(), "for 10h0m0s more.") })
	if snapshot := s.get("api/v1/snapshot"); snapshot != s.out() {
		t.Errorf("the snapshot is not the report:\n%.500s\n%.500s", snapshot, s.out())
	}
	if text := s.get("metrics"); !regexp.MustCompile(`warp_requests_total\{[^}]*op="GET",stage="benchmark",status="200"\} 200\n`).MatchString(text) || strings.Contains(text, "warp_phase_info{") {
		t.Errorf("metrics: %s", text)
	}
	s.env.Signals <- os.Interrupt
	if code := <-s.code; code != process.ExitOK {
		t.Errorf("exit code %d", code)
	}
}

// TestServedRecording: analyze serves the report of a recording until an interrupt.
func TestServedRecording(t *testing.T) {
	s := startServed(t, "get", "--ops=300")
	if code := <-s.code; code != process.ExitOK {
		t.Fatal(code)
	}
	env, out := testEnv("analyze", "--json", "--http=:0", "run.csv.zst")
	env.Signals = make(chan os.Signal, 4)
	s.screen, s.out, s.env, s.url = &buffer{}, out.String, env, ""
	env.Stderr = s.screen
	go func() { s.code <- Main(env) }()
	s.address()
	s.wait("its report", func() bool { return strings.Count(s.screen.String(), "Serving ") == 2 })
	if snapshot := s.get("api/v1/snapshot"); snapshot != s.out() {
		t.Errorf("the snapshot is not the report:\n%.500s\n%.500s", snapshot, s.out())
	}
	if f, ok := s.frames()(); !ok || f.Live.State != page.Over || len(f.Charts) != 2 {
		t.Errorf("the page has %+v", f)
	}
	env.Signals <- os.Interrupt
	if code := <-s.code; code != process.ExitOK {
		t.Errorf("exit code %d", code)
	}
	wrong, _ := testEnv("analyze", "--http=:0", "none.csv.zst")
	if code := Main(wrong); code != process.ExitFailed {
		t.Errorf("a recording that is not there: exit code %d", code)
	}
}

// TestClientPage: a client serves the runs that it performs, one after the other.
func TestClientPage(t *testing.T) {
	server := startStore(t)
	s, client := serveRuns(t, "--http=:0", "--keep=1")
	s.address()
	for i, n := range []string{"200", "300"} {
		run, _ := testEnv("get", "--warp-client="+client, "--host="+server.Host(), "--access-key=a", "--secret-key=b", "--objects=20", "--obj.size=4KiB", "--concurrent=2", "--ops="+n, "--stress", "-q")
		if code := Main(run); code != process.ExitOK {
			t.Fatalf("run %d: exit code %d: %s", i, code, s.screen.String())
		}
		s.wait("end of the run", func() bool { return strings.Count(s.screen.String(), " is over.") == i+1 })
		if f, ok := s.frames()(); !ok || f.Live.State != page.Over || f.Live.Stop || !slices.ContainsFunc(f.Report.Operations, func(o operationRow) bool { return o.Op == "GET" && strconv.FormatInt(o.Requests, 10) == n }) {
			t.Errorf("run %d: %+v", i, f)
		}
	}
	if text := s.get("metrics"); !regexp.MustCompile(`warp_requests_total\{[^}]*op="GET",stage="benchmark",status="200"\} 500\n`).MatchString(text) {
		t.Errorf("metrics: %s", text)
	}
	s.env.Signals <- os.Interrupt
	if code := <-s.code; code != process.ExitOK && code != process.ExitInterrupted {
		t.Errorf("exit code %d", code)
	}
}

// TestHTTPFlags: what is wrong is said before anything is sent.
func TestHTTPFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if err := os.WriteFile("short", []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("empty", []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"--http=8090":                       `warp: --http: invalid value "8090" (want an address such as 127.0.0.1:8090, or :0 for any free port of this machine)`,
		"--http=0.0.0.0:0":                  "warp: --http: 0.0.0.0:0 can be reached from other machines, which needs a token (--http-token-file, or WARP_HTTP_TOKEN)",
		"--http=" + taken.Addr().String():   "warp: --http: " + taken.Addr().String() + " cannot be listened on: address already in use",
		"--http=:0 --http-token-file=none":  "warp: --http-token-file: open none: ",
		"--http=:0 --http-token-file=short": "warp: --http-token-file: the token has 6 characters, want at least 16",
		"--http=:0 --http-token-file=empty": "warp: --http-token-file: empty holds no token",
		"--http-linger=30s":                 "warp: --http-linger: nothing is served without --http",
		"--http-token-file=short":           "warp: --http-token-file: nothing is served without --http",
		"--push-interval=3s":                "warp: --push-interval: nothing is sent without --otlp, --remote-write or --influxdb",
		"--otlp=http://h --push-interval=0": "warp: --push-interval: invalid value 0s (want at least 1s)",
		"--http=:0 --http-linger=-1s":       `warp: --http-linger: invalid value -1s (want 0 or more)`,
	} {
		var screen buffer
		env, _ := testEnv(append([]string{"get", "--host=127.0.0.1:1", "--access-key=a", "--secret-key=b"}, strings.Fields(args)...)...)
		env.Stderr = &screen
		if code := Main(env); code != process.ExitUsage || !strings.HasPrefix(screen.String(), want) || strings.Count(screen.String(), "\n") != 1 {
			t.Errorf("%s: exit code %d, %s", args, code, screen.String())
		}
	}
}

package web

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warp/internal/guard"
)

// numbered is a source whose data is a number that grows.
type numbered struct {
	n    atomic.Int64
	fill string // makes data long
}

func (s *numbered) Data() ([]byte, error) {
	return fmt.Appendf(nil, `{"n":%d%s}`, s.n.Load(), s.fill), nil
}

func (s *numbered) WriteReport(w io.Writer) error {
	_, err := io.WriteString(w, "<html>")
	return err
}

func (s *numbered) WriteJSON(w io.Writer) error {
	_, err := io.WriteString(w, `{"version":1}`)
	return err
}

const token = "0123456789abcdef"

// serve starts a server, which ends with the test.
func serve(t *testing.T, o Options, source Source) *Server {
	t.Helper()
	if o.Addr == "" {
		o.Addr = ":0"
		if o.Token != "" {
			o.Addr = "127.0.0.1:0"
		}
	}
	s, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Serve(source)
	t.Cleanup(func() {
		s.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return s
}

// request sends a request, whose response is read to its end.
func request(t *testing.T, s *Server, method, path string, change func(*http.Request)) (status int, body string, header http.Header) {
	t.Helper()
	r, err := http.NewRequest(method, strings.TrimSuffix(s.URL(), "/")+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	res, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text), res.Header
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func TestPaths(t *testing.T) {
	metrics := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "warp_up 1\n") })
	s := serve(t, Options{Title: "warp <get>", Metrics: metrics}, &numbered{})
	for path, want := range map[string]string{
		"/": "<title>warp &lt;get&gt;</title>", "/healthz": "ok", "/metrics": "warp_up 1", "/api/v1/snapshot": `{"version":1}`, "/report.html": "<html>",
	} {
		status, body, h := request(t, s, "GET", path, nil)
		if status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d, %.200q", path, status, body)
		}
		policy := h.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; script-src 'sha256-") || !strings.Contains(policy, "connect-src 'self'; form-action 'self'; frame-ancestors 'none'") || h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: headers %v", path, h)
		}
	}
	for path, want := range map[string]int{"/other": 404, "/events/": 404, "/stop": 405} {
		if status, _, _ := request(t, s, "GET", path, nil); status != want {
			t.Errorf("GET %s: %d, want %d", path, status, want)
		}
	}
}

// A page of another site whose name leads to this machine is not served.
func TestNameOfAnotherSite(t *testing.T) {
	s := serve(t, Options{}, &numbered{})
	_, port, _ := net.SplitHostPort(s.listener.Addr().String())
	for host, want := range map[string]int{
		"127.0.0.1:" + port: 200, "localhost:" + port: 200, "LOCALHOST": 200, "[::1]:" + port: 200, "127.8.8.8": 200,
		"evil.example:" + port: 421, "evil.example": 421, "localhost.evil.example": 421, "10.0.0.1": 421, "127.0.0.1.evil.example": 421,
	} {
		for _, path := range []string{"/", "/healthz", "/api/v1/snapshot"} {
			status, _, _ := request(t, s, "GET", path, func(r *http.Request) { r.Host = host })
			if status != want {
				t.Errorf("%s of host %q: %d, want %d", path, host, status, want)
			}
		}
	}
}

// TestToken: with a token nothing but the health is told without it, and it is taken in a header or by the form, never in the address.
func TestToken(t *testing.T) {
	s := serve(t, Options{Token: token}, &numbered{})
	for _, path := range []string{"/", "/events", "/api/v1/snapshot", "/report.html", "/api/v1/snapshot?token=" + token, "/?token=" + token} {
		if status, body, _ := request(t, s, "GET", path, nil); status != 401 || strings.Contains(body, `"n"`) || strings.Contains(body, "version") {
			t.Errorf("%s without the token: %d, %.200q", path, status, body)
		}
	}
	if status, _, _ := request(t, s, "POST", "/stop", header("X-Warp-Request", "stop")); status != 401 {
		t.Errorf("stopped without the token: %d", status)
	}
	if status, _, _ := request(t, s, "GET", "/healthz", nil); status != 200 {
		t.Errorf("health: %d", status)
	}
	for value, want := range map[string]int{"Bearer " + token: 200, "Bearer " + token + "x": 401, "Bearer": 401, "Basic " + token: 401, "bearer x": 401} {
		if status, _, _ := request(t, s, "GET", "/api/v1/snapshot", header("Authorization", value)); status != want {
			t.Errorf("Authorization: %s: %d, want %d", value, status, want)
		}
	}
	if status, body, _ := request(t, s, "GET", "/", nil); status != 401 || !strings.Contains(body, `<form method="post" action="/login">`) {
		t.Errorf("no form: %d, %s", status, body)
	}
	login := func(with string) (int, http.Header) {
		res, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).PostForm(s.URL()+"login", url.Values{"token": {with}})
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode, res.Header
	}
	if status, h := login("wrong"); status != 401 || h.Get("Set-Cookie") != "" {
		t.Errorf("a wrong token gets %d, %v", status, h)
	}
	status, h := login(token)
	cookie := h.Get("Set-Cookie")
	if status != http.StatusSeeOther || h.Get("Location") != "/" || !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Strict") || strings.Contains(cookie, token) {
		t.Fatalf("the token gets %d, %v", status, h)
	}
	value, _, _ := strings.Cut(cookie, ";")
	name, _, _ := strings.Cut(value, "=")
	if name != cookieOf(s) {
		t.Errorf("the cookie is %q, want one for this port alone", name)
	}
	if status, body, _ := request(t, s, "GET", "/", header("Cookie", value)); status != 200 || !strings.Contains(body, `{"n":0}`) {
		t.Errorf("with the cookie: %d, %.200s", status, body)
	}
	if status, _, _ := request(t, s, "GET", "/", header("Cookie", name+"=0123")); status != 401 {
		t.Errorf("with another cookie: %d", status)
	}
}

// cookieOf is the name of a server's cookie.
func cookieOf(s *Server) string {
	_, port, _ := net.SplitHostPort(s.listener.Addr().String())
	return "warp_session_" + port
}

// TestGuesses: after some wrong tokens an address is not even told whether one is right; who has logged in goes on.
func TestGuesses(t *testing.T) {
	s, err := Listen(Options{Addr: "127.0.0.1:0", Token: token})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now()
	s.listener.(*guarded).guard = guard.New(maxReaders, func() time.Time { return at }) // its time stands still
	s.Serve(&numbered{})
	t.Cleanup(s.Close)
	for range guard.FailuresSource {
		if status, _, _ := request(t, s, "GET", "/metrics", header("Authorization", "Bearer guess")); status != 401 {
			t.Fatalf("a guess gets %d", status)
		}
	}
	if status, _, _ := request(t, s, "GET", "/api/v1/snapshot", header("Authorization", "Bearer "+token)); status != 429 {
		t.Errorf("the next one gets %d", status)
	}
	if status, _, _ := request(t, s, "GET", "/api/v1/snapshot", header("Cookie", cookieOf(s)+"="+s.lock.session)); status != 200 {
		t.Errorf("who has logged in gets %d", status)
	}
}

// TestStop: only the page itself can stop the run, not one of another site.
func TestStop(t *testing.T) {
	var stopped atomic.Int64
	s := serve(t, Options{Stop: func() bool { stopped.Add(1); return true }}, &numbered{})
	for name, change := range map[string]func(*http.Request){
		"without the header": nil,
		"from another site": func(r *http.Request) {
			r.Header.Set("X-Warp-Request", "stop")
			r.Header.Set("Sec-Fetch-Site", "cross-site")
		},
		"another origin": func(r *http.Request) {
			r.Header.Set("X-Warp-Request", "stop")
			r.Header.Set("Origin", "http://evil.example")
		},
	} {
		if status, _, _ := request(t, s, "POST", "/stop", change); status != 403 || stopped.Load() != 0 {
			t.Errorf("%s: %d, stopped %d times", name, status, stopped.Load())
		}
	}
	if status, _, _ := request(t, s, "OPTIONS", "/stop", header("Origin", "http://evil.example")); status < 400 {
		t.Errorf("another site may ask: %d", status)
	}
	if status, _, _ := request(t, s, "POST", "/stop", func(r *http.Request) {
		r.Header.Set("X-Warp-Request", "stop")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}); status != 202 || stopped.Load() != 1 {
		t.Errorf("%d, stopped %d times", status, stopped.Load())
	}
	if status, _, _ := request(t, serve(t, Options{}, &numbered{}), "POST", "/stop", header("X-Warp-Request", "stop")); status != 409 {
		t.Errorf("a run that cannot be stopped: %d", status)
	}
}

// pages opens a stream of events, and returns what reads the next one.
func pages(t *testing.T, s *Server) (next func() (string, error)) {
	t.Helper()
	res, err := http.Get(s.URL() + "events")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	in := bufio.NewReader(res.Body)
	return func() (string, error) {
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return "", err
			}
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				return strings.TrimSuffix(data, "\n"), nil
			}
		}
	}
}

// TestPagesFollow: pages get what is newest, and the last data before the server ends.
func TestPagesFollow(t *testing.T) {
	source := &numbered{}
	s := serve(t, Options{}, source)
	one, two := pages(t, s), pages(t, s)
	for _, next := range []func() (string, error){one, two} {
		if got, err := next(); err != nil || got != `{"n":0}` {
			t.Fatalf("first: %s, %v", got, err)
		}
	}
	source.n.Store(1)
	s.Changed()
	for _, next := range []func() (string, error){one, two} {
		if got, err := next(); err != nil || got != `{"n":1}` {
			t.Fatalf("second: %s, %v", got, err)
		}
	}
	source.n.Store(2)
	s.Close()
	for _, next := range []func() (string, error){one, two} {
		if got, err := next(); err != nil || got != `{"n":2}` {
			t.Errorf("last: %s, %v", got, err)
		}
		if got, err := next(); err != io.EOF {
			t.Errorf("after the last: %s, %v", got, err)
		}
	}
}

// neverReads opens a stream of events that nobody reads.
func neverReads(t *testing.T, s *Server) {
	t.Helper()
	conn, err := net.Dial("tcp", s.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
}

// TestReaderThatNeverReads: it holds nothing up. The others get all, and it none of what it does not take.
func TestReaderThatNeverReads(t *testing.T) {
	source := &numbered{fill: `,"fill":"` + strings.Repeat("x", 1<<20) + `"`}
	s := serve(t, Options{}, source)
	neverReads(t, s)
	next := pages(t, s)
	for n := range int64(30) { // the buffers of the system hold some megabytes
		source.n.Store(n)
		s.publish() // would block if anything did
		want := fmt.Sprintf(`{"n":%d,`, n)
		for got := ""; !strings.HasPrefix(got, want); {
			var err error
			if got, err = next(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestReaderThatNeverReadsIsCutOff: its connection does not stay for ever.
func TestReaderThatNeverReadsIsCutOff(t *testing.T) {
	source := &numbered{fill: `,"fill":"` + strings.Repeat("x", 1<<20) + `"`}
	s := serve(t, Options{}, source)
	s.streams.writeTime = 20 * time.Millisecond
	neverReads(t, s)
	for deadline := time.Now().Add(time.Minute); s.streams.none(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it is not served")
		}
	}
	for deadline := time.Now().Add(time.Minute); !s.streams.none(); s.publish() {
		if time.Now().After(deadline) {
			t.Fatal("it is still served")
		}
	}
}

func TestTooManyPages(t *testing.T) {
	s := serve(t, Options{}, &numbered{})
	for range maxStreams {
		if _, err := pages(t, s)(); err != nil {
			t.Fatal(err)
		}
	}
	if status, _, _ := request(t, s, "GET", "/events", nil); status != 503 {
		t.Errorf("one more: %d", status)
	}
	if status, _, _ := request(t, s, "GET", "/api/v1/snapshot", nil); status != 200 {
		t.Errorf("another request: %d", status)
	}
}

func TestAddresses(t *testing.T) {
	taken := serve(t, Options{}, &numbered{})
	for addr, want := range map[string]string{
		"":                             `invalid value "" (want an address such as 127.0.0.1:8090`,
		"8090":                         `invalid value "8090" (want an address such as 127.0.0.1:8090`,
		"0.0.0.0:0":                    "0.0.0.0:0 can be reached from other machines, which needs a token",
		"example.com:80":               "example.com:80 can be reached from other machines, which needs a token",
		"127.0.0.1:99999":              "invalid port",
		taken.listener.Addr().String(): "address already in use",
	} {
		s, err := Listen(Options{Addr: addr})
		if err == nil {
			s.Close()
			t.Errorf("%q is accepted", addr)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", addr, err, want)
		}
	}
	for addr, o := range map[string]Options{"127.0.0.1": {Addr: ":0"}, "[::]": {Addr: ":0", Token: token}} {
		s, err := Listen(o)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(s.URL(), "http://"+addr+":") {
			t.Errorf("%q with token %q listens on %s", o.Addr, o.Token, s.URL())
		}
		s.Close()
	}
}

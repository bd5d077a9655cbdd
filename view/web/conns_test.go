package web

import (
	"bufio"
	"net"
	"net/http"
	"testing"

	"warp/internal/guard"
)

// line is a connection for several requests.
type line struct {
	net.Conn
	in *bufio.Reader
}

func open(t *testing.T, s *Server) *line {
	t.Helper()
	conn, err := net.Dial("tcp", s.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &line{conn, bufio.NewReader(conn)}
}

// get sends a request and returns the status of its response, 0 if the connection is closed.
func (l *line) get(t *testing.T, path string, change func(*http.Request)) int {
	t.Helper()
	r, err := http.NewRequest("GET", "http://localhost"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	if r.Write(l) != nil {
		return 0
	}
	res, err := http.ReadResponse(l.in, r)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	var b [4096]byte
	for err == nil {
		_, err = res.Body.Read(b[:])
	}
	return res.StatusCode
}

// serveTimeless is serve, without limits of time, so that nothing ends connections but their number.
func serveTimeless(t *testing.T, o Options) *Server {
	t.Helper()
	s, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	s.http.ReadHeaderTimeout, s.http.ReadTimeout, s.http.IdleTimeout = 0, 0, 0
	s.Serve(&numbered{})
	t.Cleanup(s.Close)
	return s
}

// TestIdleConnections: sockets of strangers that say nothing, or keep a connection after a request that anybody may send, hold up nobody.
func TestIdleConnections(t *testing.T) {
	for _, o := range []Options{{Addr: ":0"}, {Addr: "127.0.0.1:0", Token: token}} {
		s := serveTimeless(t, o)
		bearer := header("Authorization", "Bearer "+token)
		reader := open(t, s)
		if status := reader.get(t, "/api/v1/snapshot", bearer); status != 200 {
			t.Fatalf("a reader gets %d", status)
		}
		for i := range 300 {
			if idle := open(t, s); i%3 == 0 {
				idle.get(t, "/healthz", nil) // no room for this one would be no fault: others follow
			}
		}
		if status := open(t, s).get(t, "/api/v1/snapshot", bearer); status != 200 {
			t.Errorf("a new reader gets %d", status)
		}
		if status := reader.get(t, "/api/v1/snapshot", bearer); status != 200 {
			t.Errorf("a reader who was there before gets %d", status)
		}
		if n := s.guard.Unproved(); n > guard.UnprovedSource {
			t.Errorf("%d strangers at a time", n)
		}
	}
}

// TestTooManyReaders: those who may look have a limit too, which leaves room for the question whether the server is there.
func TestTooManyReaders(t *testing.T) {
	s := serveTimeless(t, Options{Addr: ":0"})
	for range maxReaders {
		if status := open(t, s).get(t, "/api/v1/snapshot", nil); status != 200 {
			t.Fatalf("a reader gets %d", status)
		}
	}
	if status := open(t, s).get(t, "/api/v1/snapshot", nil); status != 503 {
		t.Errorf("one more gets %d", status)
	}
	if status := open(t, s).get(t, "/healthz", nil); status != 200 {
		t.Errorf("the health: %d", status)
	}
}

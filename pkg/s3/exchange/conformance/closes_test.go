package conformance

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/s3/exchange"
)

// closing says how a server ends a connection after its last response.
type closing struct {
	name string
	end  func(c net.Conn, raw *net.TCPConn)
	// met: what comes after the end is read, so that the server knows of each request that met a closed connection
	met bool
}

var closings = []closing{
	{"silently", func(_ net.Conn, raw *net.TCPConn) { _ = raw.CloseWrite() }, true},
	{"after the end of TLS", func(c net.Conn, raw *net.TCPConn) {
		if secure, ok := c.(interface{ CloseWrite() error }); ok {
			_ = secure.CloseWrite()
		}
		_ = raw.CloseWrite()
	}, true},
	{"at once", func(_ net.Conn, raw *net.TCPConn) { _ = raw.Close() }, false},
	{"by a reset", func(_ net.Conn, raw *net.TCPConn) { _ = raw.SetLinger(0); _ = raw.Close() }, false},
}

// TestCloses: a server closes each connection after its n-th response without saying so. No request fails, whatever its method and
// body, and those that met a closed connection are counted.
func TestCloses(t *testing.T) {
	kinds := []exchange.Request{
		{Method: "GET"},
		{Method: "HEAD"},
		{Method: "DELETE"},
		{Method: "POST"},
		{Method: "PUT", Size: 4 << 10},
		{Method: "PUT", Size: 1 << 20},
		{Method: "PUT", Size: 1 << 20, Expect: true},
	}
	number := 0
	for _, e := range engines {
		for _, secure := range []bool{false, true} {
			for _, how := range closings {
				for _, n := range []int{1, 2, 5, 20} { // neither engine counts the requests of a connection
					for _, q := range kinds {
						name := fmt.Sprintf("%s/TLS=%v/%s/%d/%s %d %v", e.name, secure, how.name, n, q.Method, q.Size, q.Expect)
						if number++; testkit.InTurn(t, number) {
							t.Run(name, func(t *testing.T) { closes(t, e.make, secure, how, n, q) })
						}
					}
				}
			}
		}
	}
}

func closes(t *testing.T, client func(testing.TB, *server) (exchange.Client, func()), secure bool, how closing, n int, q exchange.Request) {
	var answered, met, ended atomic.Int64
	s := serve(t, secure, func(s *server, raw *net.TCPConn) {
		c := s.secured(raw)
		in := bufio.NewReader(c)
		defer ended.Add(1)
		for range n {
			r, err := request(in, c)
			if err != nil {
				return
			}
			length := 5
			if r.Method == "HEAD" {
				length = 0
			}
			answered.Add(1)
			if _, err := fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n%s", "hello"[:length]); err != nil {
				return
			}
		}
		how.end(c, raw)
		if _, err := in.ReadByte(); err == nil {
			met.Add(1)
		}
	})
	c, end := client(t, s)
	if q.Size > 0 {
		q.Body = strings.NewReader(strings.Repeat("x", int(q.Size)))
	}
	requests, resent, connected := max(2*n+3, 12), 0, 0
	for i := range requests {
		if err := c.Do(t.Context(), 0, &q); err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
		if _, err := io.Copy(io.Discard, c); err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
		c.Finish()
		resent += c.Result().Resent
		if c.Result().Connected {
			connected++
		}
	}
	closed := (requests - 1) / n // each followed by a request
	for end(); ended.Load() < s.made.Load(); {
		time.Sleep(time.Millisecond)
	}
	if answered.Load() != int64(requests) || connected != 1+closed {
		t.Errorf("%d of %d requests are answered, over %d connections (want %d)", answered.Load(), requests, connected, 1+closed)
	}
	if how.met && int64(resent) != met.Load() || resent > closed {
		t.Errorf("%d resent; %d requests met one of %d closed connections", resent, met.Load(), closed)
	}
}

// TestClosesForGood: a request that meets a closed connection, and cannot be sent again since the server is gone, fails for that reason.
func TestClosesForGood(t *testing.T) {
	for _, e := range engines {
		for _, secure := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/TLS=%v", e.name, secure), func(t *testing.T) {
				s := serve(t, secure, func(s *server, raw *net.TCPConn) {
					c := s.secured(raw)
					in := bufio.NewReader(c)
					for n := range 2 {
						if _, err := request(in, c); err != nil {
							return
						}
						if n == 0 {
							_, _ = io.WriteString(c, fine(hello)[0])
							continue
						}
						s.gone()
					}
				})
				c, end := e.make(t, s)
				defer end()
				q := exchange.Request{Method: "GET"}
				if err := c.Do(t.Context(), 0, &q); err != nil {
					t.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, c); err != nil {
					t.Fatal(err)
				}
				c.Finish()
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				err := c.Do(ctx, 0, &q)
				if r := c.Result(); !errors.Is(err, syscall.ECONNREFUSED) || r.Resent > 0 || !r.FirstByte.IsZero() {
					t.Errorf("%v, resent %d, first byte %v; want a refused connection", err, r.Resent, r.FirstByte)
				}
			})
		}
	}
}

package lean

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warp/pkg/s3/exchange"
)

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

func put(t testing.TB, body string) *exchange.Request {
	return &exchange.Request{Method: "PUT", Key: "k", Body: strings.NewReader(body), Size: int64(len(body))}
}

// TestBodiesArrive sends bodies of sizes around the buffers'.
func TestBodiesArrive(t *testing.T) {
	var got bytes.Buffer
	s := serve(t, func(c net.Conn) {
		in := bufio.NewReader(c)
		for {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			got.Reset()
			if _, err := io.Copy(&got, r.Body); err != nil {
				return
			}
			_, _ = io.WriteString(c, ok)
		}
	})
	c := newTestClient(t, s.addr, nil)
	for _, size := range []int{0, 1, 4096, sendBuffer - 200, sendBuffer - 100, sendBuffer, sendBuffer + 1, 3*sendBuffer + 7, 10 << 20} {
		body := strings.Repeat("0123456789abcdef", size/16+1)[:size]
		o := try(t.Context(), c, put(t, body), 0)
		if o.err != nil || !o.kept || got.String() != body {
			t.Errorf("%d bytes: %+v, %d bytes readResult", size, o, got.Len())
		}
		if c.Sent.IsZero() || !c.FirstByte.After(c.Sent) || c.EarlyResponse {
			t.Errorf("%d bytes: sent %v, first byte %v, early %v", size, c.Sent, c.FirstByte, c.EarlyResponse)
		}
		if cap(c.out)+cap(c.in) > 90<<10 {
			t.Errorf("%d bytes: buffers of %d and %d bytes", size, cap(c.out), cap(c.in))
		}
	}
	if n := s.conns.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

// TestEarlyResponses are responses to a body that the server does not want to have, or not all of it.
func TestEarlyResponses(t *testing.T) {
	const denied = "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"
	tests := []struct {
		name   string
		handle func(c net.Conn, in *bufio.Reader)
		status int
		body   string
	}{
		{"and hangs up", func(c net.Conn, in *bufio.Reader) { _, _ = io.WriteString(c, denied) }, 403, "no"},
		{"and throws the rest away", func(c net.Conn, in *bufio.Reader) {
			_, _ = io.WriteString(c, denied)
			_, _ = io.Copy(io.Discard, in)
		}, 403, "no"},
		{"success", func(c net.Conn, in *bufio.Reader) {
			_, _ = io.WriteString(c, ok)
			_, _ = io.Copy(io.Discard, in)
		}, 200, ""},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			s := serve(t, func(c net.Conn) {
				in := bufio.NewReader(c)
				if _, err := http.ReadRequest(in); err == nil {
					tc.handle(c, in)
				}
			})
			c := newTestClient(t, s.addr, nil)
			o := try(t.Context(), c, put(t, strings.Repeat("x", 64<<20)), 0)
			if o.err != nil && tc.name == "and hangs up" && strings.Contains(o.err.Error(), "reset") {
				return // the reset overtook the response
			}
			if o.err != nil || o.status != tc.status || o.body != tc.body || c.EarlyResponse == !c.Sent.IsZero() || c.EarlyResponse && o.kept {
				t.Errorf("%+v, early %v, sent %v", o, c.EarlyResponse, c.Sent)
			}
		})
	}
}

// TestServerStopsReading responses early, leaves the connection open and takes no more of the body.
func TestServerStopsReading(t *testing.T) {
	done := make(chan struct{})
	s := serve(t, func(c net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			_, _ = io.WriteString(c, "HTTP/1.1 507 Full\r\nContent-Length: 0\r\n\r\n")
			<-done
		}
	})
	defer close(done)
	c := newTestClient(t, s.addr, nil)
	o := try(t.Context(), c, put(t, strings.Repeat("x", 64<<20)), 0)
	if o.err != nil || o.status != 507 || o.kept || !c.EarlyResponse {
		t.Errorf("%+v, early %v", o, c.EarlyResponse)
	}
}

// TestInterimWhileSending: an interim response does not end the upload.
func TestInterimWhileSending(t *testing.T) {
	s := serve(t, func(c net.Conn) {
		in := bufio.NewReader(c)
		for {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, "HTTP/1.1 100 Continue\r\n\r\n")
			n, err := io.Copy(io.Discard, r.Body)
			if err != nil || n != 20<<20 {
				return
			}
			_, _ = io.WriteString(c, ok)
		}
	})
	c := newTestClient(t, s.addr, nil)
	for range 2 {
		if o := try(t.Context(), c, put(t, strings.Repeat("x", 20<<20)), 0); o.err != nil || o.status != 200 || !o.kept || c.EarlyResponse {
			t.Errorf("%+v, early %v", o, c.EarlyResponse)
		}
	}
}

// TestClosedWhileIdle: a connection that the server closed after a response is replaced silently.
func TestClosedWhileIdle(t *testing.T) {
	bothSchemes(t, func(t *testing.T, start func(func(net.Conn)) (*scripted, *Client)) {
		closed := make(chan struct{}, 1)
		s, c := start(func(c net.Conn) {
			requests(c, func(int, *http.Request) bool {
				_, _ = io.WriteString(c, ok)
				_ = c.Close()
				closed <- struct{}{}
				return false
			})
		})
		for i := range 3 {
			for _, q := range []*exchange.Request{{Method: "GET", Key: "k"}, put(t, "x"), put(t, strings.Repeat("x", 1<<20))} {
				o := try(t.Context(), c, q, 0)
				if o.err != nil || o.status != 200 || !c.Connected || c.Connect <= 0 {
					t.Errorf("%d: %+v, connected %v in %v", i, o, c.Connected, c.Connect)
				}
				if o.err == nil {
					<-closed
				}
				waitFor(t, func() bool { return c.conn == nil || c.conn.canRead() })
			}
		}
		if n := s.conns.Load(); n != 9 {
			t.Errorf("%d connections for 9 requests", n)
		}
	})
}

// TestClosedAfterAPause: so is one that served several requests, and was closed while it was idle for longer.
func TestClosedAfterAPause(t *testing.T) {
	bothSchemes(t, func(t *testing.T, start func(func(net.Conn)) (*scripted, *Client)) {
		_, c := start(func(c net.Conn) {
			requests(c, func(n int, _ *http.Request) bool {
				_, err := io.WriteString(c, ok)
				return err == nil && n < 2
			})
		})
		for i := range 9 {
			if i > 0 && i%3 == 0 {
				waitFor(t, func() bool { return c.conn.canRead() })
				c.conn.last = c.conn.last.Add(-2 * staleAfter)
			}
			if o := try(t.Context(), c, &exchange.Request{Method: "GET", Key: "k"}, 0); o.err != nil || c.Connected != (i%3 == 0) {
				t.Errorf("%d: %+v, connected %v", i, o, c.Connected)
			}
		}
	})
}

func waitFor(t *testing.T, what func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !what(); {
		if time.Now().After(end) {
			t.Fatal("it does not happen")
		}
		time.Sleep(time.Millisecond)
	}
}

// TestClosedAfterRequest: a request that meets a reused connection which the server closes is sent again once, over a new connection;
// where that one is closed too, it is an error. It makes no difference whether the request has a body, and how long it is.
func TestClosedAfterRequest(t *testing.T) {
	bothSchemes(t, func(t *testing.T, start func(func(net.Conn)) (*scripted, *Client)) {
		for _, q := range []*exchange.Request{{Method: "GET"}, put(t, "x"), put(t, strings.Repeat("x", 1<<20)), {Method: "POST"}} {
			var dead atomic.Bool
			var n atomic.Int64
			s, c := start(func(c net.Conn) {
				requests(c, func(i int, _ *http.Request) bool {
					n.Add(1)
					if i == 0 && !dead.Load() {
						_, _ = io.WriteString(c, ok)
						return true
					}
					return false
				})
			})
			for i := range 4 {
				if o := try(t.Context(), c, q, 0); o.err != nil || c.Resent != min(i, 1) || !c.MaybeSent {
					t.Errorf("%s of %d, %d: %+v, resent %d, connected %v", q.Method, q.Size, i, o, c.Resent, c.Connected)
				}
			}
			dead.Store(true)
			if o := try(t.Context(), c, q, 0); !exchange.Closed(o.err) || c.Resent != 1 || o.kept {
				t.Errorf("%s of %d: %+v, resent %d", q.Method, q.Size, o, c.Resent)
			}
			if o := try(t.Context(), c, q, 0); !exchange.Closed(o.err) || c.Resent != 0 {
				t.Errorf("%s of %d over a new connection: %+v, resent %d", q.Method, q.Size, o, c.Resent)
			}
			if n.Load() != 4+3+2+1 || s.conns.Load() != 6 {
				t.Errorf("%s of %d: %d requests over %d connections", q.Method, q.Size, n.Load(), s.conns.Load())
			}
		}
	})
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		q          *exchange.Request
		want       string
		reads      bool
	}{
		{"no response", "", &exchange.Request{Method: "GET"}, "no response within", true},
		{"half a header", "HTTP/1.1 200 OK\r\n", &exchange.Request{Method: "GET"}, "no response within", true},
		{"half a body", "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nxyz", &exchange.Request{Method: "GET"}, "no more of the response within", true},
		{"half a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\nxyz", &exchange.Request{Method: "GET"}, "no more of the response within", true},
		{"takes nothing", "", put(t, strings.Repeat("x", 64<<20)), "no space for more of the request within", false},
	}
	for _, tc := range tests {
		for way := range 3 {
			done := make(chan struct{})
			s := serve(t, func(c net.Conn) {
				if tc.reads {
					if _, err := http.ReadRequest(bufio.NewReader(c)); err != nil {
						return
					}
				}
				_, _ = io.WriteString(c, tc.text)
				<-done
			})
			c := newTestClient(t, s.addr, func(o *Options) { o.FirstByte, o.Idle = 30*time.Millisecond, 40*time.Millisecond })
			o := try(t.Context(), c, tc.q, way)
			var silent *TimeoutError
			if !errors.As(o.err, &silent) || !strings.Contains(o.err.Error(), tc.want) || o.kept {
				t.Errorf("%s: %+v", tc.name, o)
			}
			ctx, cancel := context.WithCancel(t.Context())
			slow := newTestClient(t, s.addr, nil)
			timer := time.AfterFunc(30*time.Millisecond, cancel)
			if tc.q.Body != nil {
				tc.q.Body = strings.NewReader(strings.Repeat("x", 64<<20))
			}
			if o := try(ctx, slow, tc.q, way); !errors.Is(o.err, context.Canceled) || o.kept {
				t.Errorf("%s, cancelled: %+v", tc.name, o)
			}
			timer.Stop()
			if o := try(ctx, slow, tc.q, way); !errors.Is(o.err, context.Canceled) || s.conns.Load() > 2 {
				t.Errorf("%s, cancelled before: %+v, %d connections", tc.name, o, s.conns.Load())
			}
			close(done)
		}
	}
}

// TestSlowServer: the time limits are for silence, not for the whole, and an old deadline of the poller does
// not end a later exchange.
func TestSlowServer(t *testing.T) {
	t.Parallel()
	const limit, pieces = 3 * time.Second, 12 // a machine that stands still for two seconds passes
	s := serve(t, func(c net.Conn) {
		requests(c, func(int, *http.Request) bool {
			_, _ = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", pieces)
			for range pieces {
				time.Sleep(limit / 10)
				_, _ = io.WriteString(c, "x")
			}
			return true
		})
	})
	for way := range 3 {
		t.Run(strconv.Itoa(way), func(t *testing.T) {
			t.Parallel()
			c := newTestClient(t, s.addr, func(o *Options) { o.FirstByte, o.Idle = limit, limit })
			for range 2 {
				if o := try(t.Context(), c, &exchange.Request{Method: "GET"}, way); o.err != nil || !o.kept {
					t.Errorf("%+v", o)
				}
				time.Sleep(limit + limit/10) // the deadline passes while nothing is under way
			}
		})
	}
}

// TestContexts: an exchange is not disturbed by the end of the context of an earlier one.
func TestContexts(t *testing.T) {
	s := serve(t, respond("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"))
	c := newTestClient(t, s.addr, nil)
	for range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		if o := try(ctx, c, &exchange.Request{Method: "GET"}, 0); o.err != nil {
			t.Fatalf("%+v", o)
		}
		go cancel()
	}
	if n := s.conns.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

func TestBrokenBody(t *testing.T) {
	s := serve(t, respond(ok))
	c := newTestClient(t, s.addr, nil)
	for _, size := range []int64{10, 1 << 20} {
		q := put(t, "too short")
		q.Size = size
		if o := try(t.Context(), c, q, 0); !errors.Is(o.err, exchange.ErrBody) || o.kept {
			t.Errorf("%+v", o)
		}
	}
	if o := try(t.Context(), c, put(t, "x"), 0); o.err != nil {
		t.Errorf("%+v", o)
	}
}

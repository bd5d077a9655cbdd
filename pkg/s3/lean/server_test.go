package lean

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"warp/pkg/s3/exchange"
)

// scripted is a server that does as a test says with each connection.
type scripted struct {
	addr  string
	conns atomic.Int64
}

// serve calls handle for every connection, in a goroutine of its own, and closes it afterwards.
func serve(t testing.TB, handle func(c net.Conn)) *scripted {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &scripted{addr: l.Addr().String()}
	var wg sync.WaitGroup
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.conns.Add(1)
			mu.Lock()
			open[c] = true
			mu.Unlock()
			wg.Go(func() {
				handle(c)
				_ = c.Close()
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for c := range open {
			_ = c.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return s
}

// requests reads whole requests, bodies too, and calls response after each one until that is false.
func requests(c net.Conn, response func(n int, r *http.Request) bool) {
	in := bufio.NewReader(c)
	for n := 0; ; n++ {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil || !response(n, r) {
			return
		}
	}
}

// say responses every request with a text.
func respond(text string) func(net.Conn) {
	return func(c net.Conn) {
		requests(c, func(int, *http.Request) bool {
			_, err := io.WriteString(c, text)
			return err == nil
		})
	}
}

// overTLS makes a handler of connections one of TLS connections.
func overTLS(t testing.TB, handle func(net.Conn)) func(net.Conn) {
	t.Helper()
	certificate := httptest.NewUnstartedServer(nil)
	certificate.StartTLS()
	t.Cleanup(certificate.Close)
	return func(c net.Conn) {
		secure := tls.Server(c, certificate.TLS)
		handle(secure)
		_ = secure.Close()
	}
}

// useTLS makes a test client use TLS.
func useTLS(o *Options) { o.Targets[0].tls = &tls.Config{InsecureSkipVerify: true} }

// bothSchemes runs a test over plain TCP and over TLS.
func bothSchemes(t *testing.T, test func(t *testing.T, start func(func(net.Conn)) (*scripted, *Client))) {
	t.Run("plain", func(t *testing.T) {
		test(t, func(handle func(net.Conn)) (*scripted, *Client) {
			s := serve(t, handle)
			return s, newTestClient(t, s.addr, nil)
		})
	})
	t.Run("TLS", func(t *testing.T) {
		test(t, func(handle func(net.Conn)) (*scripted, *Client) {
			s := serve(t, overTLS(t, handle))
			return s, newTestClient(t, s.addr, useTLS)
		})
	})
}

func newTestClient(t testing.TB, addr string, change func(*Options)) *Client {
	t.Helper()
	target, err := NewTarget(TargetOptions{Address: addr, Host: addr, Path: "/bucket", Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Targets: []*Target{target}, FirstByte: 10 * time.Second, Idle: 10 * time.Second}
	if change != nil {
		change(&o)
	}
	c, err := NewClient(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// outcome is what came of an exchange.
type outcome struct {
	status int
	body   string
	err    error
	kept   bool // the connection
}

// try performs one exchange and reads the body in one of several ways.
func try(ctx context.Context, c *Client, q *exchange.Request, way int) (o outcome) {
	perform(ctx, func(ctx context.Context) { o = tryHere(ctx, c, q, way) })
	return o
}

// tryHere is try in the present goroutine or task.
func tryHere(ctx context.Context, c *Client, q *exchange.Request, way int) (o outcome) {
	o.err = c.Do(ctx, 0, q)
	if o.status = c.Status; o.err != nil {
		o.kept = c.conn != nil
		return o
	}
	switch way % 3 {
	case 0:
		var b []byte
		b, o.err = io.ReadAll(c)
		o.body = string(b)
	case 1:
		for {
			p, err := c.Next()
			if o.body += string(p); err == io.EOF {
				break
			} else if err != nil {
				o.err = err
				break
			}
		}
	case 2:
		var n int64
		n, o.err = c.Discard()
		o.body = string(make([]byte, n))
	}
	c.Finish()
	o.kept = c.conn != nil
	return o
}

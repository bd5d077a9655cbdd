package conformance

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"warp/pkg/s3/exchange"
	"warp/pkg/s3/lean"
	"warp/pkg/s3/std"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server does with each connection what a test says.
type server struct {
	addr string
	cert *tls.Config // nil: plain TCP
	made atomic.Int64
	gone func() // refuses connections from now on
}

// serve calls handle for each connection, raw, in a goroutine of its own, and closes it afterwards.
func serve(t testing.TB, secure bool, handle func(s *server, c *net.TCPConn)) *server {
	t.Helper()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	s := &server{addr: l.Addr().String(), gone: func() { _ = l.Close() }}
	if secure {
		https := httptest.NewUnstartedServer(nil)
		https.StartTLS()
		t.Cleanup(https.Close)
		s.cert = &tls.Config{Certificates: https.TLS.Certificates, NextProtos: []string{"http/1.1"}}
	}
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		open []net.Conn
	)
	wg.Go(func() {
		for {
			c, err := l.AcceptTCP()
			if err != nil {
				return
			}
			s.made.Add(1)
			mu.Lock()
			open = append(open, c)
			mu.Unlock()
			wg.Go(func() {
				handle(s, c)
				_ = c.Close()
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for _, c := range open {
			_ = c.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return s
}

// secured is the connection that requests come over.
func (s *server) secured(c *net.TCPConn) net.Conn {
	if s.cert == nil {
		return c
	}
	return tls.Server(c, s.cert)
}

// request reads a whole request from c, whose client may ask for permission to send the body.
func request(in *bufio.Reader, c io.Writer) (*http.Request, error) {
	r, err := http.ReadRequest(in)
	if err != nil {
		return nil, err
	}
	if r.Header.Get("Expect") != "" {
		if _, err := io.WriteString(c, "HTTP/1.1 100 Continue\r\n\r\n"); err != nil {
			return nil, err
		}
	}
	_, err = io.Copy(io.Discard, r.Body)
	return r, err
}

// patience is longer than any machine stands still.
const patience = 30 * time.Second

// engines make a client of each engine, and a function that closes its connections.
var engines = []struct {
	name string
	make func(t testing.TB, s *server) (exchange.Client, func())
}{{"lean", leanClient}, {"std", stdClient}}

func leanClient(t testing.TB, s *server) (exchange.Client, func()) {
	t.Helper()
	o := lean.TargetOptions{Address: s.addr, Host: s.addr, Path: "/bucket", Timeout: patience}
	if s.cert != nil {
		o.TLS = &tls.Config{InsecureSkipVerify: true}
	}
	target, err := lean.NewTarget(o)
	if err != nil {
		t.Fatal(err)
	}
	c, err := lean.NewClient(lean.Options{Targets: []*lean.Target{target}, FirstByte: patience, Idle: patience})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, c.Close
}

func stdClient(t testing.TB, s *server) (exchange.Client, func()) {
	o := std.TransportOptions{DialTimeout: patience, FirstByte: patience, Idle: patience}
	root := url.URL{Scheme: "http", Host: s.addr, Path: "/bucket"}
	if s.cert != nil {
		root.Scheme, o.TLS = "https", &tls.Config{InsecureSkipVerify: true}
	}
	transport := std.NewTransport(o)
	t.Cleanup(transport.CloseIdleConnections)
	c := std.NewClient(std.Options{Targets: []*std.Target{{URL: root, Transport: transport}}})
	return c, func() {
		c.Finish()
		transport.CloseIdleConnections()
	}
}

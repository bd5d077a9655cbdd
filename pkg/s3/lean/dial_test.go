package lean

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3/exchange"
)

func TestTLS(t *testing.T) {
	var resumed atomic.Int64
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS.DidResume {
			resumed.Add(1)
		}
		if r.ProtoMajor != 1 {
			t.Errorf("%s is spoken", r.Proto)
		}
		if strings.HasSuffix(r.URL.Path, "/no") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		n, _ := io.Copy(io.Discard, r.Body)
		_, _ = w.Write(make([]byte, n))
	}))
	defer s.Close()
	host := strings.TrimPrefix(s.URL, "https://")
	target, err := NewTarget(TargetOptions{Address: host, Host: host, TLS: &tls.Config{InsecureSkipVerify: true}, Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	for _, closing := range []bool{false, true} {
		c := newTestClient(t, host, func(o *Options) { o.Targets[0], o.Close = target, closing })
		for i, size := range []int{0, 1, 4096, 1 << 20, 5 << 20} {
			for way := range 3 {
				o := try(t.Context(), c, put(t, strings.Repeat("x", size)), way)
				if o.err != nil || o.status != 200 || len(o.body) != size || o.kept == closing || c.Connected != (closing || i+way == 0) {
					t.Errorf("%d bytes: status %d, %d bytes came back, %v, kept %v, connected %v", size, o.status, len(o.body), o.err, o.kept, c.Connected)
				}
			}
		}
		q := put(t, strings.Repeat("x", 30<<20))
		q.Key = "no"
		if o := try(t.Context(), c, q, 0); o.status != 403 {
			t.Errorf("refused: %+v", o)
		}
	}
	if resumed.Load() == 0 {
		t.Error("no session of TLS was resumed")
	}
}

// waiting is a body whose end waits for something.
type waiting struct {
	io.ReaderAt
	from int64
	on   <-chan struct{}
}

func (w waiting) ReadAt(p []byte, off int64) (int, error) {
	if off >= w.from {
		<-w.on
	}
	return w.ReaderAt.ReadAt(p, off)
}

// TestEarlyResponsesOverTLS come while a body is sent over a connection on which nothing was read yet but what TLS says by
// itself. The server then neither reads nor closes the connection. An interim response does not end the upload.
func TestEarlyResponsesOverTLS(t *testing.T) {
	const full = "HTTP/1.1 507 Full\r\nContent-Length: 0\r\n\r\n"
	for name, says := range map[string]string{"only tickets": "", "interim": "HTTP/1.1 103 Early Hints\r\n\r\n", "final": full} {
		t.Run(name, func(t *testing.T) {
			said, done := make(chan struct{}), make(chan struct{})
			s := serve(t, overTLS(t, func(c net.Conn) {
				in := bufio.NewReader(c)
				r, err := http.ReadRequest(in)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.WriteString(c, says)
				close(said)
				if says == full {
					<-done
					return
				}
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = io.WriteString(c, ok)
			}))
			c := newTestClient(t, s.addr, func(o *Options) {
				useTLS(o)
				o.Idle = time.Minute
			})
			q := put(t, strings.Repeat("x", 1<<20))
			q.Body = waiting{q.Body, 256 << 10, said}
			o := try(t.Context(), c, q, 0)
			close(done)
			if want := map[bool]int{true: 507, false: 200}[says == full]; o.err != nil || o.status != want || c.EarlyResponse != (says == full) || c.FirstByte.IsZero() {
				t.Errorf("%+v, early %v, first byte %v, want %d", o, c.EarlyResponse, c.FirstByte, want)
			}
		})
	}
}

func TestNoTLS(t *testing.T) {
	done := make(chan struct{})
	defer close(done)
	plain, mute := serve(t, respond("no TLS here\r\n\r\n")), serve(t, func(net.Conn) { <-done })
	dial := func(ctx context.Context, addr string, limit time.Duration) error {
		target, err := NewTarget(TargetOptions{Address: addr, Host: addr, TLS: &tls.Config{}, Timeout: limit})
		if err != nil {
			t.Fatal(err)
		}
		_, err = target.dial(ctx, 0)
		return err
	}
	if err := dial(t.Context(), mute.addr, 20*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer time.AfterFunc(20*time.Millisecond, cancel).Stop()
	if err := dial(ctx, mute.addr, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := dial(t.Context(), plain.addr, 10*time.Second); err == nil {
		t.Error("a handshake with a server that knows no TLS")
	}
}

func TestAddressesAreSpread(t *testing.T) {
	r := newResolver("name")
	a, b, six := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2"), netip.MustParseAddr("fd00::1")
	r.addrs, r.until = []netip.Addr{a, b, six}, clock.Now().Add(time.Hour)
	for n, want := range [][]netip.Addr{{a, b, six}, {b, a, six}, {a, b, six}} {
		if got, err := r.addresses(t.Context(), n); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d: %v, %v; want %v", n, got, err, want)
		}
	}
	if r.until = clock.Now().Add(-time.Second); len(r.addrs) > 0 {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		r.lock <- struct{}{}
		if _, err := r.addresses(ctx, 0); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
}

// TestNextAddress: an address that does not response is not the end of it.
func TestNextAddress(t *testing.T) {
	s := serve(t, respond(ok))
	c := newTestClient(t, s.addr, nil)
	target := c.opts.Targets[0]
	target.names = newResolver("name")
	target.names.addrs = []netip.Addr{netip.MustParseAddr("127.0.0.3"), netip.MustParseAddr("127.0.0.1")}
	target.names.until = clock.Now().Add(time.Hour)
	if o := try(t.Context(), c, &exchange.Request{Method: "GET"}, 0); o.err != nil {
		t.Errorf("%+v", o)
	}
	target.names.addrs = target.names.addrs[:1]
	c.closeConn()
	if o := try(t.Context(), c, &exchange.Request{Method: "GET"}, 0); o.err == nil || !strings.Contains(o.err.Error(), "refused") {
		t.Errorf("%+v", o)
	}
}

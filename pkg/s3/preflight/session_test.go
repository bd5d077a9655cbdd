package preflight_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/internal/s3test"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
)

// drip is a server whose response to some methods comes a byte each 10 ms, and never ends.
// With whole, the head comes at once. Next handles other methods.
func drip(t *testing.T, whole bool, status string, methods string, next http.Handler) string {
	return s3test.Handle(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if !strings.Contains(methods, r.Method) {
			next.ServeHTTP(w, r)
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.Close() }()
		head := "HTTP/1.1 " + status + "\r\nLast-Modified: Mon, 02 Jan 2006 15:04:05 GMT\r\nContent-Length: 4000\r\nX-Long: " + strings.Repeat("x", 4000) + "\r\n\r\n"
		text := head + "<Error><Code>" + strings.Repeat("x", 4000)
		if whole {
			_, _ = io.WriteString(conn, head)
			text = text[len(head):]
		}
		for ; text != ""; text = text[1:] {
			if _, err := io.WriteString(conn, text[:1]); err != nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
}

// TestUnmeasuredRequestsEnd: a server that keeps sending, but next to nothing, holds up nothing that is not measured.
func TestUnmeasuredRequestsEnd(t *testing.T) {
	t.Parallel()
	type way func(ctx context.Context, b *preflight.Bucket, unmeasured s3.Session) error
	ways := map[string]way{
		"ensure": func(ctx context.Context, b *preflight.Bucket, _ s3.Session) error {
			_, err := b.Ensure(ctx)
			return err
		},
		"remove": func(ctx context.Context, b *preflight.Bucket, _ s3.Session) error { return b.Remove(ctx) },
		"uploads": func(ctx context.Context, b *preflight.Bucket, _ s3.Session) error {
			return b.Uploads(ctx, "", func(ops.Upload) error { return nil })
		},
		"preflight":      func(ctx context.Context, b *preflight.Bucket, _ s3.Session) error { return b.TryWrite(ctx, "key") },
		"preflight read": func(ctx context.Context, b *preflight.Bucket, _ s3.Session) error { return b.TryRead(ctx, "") },
		"list": func(ctx context.Context, _ *preflight.Bucket, unmeasured s3.Session) error {
			return ops.List(ctx, unmeasured, &s3.Call{}, &ops.Listing{})
		},
		"delete": func(ctx context.Context, _ *preflight.Bucket, unmeasured s3.Session) error {
			return ops.DeleteMany(ctx, unmeasured, &s3.Call{}, &ops.Deletion{Objects: []ops.ObjectID{{Key: "k"}}})
		},
	}
	const all = "HEAD GET PUT POST DELETE"
	tests := []struct {
		name, way, status, methods string
		head                       bool // the head drips, too
	}{
		{"head of the look", "ensure", "200 OK", all, true},
		{"why the look is refused", "ensure", "500 Internal Server Error", "GET", false},
		{"removal", "remove", "200 OK", all, true},
		{"uploads", "uploads", "200 OK", all, false},
		{"preflight", "preflight", "200 OK", all, false},
		{"head of the preflight", "preflight", "200 OK", all, true},
		{"get of the preflight", "preflight", "200 OK", "GET", false},
		{"listing instead of a preflight", "preflight read", "200 OK", all, false},
		{"head of such a listing", "preflight read", "200 OK", all, true},
		{"listing", "list", "200 OK", all, false},
		{"deletion", "delete", "200 OK", all, false},
	}
	s3test.EachEngine(t, func(t *testing.T, open s3test.Opener) {
		for _, tc := range tests {
			t.Run(tc.name, func(t *testing.T) {
				t.Parallel()
				r := s3test.Serve(t, responder.Options{Keep: true, Rule: func(k op.Kind, _ uint64) responder.Fault {
					if k == responder.Bucket {
						return responder.Fault{Status: 403} // for the look to ask why
					}
					return responder.Fault{}
				}})
				cfg := s3.Config{
					Hosts: []string{drip(t, !tc.head, tc.status, tc.methods, r)}, Bucket: "bucket",
					Timeout: 100 * time.Millisecond, DialTimeout: 100 * time.Millisecond,
				}
				st := open(t, cfg)
				err := ways[tc.way](t.Context(), preflight.Open(st), preflight.WithDiagnosis(st.Session(0), cfg))
				wantDiagnosis(t, err, cfg.Hosts[0])
				var e *s3.Error
				// The status of an error is known, whatever the rest of the response says.
				if !errors.As(err, &e) || e.Class != "timeout" && (tc.status == "200 OK" || e.Class != tc.status) {
					t.Errorf("%v, want a timeout", err)
				}
			})
		}
	})
}

// TestSlowRequestsAreReported: while a request that is not measured takes long, its host and action are told.
func TestSlowRequestsAreReported(t *testing.T) {
	defer preflight.SetSlowAfter(time.Millisecond)()
	s3test.EachEngine(t, func(t *testing.T, open s3test.Opener) {
		ways := map[string]func(ctx context.Context, b *preflight.Bucket, unmeasured s3.Session) error{
			"look at the bucket": func(ctx context.Context, b *preflight.Bucket, _ s3.Session) error {
				_, err := b.Ensure(ctx)
				return err
			},
			"put objects into the bucket": func(ctx context.Context, b *preflight.Bucket, _ s3.Session) error {
				return b.TryWrite(ctx, "key")
			},
			"look up objects in the bucket": func(ctx context.Context, _ *preflight.Bucket, unmeasured s3.Session) error {
				return ops.Stat(ctx, unmeasured, &s3.Call{Key: "k"})
			},
		}
		for action, do := range ways {
			told := make(chan struct{})
			r := s3test.Serve(t, responder.Options{Forget: true})
			host := s3test.Handle(t, func(w http.ResponseWriter, req *http.Request) {
				<-told
				r.ServeHTTP(w, req)
			})
			var once sync.Once
			ctx, stop := preflight.WithSlow(t.Context(), func(h, a string, taken time.Duration) {
				once.Do(func() {
					if h != "http://"+host || a != action || taken <= 0 {
						t.Errorf("%s: %s, %s, %v", action, h, a, taken)
					}
					close(told)
				})
			})
			defer stop()
			cfg := s3.Config{Hosts: []string{host}, Bucket: "bucket"}
			st := open(t, cfg)
			_ = do(ctx, preflight.Open(st), preflight.WithDiagnosis(st.Session(0), cfg)) // the responder that forgets gives other contents back
			<-told
		}
	})
}

// hangUpUnlessTLS closes a connection whose client does not begin TLS, without a word.
func hangUpUnlessTLS(c net.Conn, config *tls.Config) {
	defer func() { _ = c.Close() }()
	r := bufio.NewReader(c)
	if first, err := r.Peek(1); err == nil && first[0] == 0x16 {
		_ = tls.Server(peeked{c, r}, config).Handshake()
	}
}

// peeked is a connection whose beginning was read already.
type peeked struct {
	net.Conn
	r io.Reader
}

func (p peeked) Read(b []byte) (int, error) { return p.r.Read(b) }

// TestTLSIsFoundBeforeTheBucket: a TLS server that hangs up on plain HTTP is known for what it is by the first request.
func TestTLSIsFoundBeforeTheBucket(t *testing.T) {
	secure := httptest.NewTLSServer(nil) // for its certificate
	t.Cleanup(secure.Close)
	host := s3test.ServeConns(t, func(c net.Conn) { hangUpUnlessTLS(c, secure.TLS) })
	cfg := s3.Config{Hosts: []string{host}, Bucket: "bucket"}
	_, err := bucket(t, cfg).Ensure(t.Context())
	wantDiagnosis(t, err, "the host speaks TLS", "add --tls")
	wantDiagnosis(t, bucket(t, cfg).TryRead(t.Context(), ""), "the host speaks TLS", "add --tls")
}

// Package s3test is what the tests of package s3 and of those above it share: servers, and stores of either engine.
package s3test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/target"
)

// Serve starts a responder, which ends with the test. It has the bucket "bucket".
func Serve(t testing.TB, o responder.Options) *responder.Server {
	t.Helper()
	if !o.Forget {
		o.Buckets = append(o.Buckets, "bucket")
	}
	r, err := responder.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// Opener makes a store.
type Opener func(t testing.TB, cfg s3.Config) s3.Store

// EachEngine runs a test with a store of each engine.
func EachEngine(t *testing.T, test func(t *testing.T, open Opener)) {
	for _, engine := range []string{"std", "lean"} {
		t.Run(engine, func(t *testing.T) {
			test(t, func(t testing.TB, cfg s3.Config) s3.Store {
				if cfg.Engine = engine; cfg.Signature == "S3V2" {
					cfg.Engine = "auto" // which the lean engine does not have
				}
				return Open(t, cfg)
			})
		})
	}
}

// Open makes a store, which is closed with the test. It adds a bucket and keys where cfg has none.
func Open(t testing.TB, cfg s3.Config) s3.Store {
	t.Helper()
	if cfg.Bucket == "" {
		cfg.Bucket = "bucket"
	}
	if alone := cfg.Store != "" && cfg.SessionToken != ""; cfg.AccessKey == "" && cfg.Signature == "" && !alone { // a SAS or a bearer token
		cfg.AccessKey, cfg.SecretKey = "AKEY", "SKEY"
	}
	s, err := connect.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// EscapedKeys are keys that must be escaped somewhere on the way.
var EscapedKeys = []string{
	"plain", "dir/file.rnd", "a b", "a+b", "a%b", "a%20b", "a(b)'c'*!", "ü/日本/é", "a&b=c?d#e",
	"a//b", "a:b@c,d;e$f", "trailing/", "~tilde_-.", `back\slash"quote`, "<xml>&amp;",
}

// Handle starts a server of a single behaviour, and returns its host.
func Handle(t testing.TB, f http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// Responding starts a server that responds to everything with status 200 and a text.
func Responding(t testing.TB, text string) (host string) {
	return Handle(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, text)
	})
}

// Punctual is a server that refuses requests whose signatures are dated more than 15 minutes off its clock.
func Punctual(t testing.TB, clock func() time.Time) (host string) {
	return Handle(t, func(w http.ResponseWriter, r *http.Request) {
		now := clock().UTC()
		w.Header().Set("Date", now.Format(http.TimeFormat))
		dated, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
		if err != nil || now.Sub(dated).Abs() > 15*time.Minute || !strings.Contains(r.Header.Get("Authorization"), dated.Format("/20060102/")) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte("<Error><Code>RequestTimeTooSkewed</Code></Error>"))
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

// PutCall returns a Call that puts an object.
func PutCall(key, body string) *s3.Call {
	return &s3.Call{Key: key, Body: strings.NewReader(body), Size: int64(len(body))}
}

// Class returns the class of an error of a request, which may be in another one.
func Class(err error) string {
	if err == nil {
		return ""
	}
	var e *s3.Error
	if errors.As(err, &e) {
		err = e
	}
	return op.Class(err.Error())
}

// LiveConfig is the way to a real server, from WARP_TEST_HOST (a URL), WARP_TEST_ACCESS_KEY and WARP_TEST_SECRET_KEY.
func LiveConfig(t testing.TB) s3.Config {
	t.Helper()
	if os.Getenv("WARP_TEST_HOST") == "" {
		t.Skip("WARP_TEST_HOST names no server to test against")
	}
	hosts, tls, err := target.ExpandHosts(os.Getenv("WARP_TEST_HOST"), os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	cfg := s3.Config{
		Hosts: hosts, Bucket: "warp-live-test", Insecure: true,
		AccessKey: s3.Secret(os.Getenv("WARP_TEST_ACCESS_KEY")), SecretKey: s3.Secret(os.Getenv("WARP_TEST_SECRET_KEY")),
	}
	cfg.TLS = tls != nil && *tls
	return cfg
}

// ServeConns listens until the end of the test, and calls handle for each connection in a goroutine of its own.
func ServeConns(t testing.TB, handle func(net.Conn)) (host string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { handle(c) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		wg.Wait()
	})
	return l.Addr().String()
}

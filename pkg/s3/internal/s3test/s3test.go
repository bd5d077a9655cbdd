// Package s3test is what the tests of package s3 and of those above it share: servers, and stores of either engine.
package s3test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"warp/internal/responder"
	"warp/pkg/op"
	"warp/pkg/s3"
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
	if cfg.AccessKey == "" && cfg.Signature == "" {
		cfg.AccessKey, cfg.SecretKey = "AKEY", "SKEY"
	}
	s, err := s3.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
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

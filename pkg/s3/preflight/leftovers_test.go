package preflight_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/internal/s3test"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
)

// TestPreflightNamesWhatItLeaves: an object of the preflight that cannot be deleted is named.
func TestPreflightNamesWhatItLeaves(t *testing.T) {
	t.Parallel()
	const denied = "<Error><Code>AccessDenied</Code><Message>protected by object lock</Message></Error>"
	const named = `the object "k.0" may stay in the bucket`
	tests := []struct {
		name    string
		refused map[string]int // status by method
		stored  bool           // a refused PUT has its effect nonetheless
		want    string         // whether the object is named
	}{
		{"deletion refused", map[string]int{"DELETE": 403}, false, named},
		{"reading and deletion refused", map[string]int{"GET": 403, "DELETE": 403}, false, named},
		{"reading refused", map[string]int{"GET": 403}, false, ""},
		{"upload failed", map[string]int{"PUT": 500}, true, ""},
		{"upload and deletion failed", map[string]int{"PUT": 500, "DELETE": 500}, true, named},
		{"upload refused", map[string]int{"PUT": 403, "DELETE": 403}, false, ""},
	}
	for _, anonymous := range []bool{false, true} {
		s3test.EachEngine(t, func(t *testing.T, open s3test.Opener) {
			t.Parallel()
			for _, tc := range tests {
				r := s3test.Serve(t, responder.Options{Keep: true})
				host := s3test.Handle(t, func(w http.ResponseWriter, req *http.Request) {
					status := tc.refused[req.Method]
					if status == 0 {
						r.ServeHTTP(w, req)
						return
					}
					if tc.stored && req.Method == http.MethodPut {
						r.ServeHTTP(discard{http.Header{}}, req)
					}
					_, _ = io.Copy(io.Discard, req.Body)
					w.WriteHeader(status)
					_, _ = io.WriteString(w, denied)
				})
				cfg := s3.Config{Hosts: []string{host}, Bucket: "bucket", AccessKey: "A", SecretKey: "S"}
				if anonymous {
					cfg.Signature = "anonymous"
				}
				err := preflight.Open(open(t, cfg)).TryWrite(t.Context(), "k")
				wantDiagnosis(t, err, tc.want)
				if got := strings.Contains(err.Error(), "may stay"); got != (tc.want != "") {
					t.Errorf("%s: %v", tc.name, err)
				}
				stays := ops.Stat(t.Context(), open(t, s3.Config{Hosts: []string{r.Host()}}).Session(0), &s3.Call{Key: "k.0", Size: -1}) == nil
				if stays != (tc.want != "") {
					t.Errorf("%s: an object stays: %v, and it says %v", tc.name, stays, err)
				}
			}
		})
	}
}

// discard takes a response that the client shall not see.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}

// TestPreflightDeletesWhatItRejects: an upload that counts as failed, because it was not encrypted, is deleted again.
func TestPreflightDeletesWhatItRejects(t *testing.T) {
	r := s3test.Serve(t, responder.Options{Keep: true})
	secure := httptest.NewTLSServer(r)
	t.Cleanup(secure.Close)
	host := strings.TrimPrefix(secure.URL, "https://")
	err := bucket(t, s3.Config{Hosts: []string{host}, Bucket: "bucket", TLS: true, Insecure: true, Encrypt: true}).TryWrite(t.Context(), "k")
	wantDiagnosis(t, err, "ignores encryption")
	if n := r.Responses(op.Delete, 204); n != 1 {
		t.Errorf("%d deletions", n)
	}
}

// TestNoQueryIsNeeded: a server that knows nothing but objects will do for put, get and delete, in whatever way it
// refuses the rest. Location, versioning and object lock are not asked for.
func TestNoQueryIsNeeded(t *testing.T) {
	refusals := map[string]http.HandlerFunc{
		"400": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(400) },
		"403": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(403)
			_, _ = io.WriteString(w, "<Error><Code>AccessDenied</Code></Error>")
		},
		"405, a page": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(405)
			_, _ = io.WriteString(w, "<html>no</html>")
		},
		"501": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(501)
			_, _ = io.WriteString(w, "<Error><Code>NotImplemented</Code></Error>")
		},
		"404, then 405": func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut {
				w.WriteHeader(405)
				return
			}
			w.WriteHeader(404)
		},
	}
	s3test.EachEngine(t, func(t *testing.T, open s3test.Opener) {
		for name, refuse := range refusals {
			r := s3test.Serve(t, responder.Options{Keep: true})
			var queries atomic.Int64
			host := s3test.Handle(t, func(w http.ResponseWriter, req *http.Request) {
				q := req.URL.Query()
				if q.Has("location") || q.Has("versioning") || q.Has("object-lock") || q.Has("policy") {
					queries.Add(1)
				}
				if _, key, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), "/"); key == "" {
					refuse(w, req)
					return
				}
				r.ServeHTTP(w, req)
			})
			cfg := s3.Config{Hosts: []string{host}, Bucket: "bucket"}
			b := preflight.Open(open(t, cfg))
			if made, err := b.Ensure(t.Context()); made || err != nil {
				t.Errorf("%s: made %v, %v", name, made, err)
			}
			if err := b.TryWrite(t.Context(), "k"); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if n := queries.Load(); n > 0 {
				t.Errorf("%s: %d queries about the bucket", name, n)
			}
		}
	})
}

// TestInterruptedPreflightEnds: a server that responds to nothing any more does not hold up a run that was interrupted, and the
// object that it has is named.
func TestInterruptedPreflightEnds(t *testing.T) {
	defer preflight.SetDeletionGrace(10 * time.Millisecond)()
	s3test.EachEngine(t, func(t *testing.T, open s3test.Opener) {
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan struct{})
		r := s3test.Serve(t, responder.Options{Keep: true})
		host := s3test.Handle(t, func(w http.ResponseWriter, req *http.Request) {
			if req.Method == http.MethodPut {
				r.ServeHTTP(w, req)
				return
			}
			cancel()
			<-over
		})
		cfg := s3.Config{Hosts: []string{host}, Bucket: "bucket", Timeout: time.Hour}
		err := preflight.Open(open(t, cfg)).TryWrite(ctx, "k")
		close(over)
		if err == nil || !strings.Contains(err.Error(), `"k.0" of the preflight may stay`) {
			t.Errorf("%v", err)
		}
	})
}

package bench_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
)

// asked is a run at a server whose requests a handler sees first.
type asked struct {
	name, workload string
	args           []string
	options        func(*s3.Config)
	handle         func(h http.Handler, w http.ResponseWriter, r *http.Request)
	want           string // error
}

func (a *asked) run(t *testing.T) (*oddStore, *memory, *bench.Result, error) {
	t.Helper()
	s := front(t, responder.Options{}, a.handle)
	if a.options != nil {
		a.options(&s.cfg)
		store, err := connect.New(s.cfg)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(store.Close)
		s.Store = store
	}
	m, res, err := job{workload: a.workload, args: a.args, change: func(p *bench.Plan) { p.Target = s.cfg }}.run(t.Context(), t, s.Store)
	return s, m, res, err
}

// What a server refuses or does wrong of the requests that a run sends is found out before the first operation, with the options of its uploads.
func TestRequestsAreTriedAsTheyAreSent(t *testing.T) {
	refuse := func(status int, match func(*http.Request) bool) func(http.Handler, http.ResponseWriter, *http.Request) {
		return func(h http.Handler, w http.ResponseWriter, r *http.Request) {
			if match(r) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.WriteHeader(status)
				return
			}
			h.ServeHTTP(w, r)
		}
	}
	sent := func(name string) func(*http.Request) bool {
		return func(r *http.Request) bool { return r.Method == http.MethodPut && r.Header.Get(name) != "" }
	}
	query := func(name string) func(*http.Request) bool {
		return func(r *http.Request) bool { return r.URL.Query().Has(name) }
	}
	checksum := func(trailer bool) func(*s3.Config) {
		return func(c *s3.Config) { c.Uploads = s3.Uploads{Checksum: "CRC32C", Trailer: trailer} }
	}
	for _, tc := range []asked{
		{"checksum", "put", nil, checksum(false), refuse(400, sent("X-Amz-Checksum-Crc32c")), "the likely cause is --checksum: try without"},
		{"trailer", "put", nil, checksum(true), refuse(501, sent("X-Amz-Trailer")), "the likely cause is --checksum-trailer: try without"},
		{"algorithm of a trailer", "put", nil, checksum(true), func(h http.Handler, w http.ResponseWriter, r *http.Request) {
			if sent("X-Amz-Trailer")(r) {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, "<Error><Code>InvalidArgument</Code><Message>Invalid checksum provided</Message></Error>")
				return
			}
			h.ServeHTTP(w, r)
		}, "the likely cause is --checksum: try without"},
		{"streaming", "put", nil, func(c *s3.Config) { c.Uploads.Payload = s3.PayloadStreaming }, refuse(400, sent("X-Amz-Decoded-Content-Length")), "the likely cause is --payload: try without"},
		{"md5", "put", nil, func(c *s3.Config) { c.Uploads.MD5 = true }, refuse(400, sent("Content-Md5")), "the likely cause is --md5: try without"},
		{"kms, 500", "put", nil, func(c *s3.Config) { c.Uploads.Encryption = s3.SSEKMS }, refuse(500, sent("X-Amz-Server-Side-Encryption")), "--sse-kms"},
		{"framing is stored", "put", nil, checksum(true), func(h http.Handler, w http.ResponseWriter, r *http.Request) {
			for _, name := range []string{"Content-Encoding", "X-Amz-Trailer", "X-Amz-Decoded-Content-Length", "X-Amz-Content-Sha256"} {
				r.Header.Del(name)
			}
			h.ServeHTTP(w, r)
		}, "stores the framing of an upload"},
		{"parts", "multipart-put", nil, nil, refuse(501, query("uploads")), "cannot upload objects in parts"},
		{"completion", "multipart-put", nil, nil, refuse(400, func(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Query().Has("uploadId") }), "cannot upload objects in parts"},
		{"ranges", "get", []string{"-range-size=10"}, nil, func(h http.Handler, w http.ResponseWriter, r *http.Request) {
			r.Header.Del("Range")
			h.ServeHTTP(w, r)
		}, "range"},
		{"signed URLs", "put", []string{"-presign"}, nil, refuse(403, query("X-Amz-Signature")), "403"},
		{"multi-deletes", "delete", nil, nil, refuse(501, query("delete")), "--batch=1 deletes one by a request"},
		{"forms", "put", []string{"-post"}, nil, refuse(405, func(r *http.Request) bool { return strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") }), "cannot upload objects by forms"},
		{"condition of uploads", "put", []string{"-if-none-match=*"}, nil, refuse(501, sent("If-None-Match")), "with If-None-Match: "},
		{"condition of deletions", "delete", []string{"-if-match=other", "-batch=1"}, nil, refuse(501, func(r *http.Request) bool { return r.Method == http.MethodDelete && r.Header.Get("If-Match") != "" }), "with If-Match: "},
		{"contention", "contend", nil, nil, refuse(501, sent("If-Match")), "with If-Match: "},
		{"claim", "put", nil, nil, refuse(400, func(r *http.Request) bool {
			return r.Method == http.MethodPut && strings.Contains(r.URL.Path, "claim") && r.ContentLength != 64 // which objects of the preflight have
		}), "claim the names of seed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bench.ShortenCleanup(t, 0)
			s, m, _, err := tc.run(t)
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error: %v, want %q", err, tc.want)
			}
			if len(m.ops) > 0 || len(s.left()) > 0 || len(s.server.Uploads("bucket")) > 0 {
				t.Errorf("%d operations; left: %q", len(m.ops), s.left())
			}
		})
	}
}

// A condition that the server ignores is told, once, and what others made is not deleted in spite of it.
func TestIgnoredConditionsAreTold(t *testing.T) {
	for _, tc := range []struct {
		workload string
		args     []string
		want     string
	}{
		{"put", []string{"-if-none-match=*", "-objects=12"}, "the server ignores If-None-Match of PUT"},
		{"get", []string{"-if-match=other"}, "the server ignores If-Match of GET"},
		{"stat", []string{"-if-none-match=*"}, "the server ignores If-None-Match of STAT"},
		{"delete", []string{"-if-match=other", "-batch=1"}, "the server ignores If-Match of DELETE"},
		{"contend", nil, "the server ignores If-Match of PUT"},
	} {
		for _, how := range []responder.Conditions{responder.ConditionsIgnored, responder.ConditionsHonoured} {
			s := oddly(t, "", responder.Options{Conditions: how})
			_, res, err := job{workload: tc.workload, args: tc.args, change: func(p *bench.Plan) { p.Target = s.cfg }}.run(t.Context(), t, s.Store)
			if err != nil {
				t.Errorf("%s: %v", tc.workload, err)
				continue
			}
			told := strings.Count(strings.Join(res.Warnings, "\n"), tc.want)
			if want := map[responder.Conditions]int{responder.ConditionsIgnored: 1}[how]; told != want {
				t.Errorf("%s: %d warnings %q, want %d: %q", tc.workload, told, tc.want, want, res.Warnings)
			}
		}
	}
	s := oddly(t, "", responder.Options{Conditions: responder.ConditionsIgnored})
	if err := ops.Put(t.Context(), s.Session(0), &s3.Call{Key: "theirs", Body: strings.NewReader("x"), Size: 1}); err != nil {
		t.Fatal(err)
	}
	_, err := job{workload: "delete", args: []string{"-list-existing", "-if-match=other", "-batch=1"}, change: func(p *bench.Plan) { p.Target, p.Force = s.cfg, true }}.runErr(t, s.Store)
	if err == nil || !strings.Contains(err.Error(), "which is to protect objects that the run did not make") || len(s.left()) != 1 {
		t.Errorf("%v; left: %q", err, s.left())
	}
}

// runErr is run without its result.
func (j job) runErr(t *testing.T, store s3.Store) (*memory, error) {
	t.Helper()
	m, _, err := j.run(t.Context(), t, store)
	return m, err
}

// One answer of 503 to each kind of request before the run does not end it.
func TestPreflightPersists(t *testing.T) {
	bench.ShortenCleanup(t, 0)
	s := oddly(t, "", responder.Options{Rule: func(_ op.Kind, n uint64) responder.Fault {
		if n == 0 {
			return responder.Fault{Status: http.StatusServiceUnavailable}
		}
		return responder.Fault{}
	}})
	if _, err := s.run(t, "put", nil); err != nil {
		t.Error(err)
	}
	if left := s.left(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

package doctor_test

import (
	"net/http"
	"strings"
	"testing"

	"warp/internal/responder"
	"warp/pkg/doctor/finding"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/preflight"
)

// TestMissingBucketIsPlain: a bucket that does not exist is made as a benchmark makes it. Versions and locks are tried in a second one, with versions alone
// if the store has no object lock; nothing is left of either.
func TestMissingBucketIsPlain(t *testing.T) {
	for _, lock := range []bool{true, false} {
		r := serve(t, responder.Options{})
		host := before(t, r, func(w http.ResponseWriter, req *http.Request) bool {
			return !lock && req.Header.Get("X-Amz-Bucket-Object-Lock-Enabled") != "" && refuse(w, 501, "NotImplemented")
		})
		cfg := config(host)
		store, err := connect.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := preflight.Open(store).Remove(t.Context()); err != nil {
			t.Fatal(err)
		}
		store.Close()
		got := examine(t.Context(), t, cfg)
		all := results(got)
		locks := map[bool]finding.Result{true: finding.Yes, false: finding.Untried}[lock]
		if !got.OK() || !got.Bucket.Made || got.Bucket.Versioning != finding.VersionsNever || all["versioned"] != finding.Yes || all["retention"] != locks || all["legal-hold"] != locks {
			t.Errorf("lock %v: %q, %+v; versioned %s, retention %s", lock, got.Problems, got.Bucket, all["versioned"], all["retention"])
		}
		if left := r.Buckets(); len(left) > 0 {
			t.Errorf("lock %v: buckets %q are left", lock, left)
		}
	}
}

// TestEchoedEncryption: a server that only echoes the header of an encryption later does not encrypt, as a benchmark sees it.
func TestEchoedEncryption(t *testing.T) {
	r := serve(t, responder.Options{})
	host := before(t, r, func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method == http.MethodHead {
			w.Header().Set("X-Amz-Server-Side-Encryption", s3.SSES3)
		}
		return false
	})
	if got := results(examine(t.Context(), t, config(host))); got["--sse-s3"] != finding.Ignored {
		t.Errorf("--sse-s3: %s", got["--sse-s3"])
	}
}

// TestUploadsThatCannotBeAborted are a warning: benchmarks can use such a store.
func TestUploadsThatCannotBeAborted(t *testing.T) {
	r := serve(t, responder.Options{})
	host := before(t, r, func(w http.ResponseWriter, req *http.Request) bool {
		return req.Method == http.MethodDelete && req.URL.Query().Has("uploadId") && refuse(w, 405, "MethodNotAllowed")
	})
	got := examine(t.Context(), t, config(host))
	if !got.OK() {
		t.Errorf("problems %q", got.Problems)
	}
	if text := strings.Join(got.Warnings, "\n"); !strings.Contains(text, "1 upload of the check could not be aborted and may stay") {
		t.Errorf("warnings %q", text)
	}
}

package doctor_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"warp/internal/responder"
	"warp/pkg/doctor/finding"
	"warp/pkg/s3/probe"
)

// TestAllThatRunsTry: each row of the table that runs use is a check, with the same name.
func TestAllThatRunsTry(t *testing.T) {
	r := serve(t, responder.Options{})
	got := examine(t.Context(), t, config(r.Host()))
	for _, c := range probe.All() {
		if c != probe.Stored && c != probe.Compose && !slices.ContainsFunc(got.Checks, func(found finding.Check) bool { return found.Name == c.Name && found.Right == c.Right }) {
			t.Errorf("%q is no check", c.Name)
		}
	}
	wantEmpty(t, r)
}

// checkOf returns what a check found at a server whose requests handle sees first.
func checkOf(t *testing.T, name string, handle func(w http.ResponseWriter, req *http.Request) bool) finding.Check {
	t.Helper()
	cfg := config(before(t, serve(t, responder.Options{}), handle))
	cfg.Bucket = "missing" // so that versions and locks are tried in a second one
	got := examine(t.Context(), t, cfg)
	i := slices.IndexFunc(got.Checks, func(c finding.Check) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no check %q", name)
	}
	return got.Checks[i]
}

// TestWhatServersDoOtherwise: each check says what a server does that is not what was asked, and in words, whatever bytes it sent.
func TestWhatServersDoOtherwise(t *testing.T) {
	bytes := func(w http.ResponseWriter) bool {
		_, _ = io.WriteString(w, "\x00<-\xc5\x8a# a% e7z\xffb>")
		return true
	}
	for _, tc := range []struct {
		check  string
		handle func(w http.ResponseWriter, req *http.Request) bool
		result finding.Result
		detail string // part of it
	}{
		{"retention", func(w http.ResponseWriter, req *http.Request) bool { return about(req, "GET", "retention") && bytes(w) }, finding.Ignored, "the response is none to such a request"},
		{"legal-hold", func(w http.ResponseWriter, req *http.Request) bool {
			return about(req, "GET", "legal-hold") && bytes(w)
		}, finding.Ignored, "the response is none to such a request"},
		{"acl", func(w http.ResponseWriter, req *http.Request) bool { return about(req, "GET", "acl") && bytes(w) }, finding.Ignored, "the response is none to such a request"},
		{"attributes", func(w http.ResponseWriter, req *http.Request) bool {
			return about(req, "GET", "attributes") && bytes(w)
		}, finding.Ignored, "the response is none to such a request"},
		{"put --post", func(w http.ResponseWriter, req *http.Request) bool {
			return req.Method == http.MethodPost && strings.HasPrefix(req.Header.Get("Content-Type"), "multipart/") && refuse(w, 403, "AccessDenied")
		}, finding.Denied, "may not know this form of authentication; else grant s3:PutObject"},
		{"put --presign", func(w http.ResponseWriter, req *http.Request) bool {
			return about(req, "PUT", "X-Amz-Signature") && refuse(w, 403, "AccessDenied")
		}, finding.Denied, "may not know this form of authentication; else grant s3:PutObject"},
		{"--tag", func(w http.ResponseWriter, req *http.Request) bool {
			return about(req, "GET", "tagging") && refuse(w, 501, "NotImplemented")
		}, finding.Ignored, "tags cannot be read"},
		{"tag (delete)", func(w http.ResponseWriter, req *http.Request) bool {
			return about(req, "DELETE", "tagging") && confirm(w)
		}, finding.Ignored, "confirms the removal of tags, but keeps them"},
		{"tag (get)", func(w http.ResponseWriter, req *http.Request) bool {
			return about(req, "GET", "tagging") && strings.HasSuffix(req.URL.Path, ".untagged") && confirm(w)
		}, finding.Ignored, "the response is none to such a request"},
		{"list --versions", func(w http.ResponseWriter, req *http.Request) bool {
			q := req.URL.Query()
			q.Del("key-marker")
			req.URL.RawQuery = q.Encode()
			return false
		}, finding.Ignored, "the response is none to such a request"},
		{"multipart-put --checksum=CRC64NVME", func(w http.ResponseWriter, req *http.Request) bool {
			return req.Header.Get("X-Amz-Checksum-Algorithm") == "CRC64NVME" && refuse(w, 400, "InvalidRequest")
		}, finding.No, "InvalidRequest"},
	} {
		t.Run(tc.check, func(t *testing.T) {
			got := checkOf(t, tc.check, tc.handle)
			if got.Result != tc.result || !strings.Contains(got.Detail, tc.detail) || !utf8.ValidString(got.Detail) || strings.ContainsFunc(got.Detail, unicode.IsControl) {
				t.Errorf("%s %q, want %s %q", got.Result, got.Detail, tc.result, tc.detail)
			}
		})
	}
}

// confirm confirms a request without a body.
func confirm(w http.ResponseWriter) bool {
	w.WriteHeader(http.StatusOK)
	return true
}

package preflight_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"warp/internal/responder"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/internal/s3test"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
)

func TestBucketOnIndependentHosts(t *testing.T) {
	ctx := t.Context()
	has, lacks := s3test.Serve(t, responder.Options{}), s3test.Serve(t, responder.Options{Buckets: []string{"other"}})
	cfg := s3.Config{Hosts: []string{has.Host(), lacks.Host()}, Bucket: "bucket"}
	one := bucket(t, s3.Config{Hosts: []string{lacks.Host()}})
	if err := one.Remove(ctx); err != nil { // serve makes it
		t.Fatal(err)
	}
	b := bucket(t, cfg)
	if ok, err := b.Exists(ctx); ok || err != nil {
		t.Errorf("exists everywhere: %v, %v; one host has none", ok, err)
	}
	if made, err := b.Ensure(ctx); !made || err != nil {
		t.Errorf("made %v, %v", made, err)
	}
	if ok, err := b.Exists(ctx); !ok || err != nil {
		t.Errorf("exists: %v, %v", ok, err)
	}
	if made, err := bucket(t, cfg).Ensure(ctx); made || err != nil {
		t.Errorf("made again: %v, %v", made, err)
	}
	if err := b.Remove(ctx); err != nil {
		t.Error(err)
	}
	if ok, _ := one.Exists(ctx); ok {
		t.Error("the bucket that was made is still there")
	}
	if ok, _ := bucket(t, s3.Config{Hosts: []string{has.Host()}}).Exists(ctx); !ok {
		t.Error("a bucket that existed before was removed")
	}
}

// Somebody else makes the bucket at the same time. An error of the server stays one if there is no bucket afterwards.
func TestEnsureRace(t *testing.T) {
	for _, tc := range []struct {
		name, code string
		status     int
		exists     bool // afterwards
	}{
		{"conflict", "BucketAlreadyOwnedByYou", 409, true},
		{"internal error", "InternalError", 500, true},
		{"of another owner", "BucketAlreadyExists", 409, false},
		{"nothing made", "InternalError", 500, false},
	} {
		heads := 0
		host := s3test.Handle(t, func(w http.ResponseWriter, r *http.Request) {
			switch r.Method {
			case http.MethodHead:
				if heads++; heads == 1 || !tc.exists {
					w.WriteHeader(404)
				}
			case http.MethodPut:
				w.WriteHeader(tc.status)
				_, _ = io.WriteString(w, "<Error><Code>"+tc.code+"</Code></Error>")
			}
		})
		made, err := bucket(t, s3.Config{Hosts: []string{host}}).Ensure(t.Context())
		if made || (err == nil) != tc.exists || err != nil && !strings.Contains(err.Error(), "("+strconv.Itoa(tc.status)) {
			t.Errorf("%s: made %v, %v", tc.name, made, err)
		}
	}
}

func TestEnsureRefused(t *testing.T) {
	tests := []struct {
		name, code string // of the listing that is asked for after a HEAD was refused
		status     int
		want       string // part of the error; empty: taken to exist
	}{
		{"no right to look", "AccessDenied", 403, ""},
		{"wrong secret", "SignatureDoesNotMatch", 403, "secret key is wrong"},
		{"wrong key", "InvalidAccessKeyId", 403, "does not know the access key"},
		{"error", "InternalError", 500, "cannot look at the bucket (500 InternalError)"},
		{"no such request", "MethodNotAllowed", 405, ""},
		{"nothing known", "InvalidRequest", 400, ""},
		{"no such thing", "NotImplemented", 501, ""},
	}
	for _, tc := range tests {
		host := s3test.Handle(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(tc.status)
			if r.Method != http.MethodHead {
				_, _ = io.WriteString(w, "<Error><Code>"+tc.code+"</Code></Error>")
			}
		})
		_, err := bucket(t, s3.Config{Hosts: []string{host}}).Ensure(t.Context())
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
	}
}

func TestRemoveRefused(t *testing.T) {
	r := s3test.Serve(t, responder.Options{})
	cfg := s3.Config{Hosts: []string{r.Host()}}
	if err := ops.Put(t.Context(), s3test.Open(t, cfg).Session(0), s3test.PutCall("k", "x")); err != nil {
		t.Fatal(err)
	}
	if err := bucket(t, cfg).Remove(t.Context()); err == nil || !strings.Contains(err.Error(), r.URL()+": cannot remove the bucket (409 BucketNotEmpty") {
		t.Errorf("%v", err)
	}
}

func TestUploads(t *testing.T) {
	var aborted []string
	handler := func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		switch {
		case r.Method == http.MethodDelete:
			aborted = append(aborted, r.URL.Path+"?"+q.Get("uploadId"))
			w.WriteHeader(204)
		case q.Get("key-marker") == "":
			_, _ = io.WriteString(w, `<ListMultipartUploadsResult><IsTruncated>true</IsTruncated><NextKeyMarker>p/a</NextKeyMarker>
				<NextUploadIdMarker>1</NextUploadIdMarker><Upload><Key>p/a</Key><UploadId>1</UploadId></Upload></ListMultipartUploadsResult>`)
		default:
			_, _ = io.WriteString(w, `<ListMultipartUploadsResult><Upload><Key>p/b</Key><UploadId>2</UploadId></Upload></ListMultipartUploadsResult>`)
		}
	}
	b := bucket(t, s3.Config{Hosts: []string{s3test.Handle(t, handler), s3test.Handle(t, handler)}})
	var got []ops.Upload
	err := b.Uploads(t.Context(), "p/", func(u ops.Upload) error { got = append(got, u); return nil })
	if want := []ops.Upload{{Key: "p/a", ID: "1"}, {Key: "p/b", ID: "2"}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	stop := errors.New("enough")
	if err := b.Uploads(t.Context(), "p/", func(ops.Upload) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
	if err := b.Abort(t.Context(), got[0]); err != nil || len(aborted) != 2 || aborted[0] != "/bucket/p/a?1" {
		t.Errorf("%v, aborted %q", err, aborted)
	}
}

func TestNoLocationIsAsked(t *testing.T) {
	r := s3test.Serve(t, responder.Options{})
	if _, err := bucket(t, s3.Config{Hosts: []string{r.Host()}}).Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := r.Requests(responder.Bucket); n != 1 {
		t.Errorf("%d requests to see that the bucket is there, want the one HEAD", n)
	}
	if n := r.Requests(op.List); n != 0 {
		t.Errorf("%d listings", n)
	}
}

func TestVersioned(t *testing.T) {
	for status, want := range map[string]bool{"Enabled": true, "Suspended": true, "": false} {
		host := s3test.Handle(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "<VersioningConfiguration><Status>"+status+"</Status></VersioningConfiguration>")
		})
		b := bucket(t, s3.Config{Hosts: []string{host}})
		if got, err := b.Versioned(t.Context()); got != want || err != nil {
			t.Errorf("%s: %v, %v", status, got, err)
		}
	}
}

func TestUploadListings(t *testing.T) {
	const page = "<ListMultipartUploadsResult>%s</ListMultipartUploadsResult>"
	upload := func(key string) string { return "<Upload><Key>" + key + "</Key><UploadId>i</UploadId></Upload>" }
	for name, tc := range map[string]struct {
		body, want string
		uploads    int
	}{
		"none":           {fmt.Sprintf(page, ""), "", 0},
		"two":            {fmt.Sprintf(page, upload("p/a")+upload("p/b")), "", 2},
		"escaped":        {fmt.Sprintf(page, "<EncodingType>url</EncodingType>"+upload("p%2Fa%00+b")), "", 1},
		"another prefix": {fmt.Sprintf(page, upload("q")), "wrong listing", 0},
		"too many":       {fmt.Sprintf(page, strings.Repeat(upload("p/a"), 1001)), "wrong listing", 0},
		"too long":       {fmt.Sprintf(page, strings.Repeat(" ", 17<<20)), "bad answer", 0},
		"other document": {"<ListBucketResult/>", "bad answer", 0},
		"no marker":      {fmt.Sprintf(page, "<IsTruncated>true</IsTruncated>"), "bad answer", 0},
	} {
		var seen []ops.Upload
		b := bucket(t, s3.Config{Hosts: []string{s3test.Responding(t, tc.body)}})
		err := b.Uploads(t.Context(), "p/", func(u ops.Upload) error {
			seen = append(seen, u)
			return nil
		})
		if s3test.Class(err) != tc.want || len(seen) != tc.uploads {
			t.Errorf("%s: %v, %q; want class %q, %d uploads", name, err, seen, tc.want, tc.uploads)
		}
		if name == "escaped" && len(seen) == 1 && seen[0] != (ops.Upload{Key: "p/a\x00 b", ID: "i"}) {
			t.Errorf("%q", seen)
		}
	}
}

// TestBucketDocumentsAreLimited: what is read about the bucket has a limit too.
func TestBucketDocumentsAreLimited(t *testing.T) {
	host := s3test.Responding(t, "<VersioningConfiguration>"+strings.Repeat(" ", 17<<20)+"<Status>Enabled</Status></VersioningConfiguration>")
	b := bucket(t, s3.Config{Hosts: []string{host}})
	if versioned, err := b.Versioned(t.Context()); s3test.Class(err) != "bad answer" {
		t.Errorf("%v, %v", versioned, err)
	}
}

// A bucket is made with the features that a run needs, on each host. One that exists and lacks them is refused, and stays as it is.
func TestFeatures(t *testing.T) {
	ctx := t.Context()
	for feature, want := range map[preflight.Feature]string{
		preflight.Versions: "the bucket does not keep versions, which this run needs; name a --bucket that does not exist",
		preflight.Lock:     "the bucket has no object lock, which this run needs; name a --bucket that does not exist",
	} {
		plain, lacks := s3test.Serve(t, responder.Options{}), s3test.Serve(t, responder.Options{Buckets: []string{"other"}})
		if err := bucket(t, s3.Config{Hosts: []string{lacks.Host()}}).Remove(ctx); err != nil { // serve makes it
			t.Fatal(err)
		}
		cfg := s3.Config{Hosts: []string{lacks.Host()}, Bucket: "bucket"}
		for _, first := range []bool{true, false} {
			if made, err := bucket(t, cfg).Ensure(ctx, feature); made != first || err != nil {
				t.Errorf("made %v, want %v: %v", made, first, err)
			}
		}
		if kept, err := bucket(t, cfg).Versioned(ctx); !kept || err != nil {
			t.Errorf("the new bucket keeps versions: %v, %v", kept, err)
		}
		cfg.Hosts = []string{plain.Host()}
		made, err := bucket(t, cfg).Ensure(ctx, feature)
		if made || err == nil || !strings.HasPrefix(err.Error(), plain.URL()+": "+want) {
			t.Errorf("made %v, error %v; want %q", made, err, want)
		}
		if kept, _ := bucket(t, cfg).Versioned(ctx); kept {
			t.Error("a bucket that existed before was changed")
		}
	}
}

// A bucket that cannot be made as it is needed is removed again.
func TestFeaturesRefused(t *testing.T) {
	for feature, want := range map[preflight.Feature]string{
		preflight.Versions: "cannot have the bucket keep versions (501 NotImplemented); the host does not support it",
		preflight.Lock:     "the host makes no buckets with object lock, which this run needs; use another store",
	} {
		var requests []string
		host := s3test.Handle(t, func(w http.ResponseWriter, r *http.Request) {
			request := r.Method + " " + r.URL.RawQuery
			switch requests = append(requests, request); request {
			case "HEAD ":
				w.WriteHeader(404)
			case "PUT versioning=":
				w.WriteHeader(501)
				_, _ = io.WriteString(w, "<Error><Code>NotImplemented</Code></Error>")
			case "GET object-lock=":
				w.WriteHeader(404)
				_, _ = io.WriteString(w, "<Error><Code>ObjectLockConfigurationNotFoundError</Code></Error>")
			}
		})
		made, err := bucket(t, s3.Config{Hosts: []string{host}}).Ensure(t.Context(), feature)
		if made || err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("made %v, error %v; want %q", made, err, want)
		}
		if last := requests[len(requests)-1]; last != "DELETE " {
			t.Errorf("requests: %q", requests)
		}
	}
}

package s3_test

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"warp/internal/responder"
	"warp/pkg/op"
	"warp/pkg/s3"
)

func TestBucketOnIndependentHosts(t *testing.T) {
	ctx := t.Context()
	has, lacks := serve(t, responder.Options{}), serve(t, responder.Options{Buckets: []string{"other"}})
	cfg := s3.Config{Hosts: []string{has.Host(), lacks.Host()}, Bucket: "bucket"}
	one := open(t, s3.Config{Hosts: []string{lacks.Host()}}).Bucket()
	if err := one.Remove(ctx); err != nil { // serve makes it
		t.Fatal(err)
	}
	b := open(t, cfg).Bucket()
	if ok, err := b.Exists(ctx); ok || err != nil {
		t.Errorf("exists everywhere: %v, %v; one host has none", ok, err)
	}
	if made, err := b.Ensure(ctx); !made || err != nil {
		t.Errorf("made %v, %v", made, err)
	}
	if ok, err := b.Exists(ctx); !ok || err != nil {
		t.Errorf("exists: %v, %v", ok, err)
	}
	if made, err := open(t, cfg).Bucket().Ensure(ctx); made || err != nil {
		t.Errorf("made again: %v, %v", made, err)
	}
	if err := b.Remove(ctx); err != nil {
		t.Error(err)
	}
	if ok, _ := one.Exists(ctx); ok {
		t.Error("the bucket that was made is still there")
	}
	if ok, _ := open(t, s3.Config{Hosts: []string{has.Host()}}).Bucket().Exists(ctx); !ok {
		t.Error("a bucket that existed before was removed")
	}
}

func TestEnsureRace(t *testing.T) {
	heads := 0
	host := handle(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodHead:
			if heads++; heads == 1 {
				w.WriteHeader(404)
			}
		case http.MethodPut:
			w.WriteHeader(409)
			_, _ = io.WriteString(w, "<Error><Code>BucketAlreadyOwnedByYou</Code></Error>")
		}
	})
	if made, err := open(t, s3.Config{Hosts: []string{host}}).Bucket().Ensure(t.Context()); made || err != nil {
		t.Errorf("made %v, %v", made, err)
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
		host := handle(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(tc.status)
			if r.Method != http.MethodHead {
				_, _ = io.WriteString(w, "<Error><Code>"+tc.code+"</Code></Error>")
			}
		})
		_, err := open(t, s3.Config{Hosts: []string{host}}).Bucket().Ensure(t.Context())
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
	}
}

func TestRemoveRefused(t *testing.T) {
	r := serve(t, responder.Options{})
	st := open(t, s3.Config{Hosts: []string{r.Host()}})
	if err := s3.Put(t.Context(), st.Session(0), putCall("k", "x")); err != nil {
		t.Fatal(err)
	}
	if err := st.Bucket().Remove(t.Context()); err == nil || !strings.Contains(err.Error(), r.URL()+": cannot remove the bucket (409 BucketNotEmpty") {
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
	st := open(t, s3.Config{Hosts: []string{handle(t, handler), handle(t, handler)}})
	var got []s3.Upload
	err := st.Bucket().Uploads(t.Context(), "p/", func(u s3.Upload) error { got = append(got, u); return nil })
	if want := []s3.Upload{{Key: "p/a", ID: "1"}, {Key: "p/b", ID: "2"}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	stop := errors.New("enough")
	if err := st.Bucket().Uploads(t.Context(), "p/", func(s3.Upload) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
	if err := st.Bucket().Abort(t.Context(), got[0]); err != nil || len(aborted) != 2 || aborted[0] != "/bucket/p/a?1" {
		t.Errorf("%v, aborted %q", err, aborted)
	}
}

func TestNoLocationIsAsked(t *testing.T) {
	r := serve(t, responder.Options{})
	st := open(t, s3.Config{Hosts: []string{r.Host()}})
	if _, err := st.Bucket().Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := r.Requests(responder.Bucket); n != 1 {
		t.Errorf("%d requests to see that the bucket is there, want the one HEAD", n)
	}
	if n := r.Requests(op.List); n != 0 {
		t.Errorf("%d listings", n)
	}
}

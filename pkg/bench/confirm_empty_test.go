package bench_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
)

// front opens a store at a responder whose requests pass a handler first.
func front(t *testing.T, opts responder.Options, handle func(h http.Handler, w http.ResponseWriter, r *http.Request)) *oddStore {
	t.Helper()
	s := oddly(t, "", opts)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handle(s.server, w, r) }))
	t.Cleanup(server.Close)
	s.cfg.Hosts = []string{strings.TrimPrefix(server.URL, "http://")}
	store, err := connect.New(s.cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	s.Store = store
	return s
}

// A run that is refused leaves nothing either, whatever the bucket keeps: no probe, no version, no delete marker.
func TestRefusedRunLeavesNothing(t *testing.T) {
	without := func(name string) func(http.Handler, http.ResponseWriter, *http.Request) {
		return func(h http.Handler, w http.ResponseWriter, r *http.Request) {
			r.Header.Del(name)
			h.ServeHTTP(w, r)
		}
	}
	for _, tc := range []struct {
		workload string
		handle   func(http.Handler, http.ResponseWriter, *http.Request)
		options  func(*s3.Config)
	}{
		{workload: "append", handle: without("X-Amz-Write-Offset-Bytes")},
		{workload: "snowball", handle: without("X-Amz-Meta-Snowball-Auto-Extract")},
		{workload: "zip", handle: without("X-Minio-Extract")},
		{workload: "copy", handle: without("X-Amz-Copy-Source")},
		{workload: "put", handle: without("X-Amz-Server-Side-Encryption"), options: func(c *s3.Config) { c.Uploads.Encryption = s3.SSES3 }},
	} {
		for _, kind := range []string{"none", "enabled", "suspended", "made up"} {
			t.Run(tc.workload+", "+kind, func(t *testing.T) {
				opts := responder.Options{}
				switch kind {
				case "suspended":
					opts.Versions = responder.VersionsSuspended
				case "made up":
					opts.Versions = responder.VersionsMadeUp
				}
				s := front(t, opts, tc.handle)
				if kind == "enabled" {
					if err := ops.EnableVersioning(t.Context(), s.Session(0), &s3.Call{}); err != nil {
						t.Fatal(err)
					}
				}
				if tc.options != nil {
					tc.options(&s.cfg)
					store, err := connect.New(s.cfg)
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(store.Close)
					s.Store = store
				}
				if m, err := s.run(t, tc.workload, nil); err == nil || len(m.ops) > 0 {
					t.Errorf("it was not refused: %v", err)
				}
				if left := s.left(); len(left) > 0 {
					t.Errorf("left: %q", left)
				}
			})
		}
	}
}

// Some servers answer a copy with an id that they made up, and then confirm the deletion of a version that never was.
func TestProbeOfCopiesWithMadeUpVersions(t *testing.T) {
	s := front(t, responder.Options{}, func(h http.Handler, w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodDelete && r.URL.Query().Has("versionId"):
			w.WriteHeader(http.StatusNoContent)
			return
		case r.Header.Get("X-Amz-Copy-Source") != "":
			w.Header().Set("X-Amz-Version-Id", "made-up")
		}
		h.ServeHTTP(w, r)
	})
	if _, err := s.run(t, "copy", nil); err != nil {
		t.Error(err)
	}
	if left := s.left(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// A server that confirms multi-deletes and does nothing is found out, and its objects are removed one by one.
func TestDeletionsThatAreConfirmedAndNotDone(t *testing.T) {
	bench.ShortenCleanup(t, time.Millisecond)
	for _, single := range []bool{false, true} {
		ended := false
		s := front(t, responder.Options{}, func(h http.Handler, w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodPost && r.URL.Query().Has("delete"):
				ended = true
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = io.WriteString(w, `<DeleteResult></DeleteResult>`)
				return
			case single && ended && r.Method == http.MethodDelete:
				w.WriteHeader(http.StatusNoContent)
				return
			}
			h.ServeHTTP(w, r)
		})
		_, err := s.run(t, "stat", func(p *bench.Plan) { p.Phases[0].Concurrency = 2 })
		left := s.left()
		if !single && (err != nil || len(left) > 0) {
			t.Errorf("%v; left: %q", err, left)
		}
		if want := "clean-up: 41 objects could not be removed"; single && (err == nil || !strings.Contains(err.Error(), want) || len(left) != 41) {
			t.Errorf("%v, want %q; %d left", err, want, len(left))
		}
	}
}

// A bucket that keeps versions and does not list them is not clean, and the run says of how many objects versions are left.
func TestVersionsThatAreNotListed(t *testing.T) {
	s := front(t, responder.Options{}, func(h http.Handler, w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("versions") {
			_, _ = io.WriteString(w, `<ListBucketVersionsResult></ListBucketVersionsResult>`)
			return
		}
		h.ServeHTTP(w, r)
	})
	if err := ops.EnableVersioning(t.Context(), s.Session(0), &s3.Call{}); err != nil {
		t.Fatal(err)
	}
	_, err := s.run(t, "stat", nil)
	if want := "clean-up: versions of 40 objects are left"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// Legal holds are released also where the error of a multi-delete names no version.
func TestHoldsWhereErrorsNameNoVersion(t *testing.T) {
	s := front(t, responder.Options{}, func(h http.Handler, w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || !r.URL.Query().Has("delete") {
			h.ServeHTTP(w, r)
			return
		}
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		text := rec.Body.String()
		for {
			before, rest, found := strings.Cut(text, "<VersionId>")
			if !found {
				break
			}
			_, after, _ := strings.Cut(rest, "</VersionId>")
			text = before + after
		}
		w.WriteHeader(rec.Code)
		_, _ = io.Copy(w, bytes.NewBufferString(text))
	})
	if err := preflight.Open(s).Remove(t.Context()); err != nil { // so that the run makes it with object lock
		t.Fatal(err)
	}
	if _, err := s.run(t, "legal-hold", nil); err != nil {
		t.Error(err)
	}
	if left := s.left(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// What a store lists for a while after its deletion is no leftover.
func TestListingsThatLag(t *testing.T) {
	bench.ShortenCleanup(t, time.Millisecond)
	lists, deleted := 0, false
	s := front(t, responder.Options{}, func(h http.Handler, w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if r.Method == http.MethodPost && query.Has("delete") {
			deleted = true
		}
		if prefix := query.Get("prefix"); deleted && query.Has("list-type") && lists < 4 && !strings.Contains(prefix, "claim") {
			lists++
			_, _ = fmt.Fprintf(w, "<ListBucketResult><Contents><Key>%s0.x.rnd</Key></Contents></ListBucketResult>", prefix)
			return
		}
		h.ServeHTTP(w, r)
	})
	_, err := s.run(t, "stat", func(p *bench.Plan) { p.Data.NoPrefix, p.Phases[0].Concurrency = true, 1 })
	if err != nil || lists < 4 || s.server.Requests(op.List) == 0 {
		t.Errorf("%v after %d listings", err, lists)
	}
}

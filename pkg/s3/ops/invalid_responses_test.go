package ops_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
)

func keys(names ...string) string {
	var b strings.Builder
	for _, n := range names {
		b.WriteString("<Contents><Key>" + n + "</Key></Contents>")
	}
	return b.String()
}

func numbered(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("p/%05d", i))
	}
	return names
}

// TestWrongListings: pages that cannot be right are errors.
func TestWrongListings(t *testing.T) {
	const page = "<ListBucketResult>%s</ListBucketResult>"
	for name, tc := range map[string]struct{ body, want string }{
		"right":            {fmt.Sprintf(page, keys("p/a", "p/b")), ""},
		"not sorted":       {fmt.Sprintf(page, keys("p/b", "p/a")), ""},
		"a full page":      {fmt.Sprintf(page, keys(numbered(1000)...)), ""},
		"half of it twice": {fmt.Sprintf(page, keys("p/a", "p/b", "p/a", "p/b")), "wrong listing"},
		"a key twice":      {fmt.Sprintf(page, keys("p/a", "p/a")), "wrong listing"},
		"another prefix":   {fmt.Sprintf(page, keys("p/a", "q/b")), "wrong listing"},
		"too many":         {fmt.Sprintf(page, keys(numbered(1001)...)), "wrong listing"},
		"too long":         {fmt.Sprintf(page, strings.Repeat(" ", 17<<20)), "bad answer"},
		"too deep":         {fmt.Sprintf(page, strings.Repeat("<a>", 100)+strings.Repeat("</a>", 100)), "bad answer"},
	} {
		host := responding(t, tc.body)
		eachEngine(t, func(t *testing.T, open opener) {
			l := &ops.Listing{Prefix: "p/"}
			if err := ops.List(t.Context(), open(t, s3.Config{Hosts: []string{host}}).Session(0), &s3.Call{}, l); class(err) != tc.want {
				t.Errorf("%s: %v, want class %q", name, err, tc.want)
			}
		})
	}
}

// TestListingsWithoutEnd: pages that go round in circles of any length are an error, and so few pages show it.
func TestListingsWithoutEnd(t *testing.T) {
	for _, circle := range []int64{1, 2, 3, 7} {
		var n atomic.Int64
		host := handle(t, func(w http.ResponseWriter, r *http.Request) {
			marker := n.Add(1) % circle
			switch q := r.URL.Query(); {
			case q.Has("uploads"):
				_, _ = fmt.Fprintf(w, "<ListMultipartUploadsResult><IsTruncated>true</IsTruncated><NextKeyMarker>%d</NextKeyMarker></ListMultipartUploadsResult>", marker)
			case q.Has("versions"):
				_, _ = fmt.Fprintf(w, "<ListVersionsResult><IsTruncated>true</IsTruncated><NextKeyMarker>%d</NextKeyMarker></ListVersionsResult>", marker)
			default:
				_, _ = fmt.Fprintf(w, "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>%d</NextContinuationToken></ListBucketResult>", marker)
			}
		})
		eachEngine(t, func(t *testing.T, open opener) {
			st := open(t, s3.Config{Hosts: []string{host}})
			for _, all := range []bool{false, true} {
				s, l := st.Session(0), &ops.Listing{All: all}
				var err error
				pages := 0
				for ; err == nil && pages < 50; pages++ {
					err = ops.List(t.Context(), s, &s3.Call{}, l)
					l.Token = l.Next
				}
				if class(err) != "bad answer" {
					t.Errorf("circle of %d, versions %v: after %d pages: %v", circle, all, pages, err)
				}
			}
			before := n.Load()
			err := preflight.Open(st).Uploads(t.Context(), "", func(ops.Upload) error { return nil })
			if asked := n.Load() - before; class(err) != "bad answer" || asked > 50 {
				t.Errorf("circle of %d, uploads: after %d pages: %v", circle, asked, err)
			}
		})
	}
}

// TestErrorsBehindSuccess: status 200 with an error in the body is an error; other bodies do no harm.
func TestErrorsBehindSuccess(t *testing.T) {
	for name, tc := range map[string]struct{ body, want string }{
		"empty":      {"", ""},
		"text":       {"stored", ""},
		"result":     {"<Result><Code>Fine</Code></Result>", ""},
		"error":      {"<?xml version=\"1.0\"?>\n<Error><Code>InternalError</Code><Message>m</Message></Error>", "InternalError"},
		"codeless":   {"<Error><Message>m</Message></Error>", "bad answer"},
		"no end yet": {strings.Repeat("x", 1<<20), "bad answer"},
	} {
		for _, chunked := range []bool{false, true} {
			host := handle(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if chunked {
					_ = http.NewResponseController(w).Flush()
				}
				_, _ = io.WriteString(w, tc.body)
			})
			eachEngine(t, func(t *testing.T, open opener) {
				s := open(t, s3.Config{Hosts: []string{host}}).Session(0)
				_, partErr := ops.PutPart(t.Context(), s, putCall("k", "hello"), "id", 1)
				for kind, err := range map[string]error{
					"put": ops.Put(t.Context(), s, putCall("k", "hello")), "part": partErr,
					"delete": ops.Delete(t.Context(), s, &s3.Call{Key: "k"}),
				} {
					if class(err) != tc.want {
						t.Errorf("%s, %s, chunked %v: %v, want class %q", kind, name, chunked, err, tc.want)
					}
				}
			})
		}
	}
}

// TestMoreDeleteErrorsThanKeys: a multi-delete can only fail for objects that it was to delete.
func TestMoreDeleteErrorsThanKeys(t *testing.T) {
	failed := func(names ...string) string {
		var b strings.Builder
		for _, n := range names {
			b.WriteString("<Error><Key>" + n + "</Key><Code>AccessDenied</Code></Error>")
		}
		return "<DeleteResult>" + b.String() + "</DeleteResult>"
	}
	for _, tc := range []struct {
		body, want string
		failed     int
	}{
		{failed("a"), "not deleted", 1},
		{failed("b", "a"), "not deleted", 2},
		{failed("a", "a"), "bad answer", 0},
		{failed("c"), "bad answer", 0},
		{failed("a", "b", "a"), "bad answer", 0},
		{failed(numbered(100_000)...), "bad answer", 0},
	} {
		host := responding(t, tc.body)
		eachEngine(t, func(t *testing.T, open opener) {
			d := &ops.Deletion{Objects: []ops.ObjectID{{Key: "a"}, {Key: "b"}}}
			err := ops.DeleteMany(t.Context(), open(t, s3.Config{Hosts: []string{host}}).Session(0), &s3.Call{}, d)
			if class(err) != tc.want || len(d.Failed) != tc.failed {
				t.Errorf("%.80s: %v, %d failed; want class %q, %d", tc.body, err, len(d.Failed), tc.want, tc.failed)
			}
		})
	}
}

// TestKeysOutsideXML: a multi-delete that would name another key than was asked for is not sent.
func TestKeysOutsideXML(t *testing.T) {
	var asked atomic.Int64
	host := handle(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		_, _ = io.WriteString(w, "<DeleteResult/>")
	})
	for key, fits := range map[string]bool{
		"a": true, "tab\t": true, "lines\r\n": true, "\u007f\u0085": true, "ü日\U0001F600": true, "really \uFFFD": true,
		"nul\x00": false, "bell\a": false, "\x1b[0m": false, "half \xc3": false, "\uFFFE": false, "\uFFFF": false,
	} {
		if got := (ops.ObjectID{Key: key}).Batchable(); got != fits {
			t.Errorf("%q: %v", key, got)
		}
		eachEngine(t, func(t *testing.T, open opener) {
			before := asked.Load()
			s := open(t, s3.Config{Hosts: []string{host}}).Session(0)
			err := ops.DeleteMany(t.Context(), s, &s3.Call{}, &ops.Deletion{Objects: []ops.ObjectID{{Key: "fine"}, {Key: key}}})
			if sent := asked.Load() > before; sent != fits || (class(err) == "invalid request") != !fits {
				t.Errorf("%q: sent %v, %v", key, sent, err)
			}
		})
	}
}

// TestPlainHeads: objects without a Last-Modified, or with headers that cannot be read, are fine.
func TestPlainHeads(t *testing.T) {
	for _, header := range []string{"", "Last-Modified: yesterday", "Expires: never", "X-Amz-Tagging-Count: many"} {
		host := handle(t, func(w http.ResponseWriter, r *http.Request) {
			if name, value, ok := strings.Cut(header, ": "); ok {
				w.Header().Set(name, value)
			}
			w.Header().Set("Content-Length", "5")
			if r.Method == http.MethodGet {
				_, _ = io.WriteString(w, "12345")
			}
		})
		eachEngine(t, func(t *testing.T, open opener) {
			s := open(t, s3.Config{Hosts: []string{host}}).Session(0)
			if err := ops.Get(t.Context(), s, &s3.Call{Key: "k", Size: 5}); err != nil {
				t.Errorf("get, %q: %v", header, err)
			}
			if err := ops.Stat(t.Context(), s, &s3.Call{Key: "k", Size: -1}); err != nil {
				t.Errorf("stat, %q: %v", header, err)
			}
		})
	}
}

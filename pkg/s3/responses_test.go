package s3_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/internal/responder"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

func TestBrokenResponsesToGet(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		const modified = "Mon, 02 Jan 2006 15:04:05 GMT"
		tests := []struct {
			name    string
			handler http.HandlerFunc
			call    s3.Call
			want    string
		}{
			{"short", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", "10")
				_, _ = io.WriteString(w, "12345")
			}, s3.Call{Size: 10}, "short body"},
			{"wrong length", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "12345") }, s3.Call{Size: 10}, "wrong length"},
			{"too long", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "12345") }, s3.Call{Size: 4}, "wrong length"},
			{"unknown length", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "12345") }, s3.Call{Size: -1}, ""},
			{"range ignored", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "12345") }, s3.Call{Size: 5, Offset: 1, Length: 2}, "range ignored"},
			{"range with status 200", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Range", "bytes 1-2/5")
				_, _ = io.WriteString(w, "23")
			}, s3.Call{Size: 5, Offset: 1, Length: 2}, ""},
			{"range with status 200, and all of the object", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Range", "bytes 1-2/5")
				_, _ = io.WriteString(w, "12345")
			}, s3.Call{Size: 5, Offset: 1, Length: 2}, "wrong length"},
			{"range with a wrong end", partial("bytes 1-4/5", "23"), s3.Call{Size: 5, Offset: 1, Length: 2}, "wrong range"},
			{"range without an end", partial("bytes 1-/5", "23"), s3.Call{Size: 5, Offset: 1, Length: 2}, "wrong range"},
			{"range of a shorter object", partial("bytes 1-1/2", "2"), s3.Call{Size: 5, Offset: 1, Length: 2}, "wrong length"},
			{"range of an object of unknown size", partial("bytes 1-2/*", "23"), s3.Call{Size: 5, Offset: 1, Length: 2}, ""},
			{"range without a Content-Range", partial("", "23"), s3.Call{Size: 5, Offset: 1, Length: 2}, ""},
			{"other range", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Range", "bytes 0-1/5")
				w.WriteHeader(206)
				_, _ = io.WriteString(w, "12")
			}, s3.Call{Size: 5, Offset: 1, Length: 2}, "wrong range"},
			{"range", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Range", "bytes 1-2/5")
				w.WriteHeader(206)
				_, _ = io.WriteString(w, "23")
			}, s3.Call{Size: 5, Offset: 1, Length: 2}, ""},
			{
				"refusing reader", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "12345") },
				s3.Call{Size: 5, Into: refuser{}},
				"content differs",
			},
		}
		for _, tc := range tests {
			t.Run(tc.name, func(t *testing.T) {
				host := handle(t, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Last-Modified", modified)
					tc.handler(w, r)
				})
				c := tc.call
				c.Key = "k"
				err := ops.Get(t.Context(), open(t, s3.Config{Hosts: []string{host}}).Session(0), &c)
				if class(err) != tc.want {
					t.Errorf("%v, want class %q", err, tc.want)
				}
				if plain := tc.call.Length > 0 && c.Status == 200; err == nil && c.PlainRange != plain {
					t.Errorf("range with status 200: %v, want %v", c.PlainRange, plain)
				}
				if c.Status == 0 || c.FirstByte.IsZero() {
					t.Errorf("the response is not noted: %+v", c)
				}
			})
		}
	})
}

// partial responds with a part of an object.
func partial(contentRange, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if contentRange != "" {
			w.Header().Set("Content-Range", contentRange)
		}
		w.WriteHeader(http.StatusPartialContent)
		_, _ = io.WriteString(w, body)
	}
}

type refuser struct{}

func (refuser) Write([]byte) (int, error) { return 0, errors.New("byte 0 is not what it should be") }

func TestCancel(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		r := serve(t, responder.Options{Rule: func(op.Kind, uint64) responder.Fault { return responder.Fault{Delay: time.Minute} }})
		s := open(t, s3.Config{Hosts: []string{r.Host()}, Retries: 5}).Session(0)
		for name, do := range map[string]func(context.Context, *s3.Call) error{
			"get":    func(ctx context.Context, c *s3.Call) error { return ops.Get(ctx, s, c) },
			"list":   func(ctx context.Context, c *s3.Call) error { return ops.List(ctx, s, c, &ops.Listing{}) },
			"delete": func(ctx context.Context, c *s3.Call) error { return ops.Delete(ctx, s, c) },
			"many":   func(ctx context.Context, c *s3.Call) error { return ops.DeleteMany(ctx, s, c, &ops.Deletion{}) },
		} {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			if err := do(ctx, &s3.Call{Key: "k", Size: -1}); class(err) != "timeout" {
				t.Errorf("%s: %v", name, err)
			}
			cancel()
			ctx, cancel = context.WithCancel(t.Context())
			stop := time.AfterFunc(20*time.Millisecond, cancel)
			if err := do(ctx, &s3.Call{Key: "k", Size: -1}); class(err) != "canceled" {
				t.Errorf("%s: %v", name, err)
			}
			stop.Stop()
		}
	})
}

func TestTimeout(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		r := serve(t, responder.Options{Rule: func(op.Kind, uint64) responder.Fault { return responder.Fault{Delay: time.Minute} }})
		s := open(t, s3.Config{Hosts: []string{r.Host()}, Timeout: 20 * time.Millisecond}).Session(0)
		if err := ops.Get(t.Context(), s, &s3.Call{Key: "k", Size: -1}); class(err) != "timeout" {
			t.Errorf("%v", err)
		}
	})
}

func TestConnectionClosed(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		r := serve(t, responder.Options{Rule: func(op.Kind, uint64) responder.Fault { return responder.Fault{Close: true} }})
		s := open(t, s3.Config{Hosts: []string{r.Host()}}).Session(0)
		c := putCall("k", "x")
		if err := ops.Put(t.Context(), s, c); class(err) != "connection closed" || c.Status != 0 || c.Retries != 0 {
			t.Errorf("%v, status %d, retries %d", err, c.Status, c.Retries)
		}
	})
}

// works: MinIO warp: time to first byte of uploads is from the last byte sent to the response
func TestTimeStamps(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		const delay = 300 * time.Millisecond
		r := serve(t, responder.Options{Record: true, Rule: func(op.Kind, uint64) responder.Fault { return responder.Fault{Delay: delay} }})
		store := open(t, s3.Config{Hosts: []string{r.Host()}})
		c := putCall("k", "x")
		start := clock.Now()
		if err := ops.Put(t.Context(), store.Session(0), c); err != nil {
			t.Fatal(err)
		}
		end := clock.Now()
		store.Close()
		if err := r.Close(); err != nil { // from then on its record is complete
			t.Fatal(err)
		}
		responded := r.Injected()[0].First
		// The system may have sent the body a while before it gets round to saying so, but not for half of the delay.
		if c.Sent.Before(start) || c.FirstByte.Sub(c.Sent) < delay/2 || c.FirstByte.Before(responded) || c.FirstByte.After(end) {
			t.Errorf("start %v, sent +%v, the server responded +%v, first byte +%v, end +%v", start, c.Sent.Sub(start), responded.Sub(start), c.FirstByte.Sub(start), end.Sub(start))
		}
	})
}

// TestResentIsCounted: both engines send a request again when the server closes a connection that was used before, and say so. It is no
// retry, and both sendings count as requests.
func TestResentIsCounted(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		for _, kind := range []func(context.Context, s3.Session, *s3.Call) error{ops.Stat, ops.Delete, ops.Put, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			c.Size = -1 // what comes back has no contents
			return ops.Get(ctx, s, c)
		}} {
			r := serve(t, responder.Options{Forget: true, ObjectSize: 1, Rule: func(_ op.Kind, n uint64) responder.Fault { return responder.Fault{Close: n == 1} }})
			store := open(t, s3.Config{Hosts: []string{r.Host()}})
			s := store.Session(0)
			for i, want := range []int{0, 1, 0} {
				c := putCall("k", "x")
				if err := kind(t.Context(), s, c); err != nil || c.Resent != want || c.Requests != 1+want || c.Retries != 0 {
					t.Errorf("request %d: %v, resent %d, want %d; %d requests, %d retries", i, err, c.Resent, want, c.Requests, c.Retries)
				}
			}
		}
	})
}

func TestEncrypt(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		var keys, sources []string
		kind := "X-Amz-Server-Side-Encryption-Customer-Algorithm"
		s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			keys = append(keys, r.Header.Get("X-Amz-Server-Side-Encryption-Customer-Key"))
			source := strings.Replace(kind, "X-Amz-", "X-Amz-Copy-Source-", 1)
			sources = append(sources, r.Header.Get(source)+" "+r.Header.Get(strings.Replace(source, "Algorithm", "Key", 1)))
			w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
			switch { // MinIO does not confirm the key of uploads that begin, and of copies
			case r.URL.Query().Has("uploads"):
				_, _ = io.WriteString(w, "<InitiateMultipartUploadResult><UploadId>id</UploadId></InitiateMultipartUploadResult>")
			case r.URL.Query().Has("partNumber"):
				_, _ = io.WriteString(w, "<CopyPartResult><ETag>e</ETag></CopyPartResult>")
			case r.Header.Get("X-Amz-Copy-Source") != "":
				_, _ = io.WriteString(w, "<CopyObjectResult/>")
			default:
				w.Header().Set(kind, r.Header.Get(kind))
			}
		}))
		t.Cleanup(s.Close)
		st := open(t, s3.Config{Hosts: []string{strings.TrimPrefix(s.URL, "https://")}, TLS: true, Insecure: true, Encrypt: true})
		a, b := st.Session(0), st.Session(1)
		errs := []error{ops.Put(t.Context(), a, putCall("k", "x")), ops.Get(t.Context(), b, &s3.Call{Key: "k", Size: 0}), ops.Stat(t.Context(), b, &s3.Call{Key: "k"})}
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		if len(keys) != 3 || keys[0] == "" || keys[0] != keys[1] || keys[1] != keys[2] {
			t.Errorf("keys differ or are missing: %d", len(keys))
		}
		sources = nil
		if _, err := ops.CreateUpload(t.Context(), a, &s3.Call{Key: "copy"}); err != nil {
			t.Error(err)
		}
		c := &s3.Call{Key: "copy"}
		if err := ops.Copy(t.Context(), a, c, "/bucket/k"); err != nil {
			t.Error(err)
		}
		if _, err := ops.CopyPart(t.Context(), a, c, &ops.Document{}, "/bucket/k", "id", 1); err != nil {
			t.Error(err)
		}
		if want := "AES256 " + keys[0]; len(sources) != 3 || sources[1] != want || sources[2] != want || keys[3] != keys[0] || keys[5] != keys[0] {
			t.Errorf("sources are decrypted by %q, the copies encrypted by %q; want %q", sources, keys[3:], want)
		}
	})
}

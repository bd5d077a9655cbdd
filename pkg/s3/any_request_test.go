package s3_test

import (
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// tags is an example of a verb that the package does not have: a function over exported names.
func tags(ctx context.Context, s s3.Session, c *s3.Call) (map[string]string, error) {
	var got struct {
		Tags []struct{ Key, Value string } `xml:"TagSet>Tag"`
	}
	c.Begin(http.MethodGet, s3.NoAccess)
	c.Query = append(c.Query, s3.Param{Name: "tagging"})
	c.Parse = func(r io.Reader) error {
		got.Tags = got.Tags[:0]
		return xml.NewDecoder(r).Decode(&got)
	}
	err := s.Do(ctx, c)
	all := map[string]string{}
	for _, t := range got.Tags {
		all[t.Key] = t.Value
	}
	return all, err
}

// tag is one with a body, a header of its own, and a header of the response.
func tag(ctx context.Context, s s3.Session, c *s3.Call, name, value string) (version string, err error) {
	c.Begin(http.MethodPut, s3.NoAccess)
	c.Query = append(c.Query, s3.Param{Name: "tagging"})
	c.SetDocument(fmt.Appendf(nil, "<Tagging><TagSet><Tag><Key>%s</Key><Value>%s</Value></Tag></TagSet></Tagging>", name, value))
	c.Headers = append(c.Headers, s3.Header{Name: "X-Amz-Expected-Bucket-Owner", Value: "1  2"})
	c.Want = append(c.Want, "x-tag-version")
	if err := s.Do(ctx, c); err != nil {
		return "", err
	}
	return c.Got[0], nil
}

// tagServer keeps one set of tags, and the requests that it got.
type tagServer struct {
	mu   sync.Mutex
	tags string
	seen []string
}

func (s *tagServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	line := r.Method + " " + r.RequestURI
	for _, name := range []string{"Range", "Content-Type", "Content-Md5", "X-Amz-Expected-Bucket-Owner", "X-Amz-Content-Sha256", "X-Amz-Meta-A"} {
		if v := r.Header.Get(name); v != "" {
			line += fmt.Sprintf(" %s=%s", name, v)
		}
	}
	s.seen = append(s.seen, fmt.Sprintf("%s %q", line, body))
	switch q := r.URL.Query(); {
	case q.Has("tagging") && r.Method == http.MethodPut:
		sum := md5.Sum(body)
		if base64.StdEncoding.EncodeToString(sum[:]) != r.Header.Get("Content-Md5") || !strings.Contains(r.Header.Get("Authorization"), "x-amz-expected-bucket-owner") {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("X-Tag-Version", "7")
		s.tags = string(body)
	case q.Has("tagging"):
		_, _ = io.WriteString(w, s.tags)
	case q.Has("uploads"):
		_, _ = io.WriteString(w, "<InitiateMultipartUploadResult><UploadId>id&amp;1</UploadId></InitiateMultipartUploadResult>")
	case q.Has("uploadId") && r.Method == http.MethodPost:
		_, _ = io.WriteString(w, "<CompleteMultipartUploadResult/>")
	case q.Has("delete"):
		_, _ = io.WriteString(w, "<DeleteResult/>")
	case q.Has("list-type"):
		_, _ = io.WriteString(w, "<ListBucketResult/>")
	case r.Method == http.MethodGet && r.Header.Get("Range") != "":
		w.Header().Set("Content-Range", "bytes 2-4/9")
		w.WriteHeader(http.StatusPartialContent)
		_, _ = io.WriteString(w, "234")
	case r.Method == http.MethodPut:
		w.Header().Set("ETag", `"tag"`)
	}
}

func TestAnyRequest(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		server := httptest.NewServer(&tagServer{})
		defer server.Close()
		s, c := open(t, s3.Config{Hosts: []string{strings.TrimPrefix(server.URL, "http://")}}).Session(0), &s3.Call{Key: "k"}
		if version, err := tag(t.Context(), s, c, "a", "b"); err != nil || version != "7" {
			t.Fatalf("version %q, %v", version, err)
		}
		if got, err := tags(t.Context(), s, c); err != nil || len(got) != 1 || got["a"] != "b" || c.Start.IsZero() || c.FirstByte.Before(c.Start) {
			t.Errorf("%v, %v, %+v", got, err, c.Response)
		}
	})
}

// TestNothingIsLeft: what an operation sends does not depend on the one that its Call served before.
func TestNothingIsLeft(t *testing.T) {
	operations := []func(ctx context.Context, s s3.Session, c *s3.Call) error{
		func(ctx context.Context, s s3.Session, c *s3.Call) error {
			_, err := tag(ctx, s, c, "a", "b")
			return err
		},
		func(ctx context.Context, s s3.Session, c *s3.Call) error {
			c.Size = -1
			return ops.Stat(ctx, s, c)
		},
		func(ctx context.Context, s s3.Session, c *s3.Call) error {
			c.Offset, c.Length, c.Version, c.Size = 2, 3, "v", 9
			return ops.Get(ctx, s, c)
		},
		func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return ops.List(ctx, s, c, &ops.Listing{Prefix: "k", Flat: true})
		},
		func(ctx context.Context, s s3.Session, c *s3.Call) error {
			c.Body, c.Size = strings.NewReader("text"), 4
			return ops.Put(ctx, s, c)
		},
		func(ctx context.Context, s s3.Session, c *s3.Call) error {
			id, err := ops.CreateUpload(ctx, s, c)
			if err == nil && id != "id&1" {
				err = fmt.Errorf("upload %q", id)
			}
			return err
		},
		func(ctx context.Context, s s3.Session, c *s3.Call) error {
			c.Body, c.Size = strings.NewReader("part"), 4
			part, err := ops.PutPart(ctx, s, c, "id", 3)
			if err == nil && part != (ops.Part{Number: 3, ETag: "tag", Size: 4}) {
				err = fmt.Errorf("part %v", part)
			}
			return err
		},
		func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return ops.CompleteUpload(ctx, s, c, "id", []ops.Part{{Number: 1, ETag: "a<b"}, {Number: 2, ETag: "c"}})
		},
		func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return ops.DeleteMany(ctx, s, c, &ops.Deletion{Objects: []ops.ObjectID{{Key: "k"}}})
		},
		ops.Delete,
		func(ctx context.Context, s s3.Session, c *s3.Call) error { return ops.AbortUpload(ctx, s, c, "id") },
	}
	eachEngine(t, func(t *testing.T, open opener) {
		seen := &tagServer{}
		server := httptest.NewServer(seen)
		defer server.Close()
		s := open(t, s3.Config{Hosts: []string{strings.TrimPrefix(server.URL, "http://")}, Headers: []s3.Header{{Name: "X-Amz-Meta-A", Value: "b"}}}).Session(0)
		send := func(i int, c *s3.Call) string {
			c.Key = "k"
			if err := operations[i](t.Context(), s, c); err != nil {
				t.Errorf("operation %d: %v", i, err)
			}
			seen.mu.Lock()
			defer seen.mu.Unlock()
			return seen.seen[len(seen.seen)-1]
		}
		for before := range operations {
			for after := range operations {
				used := &s3.Call{}
				send(before, used)
				used.Version, used.Offset, used.Length, used.Size = "", 0, 0, -1 // what its caller sets
				if got, want := send(after, used), send(after, &s3.Call{Size: -1}); got != want {
					t.Errorf("%d after %d sends\n%s, want\n%s", after, before, got, want)
				}
			}
		}
	})
}

// TestHTTP2: the engine std speaks it over TLS, where the server does.
func TestHTTP2(t *testing.T) {
	var mu sync.Mutex
	major := map[int]int{}
	objects := map[string]string{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // not under the lock: the streams of a connection share the space for what is not read yet
		mu.Lock()
		defer mu.Unlock()
		major[r.ProtoMajor]++
		switch r.Method {
		case http.MethodPut:
			objects[r.URL.Path] = string(body)
		case http.MethodGet:
			text, ok := objects[r.URL.Path]
			if !ok {
				w.WriteHeader(http.StatusNotFound)
				text = "<Error><Code>NoSuchKey</Code></Error>"
			}
			_, _ = io.WriteString(w, text)
		}
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	st := open(t, s3.Config{Hosts: []string{strings.TrimPrefix(server.URL, "https://")}, TLS: true, Insecure: true, Engine: "std"})
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			s, key := st.Session(worker), fmt.Sprint("k", worker)
			body := strings.Repeat(key, 100_000)
			c := putCall(key, body)
			if err := ops.Put(t.Context(), s, c); err != nil || c.Sent.IsZero() || c.FirstByte.IsZero() {
				t.Errorf("%v, %+v", err, c.Response)
			}
			var got strings.Builder
			c = &s3.Call{Key: key, Size: int64(len(body)), Into: &got}
			if err := ops.Get(t.Context(), s, c); err != nil || got.String() != body {
				t.Errorf("%d bytes, %v", got.Len(), err)
			}
			if err := ops.Get(t.Context(), s, &s3.Call{Key: "none", Size: -1}); class(err) != "404 NoSuchKey" {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if major[2] != 24 || len(major) != 1 {
		t.Errorf("requests by version of HTTP: %v", major)
	}
}

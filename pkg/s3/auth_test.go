package s3_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"warp/pkg/s3"
	"warp/pkg/s3/internal/s3test"
	"warp/pkg/s3/ops"
)

// got is what a server got.
type got struct {
	*http.Request
	body []byte
}

// receive starts a server that keeps the latest request.
func receive(t *testing.T) (host string, latest func() got) {
	var mu sync.Mutex
	var last got
	host = s3test.Handle(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		last = got{r.Clone(context.Background()), body}
	})
	return host, func() got {
		mu.Lock()
		defer mu.Unlock()
		return last
	}
}

// A presigned request has its signature in the URL, and no header of one; its own parameters and headers are signed with it.
// That servers accept it is tested by the benchmarks.
func TestPresigned(t *testing.T) {
	s3test.EachEngine(t, func(t *testing.T, open s3test.Opener) {
		host, latest := receive(t)
		store := open(t, s3.Config{
			Hosts: []string{host}, AccessKey: "AK", SecretKey: "SK", SessionToken: "TK", Region: "eu-1",
			Headers: []s3.Header{{Name: "X-Amz-Meta-A", Value: "b"}},
		})
		if err := ops.Put(t.Context(), store.Session(0), &s3.Call{Auth: s3.AuthQuery, Key: "a/b c+d", Body: strings.NewReader("text"), Size: 4}); err != nil {
			t.Fatal(err)
		}
		r := latest()
		q := r.URL.Query()
		if r.Header.Get("Authorization") != "" || r.Header.Get("X-Amz-Date") != "" || r.Header.Get("X-Amz-Content-Sha256") != "" {
			t.Errorf("headers of a signature: %v", r.Header)
		}
		if len(q.Get("X-Amz-Signature")) != 64 || !strings.HasPrefix(q.Get("X-Amz-Credential"), "AK/") || !strings.Contains(q.Get("X-Amz-Credential"), "/eu-1/s3/") ||
			q.Get("X-Amz-SignedHeaders") != "content-type;host;x-amz-meta-a" || q.Get("X-Amz-Security-Token") != "TK" || q.Get("X-Amz-Expires") != "900" {
			t.Errorf("query %v", q)
		}
		if string(r.body) != "text" || r.Header.Get("X-Amz-Meta-A") != "b" || !strings.HasSuffix(r.URL.EscapedPath(), "/a/b%20c%2Bd") {
			t.Errorf("%s with %q, %v", r.URL.EscapedPath(), r.body, r.Header)
		}
		c := &s3.Call{Auth: s3.AuthQuery, Key: "k", Version: "7", Size: -1}
		if err := ops.Get(t.Context(), store.Session(0), c); err != nil || latest().URL.Query().Get("versionId") != "7" {
			t.Errorf("%v; %s", err, latest().URL)
		}
	})
}

// A form holds the key, the headers of uploads, a signed policy that names all of them, and the file at its end.
func TestForm(t *testing.T) {
	s3test.EachEngine(t, func(t *testing.T, open s3test.Opener) {
		host, latest := receive(t)
		store := open(t, s3.Config{
			Hosts: []string{host}, AccessKey: "AK", SecretKey: "SK", SessionToken: "TK",
			Headers: []s3.Header{{Name: "X-Amz-Meta-A", Value: "b"}, {Name: "X-Amz-Acl", Value: "private"}},
		})
		content := bytes.Repeat([]byte("0123456789"), 20_000)
		for _, size := range []int{0, 1, len(content)} {
			c := &s3.Call{Key: "a/b", Body: bytes.NewReader(content), Size: int64(size)}
			if err := ops.Post(t.Context(), store.Session(0), c); err != nil {
				t.Fatal(err)
			}
			r := latest()
			if r.Method != http.MethodPost || r.Header.Get("Authorization") != "" || !strings.HasSuffix(strings.TrimSuffix(r.URL.Path, "/"), "bucket") {
				t.Errorf("%s %s, %v", r.Method, r.URL, r.Header)
			}
			r.Body = io.NopCloser(bytes.NewReader(r.body))
			if err := r.ParseMultipartForm(1 << 20); err != nil {
				t.Fatal(err)
			}
			f, err := r.MultipartForm.File["file"][0].Open()
			if err != nil {
				t.Fatal(err)
			}
			file, err := io.ReadAll(f)
			if err != nil || !bytes.Equal(file, content[:size]) {
				t.Errorf("%d bytes in the file, want %d (%v)", len(file), size, err)
			}
			text, err := base64.StdEncoding.DecodeString(r.FormValue("policy"))
			var policy struct {
				Conditions []any
			}
			if err != nil || json.Unmarshal(text, &policy) != nil {
				t.Fatalf("policy %q: %v", text, err)
			}
			conditions, _ := json.Marshal(policy.Conditions)
			for name, want := range map[string]string{"key": "a/b", "x-amz-meta-a": "b", "acl": "private", "x-amz-security-token": "TK", "content-type": "application/octet-stream"} {
				if r.FormValue(name) != want || !strings.Contains(string(conditions), `{"`+name+`":"`+want+`"}`) {
					t.Errorf("field %s is %q, want %q, in %s", name, r.FormValue(name), want, conditions)
				}
			}
			if len(r.FormValue("x-amz-signature")) != 64 || !strings.Contains(string(conditions), `{"bucket":"bucket"}`) {
				t.Errorf("signature %q of %s", r.FormValue("x-amz-signature"), conditions)
			}
		}
		tagged := open(t, s3.Config{Hosts: []string{host}, AccessKey: "AK", SecretKey: "SK", Headers: []s3.Header{{Name: "X-Amz-Tagging", Value: "a=b"}}})
		if err := ops.Post(t.Context(), tagged.Session(0), &s3.Call{Key: "k", Body: strings.NewReader(""), Size: 0}); err == nil || !strings.Contains(err.Error(), "tags") {
			t.Errorf("with tags: %v", err)
		}
	})
}

// TestFormsHaveNoConditions: what a form cannot hold is refused, and not left out.
func TestFormsHaveNoConditions(t *testing.T) {
	s3test.EachEngine(t, func(t *testing.T, open s3test.Opener) {
		host, latest := receive(t)
		sess := open(t, s3.Config{Hosts: []string{host}, AccessKey: "AK", SecretKey: "SK"}).Session(0)
		for _, conditions := range []s3.Conditions{{Match: `"etag"`}, {NoneMatch: "*"}} {
			err := ops.Post(t.Context(), sess, &s3.Call{If: conditions, Key: "k", Body: strings.NewReader("text"), Size: 4})
			if err == nil || !strings.Contains(err.Error(), "a form has no condition") || latest().Request != nil {
				t.Errorf("%+v: %v", conditions, err)
			}
		}
	})
}

package s3_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/internal/s3test"
	"warp/pkg/s3/ops"
)

// The header of an extension is sent and signed.
func TestExtensionHeaders(t *testing.T) {
	s3test.EachEngine(t, func(t *testing.T, open s3test.Opener) {
		host, latest := receive(t)
		s := open(t, s3.Config{Hosts: []string{host}, AccessKey: "AK", SecretKey: "SK"}).Session(0)
		if err := ops.PutArchive(t.Context(), s, &s3.Call{Key: "a", Body: strings.NewReader("text"), Size: 4}); err != nil {
			t.Fatal(err)
		}
		r := latest()
		if r.Method != http.MethodPut || string(r.body) != "text" || r.Header.Get("X-Amz-Meta-Snowball-Auto-Extract") != "true" ||
			!strings.Contains(r.Header.Get("Authorization"), "x-amz-meta-snowball-auto-extract") {
			t.Errorf("%s %s, %v, %q", r.Method, r.URL, r.Header, r.body)
		}
		if err := ops.GetZipped(t.Context(), s, &s3.Call{Key: "a.zip/file", Size: -1}); err != nil {
			t.Fatal(err)
		}
		r = latest()
		if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, "/a.zip/file") || r.Header.Get("X-Minio-Extract") != "true" ||
			!strings.Contains(r.Header.Get("Authorization"), "x-minio-extract") {
			t.Errorf("%s %s, %v", r.Method, r.URL, r.Header)
		}
	})
}

// TestRename: the source and the token are signed. Repeated requests have the same token, others have another.
func TestRename(t *testing.T) {
	s3test.EachEngine(t, func(t *testing.T, open s3test.Opener) {
		host, latest := receive(t)
		s := open(t, s3.Config{Hosts: []string{host}, Bucket: "bucket", AccessKey: "AK", SecretKey: "SK"}).Session(0)
		source := ops.CopySource("bucket", ops.ObjectID{Key: "old name/é"})
		tokens := []string(nil)
		for _, key := range []string{"new name", "new name", "another"} {
			c := s3.Call{Key: key, Size: -1}
			if err := ops.Rename(t.Context(), s, &c, source); err != nil {
				t.Fatal(err)
			}
			r := latest()
			h, signed := r.Header, r.Header.Get("Authorization")
			tokens = append(tokens, h.Get("X-Amz-Client-Token"))
			if r.Method != http.MethodPut || r.URL.Path != "/bucket/"+key || !r.URL.Query().Has("renameObject") || len(r.body) > 0 ||
				h.Get("X-Amz-Rename-Source") != "bucket/old%20name/%C3%A9" || h.Get("X-Amz-Copy-Source") != "" ||
				!strings.Contains(signed, ";x-amz-rename-source") || !strings.Contains(signed, "x-amz-client-token;") {
				t.Errorf("%s %s, %v, %q", r.Method, r.URL, h, r.body)
			}
			if c.Source != source || ops.SourceKey(c.Source) != "old name/é" {
				t.Errorf("source %q, of key %q", c.Source, ops.SourceKey(c.Source))
			}
		}
		if len(tokens[0]) != 32 || tokens[0] != tokens[1] || tokens[0] == tokens[2] {
			t.Errorf("tokens %q", tokens)
		}
	})
}

// A fan-out is a form with a list of keys, which its policy names; the response must confirm each of them.
func TestFanOut(t *testing.T) {
	const one, two = `{"key":"a","etag":"e"}`, `{"key":"b","etag":"e"}`
	s3test.EachEngine(t, func(t *testing.T, open s3test.Opener) {
		for response, class := range map[string]string{
			one + "\n" + two + "\n":              "",
			one:                                  s3.ClassBadResponse,
			"":                                   s3.ClassBadResponse,
			one + two + one:                      s3.ClassBadResponse,
			one + "<html>":                       s3.ClassBadResponse,
			one + `{"key":"b","error":"broken"}`: "not made",
			strings.Repeat(one, 1<<19):           s3.ClassBadResponse,
		} {
			var fields map[string][]string
			var file []byte
			host := s3test.Handle(t, func(w http.ResponseWriter, r *http.Request) {
				if err := r.ParseMultipartForm(1 << 20); err != nil {
					t.Error(err)
					return
				}
				fields = r.MultipartForm.Value
				f, err := r.MultipartForm.File["file"][0].Open()
				if err == nil {
					file, err = io.ReadAll(f)
				}
				if err != nil {
					t.Error(err)
				}
				_, _ = io.WriteString(w, response) // the client may have had enough
			})
			s := open(t, s3.Config{Hosts: []string{host}, AccessKey: "AK", SecretKey: "SK"}).Session(0)
			c := &s3.Call{Key: "a", Body: strings.NewReader("text"), Size: 4}
			err := ops.FanOut(t.Context(), s, c, []string{"a", "b"})
			if err == nil && class != "" || err != nil && s3.AsError(err).Class != class {
				t.Errorf("%.40q: %v, want class %q", response, err, class)
			}
			list := fields["x-minio-fanout-list"]
			if len(list) != 1 || list[0] != "{\"key\":\"a\"}\n{\"key\":\"b\"}\n" || string(file) != "text" {
				t.Errorf("fields %v, file %q", fields, file)
			}
			policy, err := base64.StdEncoding.DecodeString(fields["policy"][0])
			if err != nil || !strings.Contains(string(policy), `"x-minio-fanout-list"`) {
				t.Errorf("policy %s (%v)", policy, err)
			}
		}
	})
}

// answering is a session whose server responds with a text.
type answering struct {
	connect.Fake
	text string
}

func (a answering) Do(_ context.Context, c *s3.Call) error {
	return c.Parse(strings.NewReader(a.text))
}

// FuzzFanOut: a response confirms as many objects as it has entries without an error, and nothing else.
func FuzzFanOut(f *testing.F) {
	for _, text := range []string{"", `{"key":"a"}{"key":"b"}`, `{"key":"a"}` + "\n" + `{"key":"b","error":"broken"}`, `{"key":"a"} <html>`, `[1]`, `{"key":3}`, "null null"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		err := ops.FanOut(t.Context(), answering{text: text}, &s3.Call{Key: "a"}, []string{"a", "b"})
		if err != nil {
			if s3.AsError(err).Class == "" {
				t.Errorf("%q: an error without a class: %v", text, err)
			}
			return
		}
		d, n := json.NewDecoder(strings.NewReader(text)), 0
		for {
			var entry struct{ Error string }
			if d.Decode(&entry) != nil {
				break
			}
			if n++; entry.Error != "" {
				t.Errorf("%q: an object was not made, and no error", text)
			}
		}
		if n != 2 {
			t.Errorf("%q: %d entries, and no error", text, n)
		}
	})
}

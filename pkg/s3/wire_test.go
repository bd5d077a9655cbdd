package s3_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"warp/pkg/s3"
)

// wireRow is a request, as this package and as an SDK send it.
type wireRow struct {
	cfg  s3.Config
	ours func(context.Context, s3.Session)
	sdk  func(context.Context, *minio.Core) // the last request that it sends counts

	trailers bool     // the SDK sends checksums as trailers
	but      []string // headers, fields of forms and, with a "$", conditions that may differ: they mean the same, or another test checks them
}

// wireRows are all rows. The names of requests and options in them are what TestWireRowsAreComplete looks for.
func wireRows(t *testing.T) map[string]wireRow {
	all := map[string]wireRow{}
	for _, rows := range []map[string]wireRow{objectRows(), subresourceRows(), bucketRows(), uploadRows(t), sseRows(t), authRows(t)} {
		for name := range rows {
			if _, twice := all[name]; twice {
				t.Errorf("two rows for %s", name)
			}
		}
		maps.Copy(all, rows)
	}
	return all
}

// ours sends a request to "a key" with the content "hello", which change may change.
func ours(change func(c *s3.Call), send func(context.Context, s3.Session, *s3.Call) error) func(context.Context, s3.Session) {
	return func(ctx context.Context, s s3.Session) {
		c := putCall("a key", "hello")
		if change != nil {
			change(c)
		}
		_ = send(ctx, s, c) // what is sent counts
	}
}

// TestLikeTheSDK: a request has the path, parameters, headers and contents that an SDK sends for the same thing, and the signature of
// an independent signer.
func TestLikeTheSDK(t *testing.T) {
	var mu sync.Mutex
	var seen []sent
	all := func() []sent { // since the last time
		mu.Lock()
		defer mu.Unlock()
		list := seen
		seen = nil
		return list
	}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // keys of SSE-C are sent over TLS only
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		seen = append(seen, sent{r.Clone(context.Background()), body})
		mu.Unlock()
		if r.Method == http.MethodHead { // what appends go by
			w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
			w.Header().Set("Content-Length", "5")
		}
	}))
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "https://")
	for name, tc := range wireRows(t) {
		t.Run(name, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, open opener) {
				tc.cfg.Hosts, tc.cfg.TLS, tc.cfg.Insecure = []string{host}, true, true
				tc.cfg.AccessKey, tc.cfg.SecretKey, tc.cfg.SessionToken = "AKEY", "SKEY", "TOKEN"
				store := open(t, tc.cfg)
				tc.ours(t.Context(), store.Session(0))
				ours := all()
				if len(ours) != 1 {
					t.Fatalf("%d requests were sent, want 1", len(ours))
				}
				core, err := minio.NewCore(host, &minio.Options{
					Creds: credentials.NewStaticV4("AKEY", "SKEY", "TOKEN"), Region: "us-east-1", MaxRetries: 1, BucketLookup: minio.BucketLookupPath,
					Secure: true, Transport: server.Client().Transport, TrailingHeaders: tc.trailers,
				})
				if err != nil {
					t.Fatal(err)
				}
				tc.sdk(t.Context(), core)
				sdk := all()
				if len(sdk) == 0 {
					t.Fatal("the SDK sent nothing")
				}
				if ours[0].Header.Get("Authorization") != "" {
					ours[0].signedBy(t, "AKEY", "SKEY")
				}
				if o, s := ours[0].canonical(t, tc.but), sdk[len(sdk)-1].canonical(t, tc.but); o != s {
					t.Errorf("sent:\n%s\nthe SDK sends:\n%s", o, s)
				}
			})
		})
	}
}

// canonical is what a request says: method, path, query, headers that S3 looks at, and contents, but for what differs by time or by
// chance.
func (r *sent) canonical(t *testing.T, but []string) string {
	t.Helper()
	query := r.URL.Query()
	for _, name := range []string{"fetch-owner", "encoding-type", "X-Amz-Date", "X-Amz-Signature"} { // the SDK always wants the first two
		query.Del(name)
	}
	for _, name := range []string{"delimiter", "prefix", "key-marker", "upload-id-marker"} {
		if query.Get(name) == "" {
			query.Del(name)
		}
	}
	lines := []string{r.Method + " " + strings.TrimSuffix(r.URL.EscapedPath(), "/") + "?" + query.Encode()}
	for name, values := range r.Header {
		if name, value := strings.ToLower(name), strings.Join(values, ","); isOfS3(name) && !slices.Contains(but, name) {
			lines = append(lines, name+": "+r.plain(t, name, value))
		}
	}
	slices.Sort(lines[1:])
	return strings.Join(append(lines, r.plainBody(t, but)), "\n")
}

// isOfS3 reports whether a header says something to S3 besides the time.
func isOfS3(name string) bool {
	switch name {
	case "x-amz-date", "x-amz-sdk-checksum-algorithm":
		return false
	case "range", "content-encoding", "content-md5":
		return true
	}
	return strings.HasPrefix(name, "x-amz-") || strings.HasPrefix(name, "if-") || strings.HasPrefix(name, "x-minio-")
}

// plain is the value of a header, checked where it follows from the contents or is random.
func (r *sent) plain(t *testing.T, name, value string) string {
	t.Helper()
	digest := sha256.Sum256(r.body)
	switch {
	case name == "x-amz-content-sha256" && (value == "UNSIGNED-PAYLOAD" || value == hex.EncodeToString(digest[:])):
		return "that of the contents, or none"
	case name == "x-amz-copy-source":
		source, err := url.PathUnescape(value)
		if err != nil {
			t.Error(err)
		}
		return strings.TrimPrefix(source, "/") // which S3 takes either way, as it does the slash of a version
	case strings.HasSuffix(name, "server-side-encryption-customer-key"):
		key, err := base64.StdEncoding.DecodeString(value)
		sum := md5.Sum(key)
		if check := r.Header.Get(name + "-Md5"); err != nil || len(key) != 32 || check != base64.StdEncoding.EncodeToString(sum[:]) {
			t.Errorf("%s: %q with the checksum %q", name, value, check)
		}
		return "a key"
	case strings.HasSuffix(name, "server-side-encryption-customer-key-md5"):
		return "its checksum"
	case name == "content-md5":
		if value != checksumOf(name, r.body) {
			t.Errorf("%s: %s of %q", name, value, r.body)
		}
		return "right"
	}
	return value
}

// plainBody is the body, without what differs between equal documents or forms.
func (r *sent) plainBody(t *testing.T, but []string) string {
	t.Helper()
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case kind == "multipart/form-data":
		r.Body = io.NopCloser(bytes.NewReader(r.body))
		if err := r.ParseMultipartForm(1 << 20); err != nil {
			t.Fatalf("form with %v: %v", params, err)
		}
		return r.plainForm(t, but)
	case r.Header.Get("Content-Encoding") == "aws-chunked":
		content, trailer := r.content(t)
		return string(content) + "\n" + strings.TrimSpace(trailer)
	case !bytes.HasPrefix(r.body, []byte("<")):
		return string(r.body)
	}
	var out strings.Builder
	for d := xml.NewDecoder(bytes.NewReader(r.body)); ; {
		tok, err := d.Token()
		if err == io.EOF {
			return strings.Replace(out.String(), "<Quiet>false", "<Quiet>true", 1) // SDKs want a line for each object that was deleted
		}
		if err != nil {
			t.Fatalf("%v in %s", err, r.body)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			out.WriteString("<" + tok.Name.Local + ">")
		case xml.EndElement:
			out.WriteString("</>")
		case xml.CharData:
			out.Write(bytes.TrimSpace(tok))
		}
	}
}

// plainForm is what the fields of a form and its policy say, whose signature is checked.
func (r *sent) plainForm(t *testing.T, but []string) string {
	t.Helper()
	but = append([]string{"x-amz-date", "$x-amz-date", "policy", "x-amz-signature", "bucket"}, but...) // the last is in the policy
	var lines []string
	for name, values := range r.MultipartForm.Value {
		if name = strings.ToLower(name); !slices.Contains(but, name) {
			lines = append(lines, name+"="+values[0])
		}
	}
	r.formSignedBy(t, "SKEY")
	text, err := base64.StdEncoding.DecodeString(r.FormValue("policy"))
	var policy struct{ Conditions []any }
	if err == nil {
		err = json.Unmarshal(text, &policy)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range policy.Conditions {
		list, _ := c.([]any)
		if short, ok := c.(map[string]any); ok { // another way to write it
			for name, value := range short {
				list = []any{"eq", "$" + name, value}
			}
		}
		name := strings.ToLower(fmt.Sprint(list[1]))
		if list[0] != "eq" { // of the size
			name = fmt.Sprint(list[0])
		}
		if !slices.Contains(but, name) {
			lines = append(lines, strings.ToLower(fmt.Sprint(list)))
		}
	}
	f, err := r.MultipartForm.File["file"][0].Open()
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return strings.Join(append(lines, string(content)), "\n")
}

// TestWireRowsAreComplete: each request and each option that changes one has a row.
func TestWireRowsAreComplete(t *testing.T) {
	want, used := map[string]bool{}, map[string]bool{} // ops.Get, MD5
	for _, f := range parsed(t, "ops/*.go") {
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && isRequest(f) {
				want["ops."+f.Name.Name] = true
			}
		}
	}
	for _, f := range parsed(t, "wire_*.go") {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if of, ok := n.X.(*ast.Ident); ok && of.Name == "ops" {
					used["ops."+n.Sel.Name] = true
				}
				used[n.Sel.Name] = true
			case *ast.KeyValueExpr:
				if name, ok := n.Key.(*ast.Ident); ok {
					used[name.Name] = true
				}
			}
			return true
		})
	}
	if len(want) < 30 {
		t.Errorf("only %d requests were found", len(want))
	}
	delete(want, "ops.DeleteObjects") // sends several, each covered by another entry
	delete(want, "ops.DeleteEach")    // likewise
	delete(want, "ops.CreateSession") // sent for each directory bucket
	delete(want, "ops.AskAccount")    // stores of other kinds have it, as the next
	delete(want, "ops.RemoveDirectories")
	delete(want, "ops.Compose")
	delete(want, "ops.Rename") // the SDK has no such request; see TestRename
	want["CreateSession"] = true
	for _, of := range []reflect.Type{reflect.TypeFor[s3.Uploads](), reflect.TypeFor[s3.Conditions]()} {
		for i := range of.NumField() {
			want[of.Field(i).Name] = true
		}
	}
	delete(want, "Chunk")    // other kinds of stores have it
	delete(want, "PartSize") // makes several requests, each covered by another entry
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if !used[name] {
			t.Errorf("no row compares %s with the SDK", name)
		}
	}
}

// parsed returns the files that a pattern names.
func parsed(t *testing.T, pattern string) (files []*ast.File) {
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// isRequest reports whether a function is one that describes a request: func(context.Context, s3.Session, *s3.Call, ...).
func isRequest(f *ast.FuncDecl) bool {
	if f.Recv != nil || !f.Name.IsExported() || f.Type.Params == nil || len(f.Type.Params.List) < 2 {
		return false
	}
	second, ok := f.Type.Params.List[1].Type.(*ast.SelectorExpr)
	return ok && second.Sel.Name == "Session"
}

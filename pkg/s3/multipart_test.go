package s3_test

import (
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// partServer takes uploads in parts, and keeps what it got.
type partServer struct {
	t        *testing.T
	requests []sent
	says     string // checksum of the object that the last response states; empty: none
}

// ServeHTTP keeps a request.
func (p *partServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.requests = append(p.requests, sent{r, body})
	for _, name := range []string{"X-Amz-Server-Side-Encryption", "X-Amz-Server-Side-Encryption-Customer-Algorithm"} {
		if value := r.Header.Get(name); value != "" && r.Method != http.MethodPost || name == "X-Amz-Server-Side-Encryption" && value != "" {
			w.Header().Set(name, value)
		}
	}
	w.Header().Set("ETag", fmt.Sprintf(`"tag-%s"`, r.URL.Query().Get("partNumber")))
	switch {
	case r.URL.Query().Has("uploads"):
		_, _ = io.WriteString(w, "<R><UploadId>id</UploadId></R>")
	case r.Header.Get("X-Amz-Copy-Source") != "":
		_, _ = io.WriteString(w, "<CopyPartResult><ETag>\"tag-c\"</ETag>"+p.says+"</CopyPartResult>")
	case r.Method == http.MethodPost:
		_, _ = io.WriteString(w, "<CompleteMultipartUploadResult><ETag>e</ETag>"+p.says+"</CompleteMultipartUploadResult>")
	}
}

// upload uploads parts, and returns the error of their completion.
func (p *partServer) upload(s s3.Session, parts []string) error {
	p.t.Helper()
	p.requests = nil
	id, err := ops.CreateUpload(p.t.Context(), s, &s3.Call{Key: "a key"})
	if err != nil {
		p.t.Fatal(err)
	}
	var made []ops.Part
	for i, text := range parts {
		part, err := ops.PutPart(p.t.Context(), s, putCall("a key", text), id, i+1)
		if err != nil {
			p.t.Fatal(err)
		}
		made = append(made, part)
	}
	c := &s3.Call{Key: "a key"}
	err = ops.CompleteUpload(p.t.Context(), s, c, id, made)
	if c.Bytes != 0 {
		p.t.Errorf("the completion counts %d bytes", c.Bytes)
	}
	return err
}

// completed is the document that completes an upload.
type completed struct {
	Part []struct {
		PartNumber                                                                     int
		ETag                                                                           string
		ChecksumCRC32, ChecksumCRC32C, ChecksumCRC64NVME, ChecksumSHA1, ChecksumSHA256 string
	}
}

// TestChecksumsOfParts: what an upload in parts sends for each algorithm, with both engines, checked by other code.
func TestChecksumsOfParts(t *testing.T) {
	parts := []string{strings.Repeat("warp ", 20_000), strings.Repeat("0123456789abcdef", 1<<12), "end"}
	object := strings.Join(parts, "")
	tests := []struct {
		algorithm     string
		full, trailer bool
		kind          string // of the checksum of the object
	}{
		{"CRC32", false, false, "COMPOSITE"},
		{"CRC32", true, false, "FULL_OBJECT"},
		{"CRC32C", false, true, "COMPOSITE"},
		{"CRC32C", true, true, "FULL_OBJECT"},
		{"CRC64NVME", false, false, "FULL_OBJECT"},
		{"CRC64NVME", false, true, "FULL_OBJECT"},
		{"SHA1", false, false, "COMPOSITE"},
		{"SHA256", false, false, "COMPOSITE"},
		{"SHA256", false, true, "COMPOSITE"},
	}
	eachEngine(t, func(t *testing.T, open opener) {
		server := &partServer{t: t}
		host := handle(t, server.ServeHTTP)
		for _, tc := range tests {
			name := fmt.Sprintf("%s, full %v, trailer %v", tc.algorithm, tc.full, tc.trailer)
			header := "x-amz-checksum-" + strings.ToLower(tc.algorithm)
			cfg := s3.Config{Hosts: []string{host}, Uploads: s3.Uploads{Checksum: tc.algorithm, FullObject: tc.full, Trailer: tc.trailer}}
			s := open(t, cfg).Session(0)
			if server.says = ""; server.upload(s, parts) != nil {
				t.Fatalf("%s: the upload fails", name)
			}
			got := server.requests
			if h := got[0].Header; h.Get("X-Amz-Checksum-Algorithm") != tc.algorithm || h.Get("X-Amz-Checksum-Type") != tc.kind {
				t.Errorf("%s: created with %v", name, h)
			}
			var document completed
			if err := xml.Unmarshal(got[4].body, &document); err != nil || len(document.Part) != 3 {
				t.Fatalf("%s: %v, %s", name, err, got[4].body)
			}
			digests := ""
			for i, text := range parts {
				want := checksumOf(header, []byte(text))
				digest, _ := base64.StdEncoding.DecodeString(want)
				digests += string(digest)
				content, trailer := got[i+1].content(t)
				if stated := got[i+1].Header.Get(header); string(content) != text || stated != want && !strings.HasPrefix(trailer, header+":"+want+"\r\n") {
					t.Errorf("%s: part %d: %d bytes, checksum %q, trailer %q, want %s", name, i+1, len(content), stated, trailer, want)
				}
				p := document.Part[i]
				if all := p.ChecksumCRC32 + p.ChecksumCRC32C + p.ChecksumCRC64NVME + p.ChecksumSHA1 + p.ChecksumSHA256; p.PartNumber != i+1 || p.ETag != fmt.Sprintf("tag-%d", i+1) || all != want {
					t.Errorf("%s: completed with %+v, want %s", name, p, want)
				}
			}
			whole := checksumOf(header, []byte(object))
			if h := got[4].Header; tc.kind == "FULL_OBJECT" && (h.Get(header) != whole || h.Get("X-Amz-Checksum-Type") != tc.kind) {
				t.Errorf("%s: completed with %v, want %s", name, h, whole)
			} else if tc.kind == "COMPOSITE" && h.Get(header) != "" {
				t.Errorf("%s: completed with %v", name, h)
			}
			for i := range got {
				got[i].signedBy(t, "AKEY", "SKEY")
			}
			if tc.kind == "COMPOSITE" {
				whole = checksumOf(header, []byte(digests))
			}
			for stated, want := range map[string]string{whole: "", whole + "-3": "", checksumOf(header, nil): "content differs"} {
				if tc.kind == "FULL_OBJECT" && strings.HasSuffix(stated, "-3") {
					want = "content differs"
				}
				server.says = "<Checksum" + tc.algorithm + ">" + stated + "</Checksum" + tc.algorithm + ">"
				if err := server.upload(s, parts); class(err) != want {
					t.Errorf("%s: the server states %s: %v, want %q", name, stated, err, want)
				}
			}
		}
	})
}

// TestCopiedChecksums: the checksums that a server computes of copied parts complete the upload.
func TestCopiedChecksums(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		server := &partServer{t: t}
		s := open(t, s3.Config{Hosts: []string{handle(t, server.ServeHTTP)}, Uploads: s3.Uploads{Checksum: "CRC32C"}}).Session(0)
		sum := checksumOf("x-amz-checksum-crc32c", []byte("hello"))
		for says, want := range map[string]string{
			"": "<ETag>tag-c</ETag></Part>", "<ChecksumSHA1>x</ChecksumSHA1>": "<ETag>tag-c</ETag></Part>",
			"<ChecksumCRC32C>" + sum + "</ChecksumCRC32C>": "<ETag>tag-c</ETag><ChecksumCRC32C>" + sum + "</ChecksumCRC32C></Part>",
		} {
			server.says = says
			part, err := ops.CopyPart(t.Context(), s, &s3.Call{Key: "k", Length: 5}, &ops.Document{}, "/b/k", "id", 1)
			if err != nil {
				t.Fatal(err)
			}
			server.says = ""
			if err := ops.CompleteUpload(t.Context(), s, &s3.Call{Key: "k"}, "id", []ops.Part{part}); err != nil {
				t.Fatal(err)
			}
			if text := string(server.requests[len(server.requests)-1].body); !strings.Contains(text, want) {
				t.Errorf("the server says %s: completed with %s", says, text)
			}
		}
	})
}

// TestUploadHeaders: what goes with an object goes with the request that creates its upload, and not with parts; the key of SSE-C goes with
// parts, and with the completion if there are checksums. All of it is signed as the SDK signs.
func TestUploadHeaders(t *testing.T) {
	server := &partServer{t: t}
	srv := httptest.NewTLSServer(server)
	defer srv.Close()
	object := map[string]string{
		"X-Amz-Storage-Class": "COLD", "X-Amz-Acl": "private", "X-Amz-Meta-A": "b", "X-Amz-Tagging": "", "Content-Type": "application/octet-stream",
	}
	const key = "X-Amz-Server-Side-Encryption-Customer-Key"
	eachEngine(t, func(t *testing.T, open opener) {
		for _, uploads := range []s3.Uploads{{}, {Checksum: "CRC32C"}, {Encryption: s3.SSEKMS, KMSKey: "k1", BucketKey: true}} {
			server.t, uploads.Random = t, []s3.RandomHeader{{Name: "X-Amz-Tagging", Parts: []s3.RandomPart{{Text: "t=", Length: 5}}}}
			cfg := s3.Config{
				Hosts: []string{strings.TrimPrefix(srv.URL, "https://")}, TLS: true, Insecure: true, Encrypt: uploads.Encryption == "", Uploads: uploads,
				Headers: []s3.Header{{Name: "X-Amz-Storage-Class", Value: "COLD"}, {Name: "X-Amz-Acl", Value: "private"}, {Name: "X-Amz-Meta-A", Value: "b"}},
			}
			server.says = ""
			if err := server.upload(open(t, cfg).Session(0), []string{"one", "two"}); err != nil {
				t.Fatal(err)
			}
			for i, r := range server.requests {
				r.signedBy(t, "AKEY", "SKEY")
				for name, want := range object {
					if got := r.Header.Get(name); i == 0 && (got == "" || want != "" && got != want) || i > 0 && got != "" && name != "Content-Type" {
						t.Errorf("%+v: request %d: %s: %q", uploads, i, name, got)
					}
				}
				if sse := r.Header.Get("X-Amz-Server-Side-Encryption") + r.Header.Get("X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id"); (sse != "") != (i == 0 && uploads.Encryption != "") {
					t.Errorf("%+v: request %d: encryption %q", uploads, i, sse)
				}
				if with := r.Header.Get(key) != ""; with != (cfg.Encrypt && (i < 3 || uploads.Checksum != "")) {
					t.Errorf("%+v: request %d: with the key of SSE-C %v", uploads, i, with)
				}
			}
		}
	})
}

package s3_test

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math/bits"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"regexp"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7/pkg/signer"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// crc computes a checksum bit by bit, with a polynomial in reversed bit order.
func crc(polynomial uint64, size int, content []byte) []byte {
	register := ^uint64(0) >> (64 - 8*size)
	for _, b := range content {
		register ^= uint64(b)
		for range 8 {
			register = register>>1 ^ polynomial*(register&1)
		}
	}
	out := binary.BigEndian.AppendUint64(nil, ^register)
	return out[8-size:]
}

// checksumOf is a second implementation of what package checksum has.
func checksumOf(header string, content []byte) string {
	var sum []byte
	switch strings.TrimPrefix(strings.ToLower(header), "x-amz-checksum-") {
	case "crc32":
		sum = crc(uint64(bits.Reverse32(0x04c11db7)), 4, content)
	case "crc32c":
		sum = crc(uint64(bits.Reverse32(0x1edc6f41)), 4, content)
	case "crc64nvme":
		sum = crc(bits.Reverse64(0xad93d23594c93659), 8, content)
	case "sha1":
		s := sha1.Sum(content)
		sum = s[:]
	case "sha256":
		s := sha256.Sum256(content)
		sum = s[:]
	case "content-md5":
		s := md5.Sum(content)
		sum = s[:]
	}
	return base64.StdEncoding.EncodeToString(sum)
}

// sent is a request as a server got it.
type sent struct {
	*http.Request
	body []byte
}

// signedBy compares the signature with that of an independent signer for the same request.
func (r *sent) signedBy(t *testing.T, access, secret string) {
	t.Helper()
	again := r.Clone(t.Context())
	again.URL.Host = r.Host
	for _, name := range []string{"Authorization", "User-Agent", "Content-Length", "X-Amz-Date"} {
		again.Header.Del(name)
	}
	service := signer.ServiceTypeS3
	if strings.Contains(r.URL.Path, directoryBucket) {
		service = signer.ServiceTypeS3Express
	}
	again = signer.SignV4WithServiceType(*again, access, secret, "", "us-east-1", service)
	if got, want := r.Header.Get("Authorization"), again.Header.Get("Authorization"); got != want && again.Header.Get("X-Amz-Date") == r.Header.Get("X-Amz-Date") {
		t.Errorf("signed %s\nwant %s", got, want)
	}
}

// content decodes the body, and returns the trailer.
func (r *sent) content(t *testing.T) (content []byte, trailer string) {
	t.Helper()
	if r.Header.Get("Content-Encoding") != "aws-chunked" {
		return r.body, ""
	}
	in := bufio.NewReader(bytes.NewReader(r.body))
	content, err := io.ReadAll(httputil.NewChunkedReader(in))
	if err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(in)
	if r.Header.Get("X-Amz-Decoded-Content-Length") != fmt.Sprint(len(content)) {
		t.Errorf("decoded length: %s, want %d", r.Header.Get("X-Amz-Decoded-Content-Length"), len(content))
	}
	return content, string(rest)
}

// TestUploadOptions: what goes over the wire for each option, with both engines, and that it is right.
// works: MinIO warp: `--sse-s3-encrypt`
// works: MinIO warp: checksums `CRC32`, `CRC32C`, `SHA1`, `SHA256`, `CRC64NVME`, `MD5` and others
func TestUploadOptions(t *testing.T) {
	contents := []string{"", "hello", strings.Repeat("0123456789abcdef", 1<<12), strings.Repeat("warp ", 50_000)}
	signature := regexp.MustCompile(`^x-amz-trailer-signature:[0-9a-f]{64}$`)
	tests := []struct {
		name    string
		uploads s3.Uploads
		payload string // header of the payload's hash; "signed": that hash
		header  string // header of the checksum
		trailer bool
		want    map[string]string // other headers
	}{
		{name: "nothing", payload: "UNSIGNED-PAYLOAD"},
		{name: "CRC32", uploads: s3.Uploads{Checksum: "CRC32"}, payload: "UNSIGNED-PAYLOAD", header: "x-amz-checksum-crc32"},
		{name: "CRC32C", uploads: s3.Uploads{Checksum: "CRC32C"}, payload: "UNSIGNED-PAYLOAD", header: "x-amz-checksum-crc32c"},
		{name: "CRC64NVME", uploads: s3.Uploads{Checksum: "CRC64NVME"}, payload: "UNSIGNED-PAYLOAD", header: "x-amz-checksum-crc64nvme"},
		{name: "SHA1", uploads: s3.Uploads{Checksum: "SHA1"}, payload: "UNSIGNED-PAYLOAD", header: "x-amz-checksum-sha1"},
		{name: "SHA256", uploads: s3.Uploads{Checksum: "SHA256"}, payload: "UNSIGNED-PAYLOAD", header: "x-amz-checksum-sha256"},
		{name: "SHA256, signed", uploads: s3.Uploads{Checksum: "SHA256", Payload: s3.PayloadSigned}, payload: "signed", header: "x-amz-checksum-sha256"},
		{name: "MD5", uploads: s3.Uploads{MD5: true}, payload: "UNSIGNED-PAYLOAD", header: "content-md5"},
		{name: "MD5, signed", uploads: s3.Uploads{MD5: true, Payload: s3.PayloadSigned}, payload: "signed", header: "content-md5"},
		{name: "signed", uploads: s3.Uploads{Payload: s3.PayloadSigned}, payload: "signed"},
		{name: "streaming", uploads: s3.Uploads{Payload: s3.PayloadStreaming}, payload: "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"},
		{name: "streaming, CRC32", uploads: s3.Uploads{Checksum: "CRC32", Payload: s3.PayloadStreaming}, payload: "STREAMING-AWS4-HMAC-SHA256-PAYLOAD", header: "x-amz-checksum-crc32"},
		{name: "trailer", uploads: s3.Uploads{Checksum: "CRC32C", Trailer: true}, payload: "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER", header: "x-amz-checksum-crc32c", trailer: true},
		{name: "trailer, unsigned", uploads: s3.Uploads{Checksum: "CRC64NVME", Trailer: true, Payload: s3.PayloadUnsigned}, payload: "STREAMING-UNSIGNED-PAYLOAD-TRAILER", header: "x-amz-checksum-crc64nvme", trailer: true},
		{name: "trailer, SHA1 and MD5", uploads: s3.Uploads{Checksum: "SHA1", Trailer: true, MD5: true}, payload: "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER", header: "x-amz-checksum-sha1", trailer: true},
		{name: "SSE-S3", uploads: s3.Uploads{Encryption: s3.SSES3}, payload: "UNSIGNED-PAYLOAD", want: map[string]string{"X-Amz-Server-Side-Encryption": "AES256"}},
		{name: "SSE-KMS", uploads: s3.Uploads{Encryption: s3.SSEKMS, KMSKey: "key-1", BucketKey: true}, payload: "UNSIGNED-PAYLOAD", want: map[string]string{
			"X-Amz-Server-Side-Encryption": "aws:kms", "X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id": "key-1", "X-Amz-Server-Side-Encryption-Bucket-Key-Enabled": "true",
		}},
	}
	var got sent
	host := handle(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = sent{r, body}
		if e := r.Header.Get("X-Amz-Server-Side-Encryption"); e != "" {
			w.Header().Set("X-Amz-Server-Side-Encryption", e)
		}
	})
	eachEngine(t, func(t *testing.T, open opener) {
		for _, tc := range tests {
			s := open(t, s3.Config{Hosts: []string{host}, Uploads: tc.uploads, Headers: []s3.Header{{Name: "X-Amz-Storage-Class", Value: "COLD"}}}).Session(0)
			for _, text := range contents {
				for range 2 {
					c := putCall("a key", text)
					if err := ops.Put(t.Context(), s, c); err != nil || c.Bytes != int64(len(text)) {
						t.Fatalf("%s, %d bytes: %v, %d bytes counted", tc.name, len(text), err, c.Bytes)
					}
				}
				got.signedBy(t, "AKEY", "SKEY")
				content, trailer := got.content(t)
				if string(content) != text {
					t.Errorf("%s, %d bytes: the server got %d bytes, or others", tc.name, len(text), len(content))
				}
				want, sum := tc.payload, sha256.Sum256([]byte(text))
				if want == "signed" {
					want = hex.EncodeToString(sum[:])
				}
				if h := got.Header.Get("X-Amz-Content-Sha256"); h != want {
					t.Errorf("%s: payload %s, want %s", tc.name, h, want)
				}
				stated := got.Header.Get(tc.header)
				if lines := strings.Split(trailer, "\r\n"); tc.trailer {
					var name string
					name, stated, _ = strings.Cut(lines[0], ":")
					if name != tc.header || got.Header.Get("X-Amz-Trailer") != name {
						t.Errorf("%s: trailer %q, announced %q", tc.name, trailer, got.Header.Get("X-Amz-Trailer"))
					}
					if strings.HasPrefix(tc.payload, "STREAMING-AWS4") && !signature.MatchString(lines[1]) {
						t.Errorf("%s: trailer %q, want a signature", tc.name, trailer)
					}
				}
				if tc.header != "" && stated != checksumOf(tc.header, []byte(text)) {
					t.Errorf("%s, %d bytes: checksum %q, want %q", tc.name, len(text), stated, checksumOf(tc.header, []byte(text)))
				}
				if m := got.Header.Get("Content-Md5"); tc.uploads.MD5 && m != checksumOf("content-md5", []byte(text)) {
					t.Errorf("%s: Content-Md5 %q", tc.name, m)
				}
				for name, want := range tc.want {
					if got.Header.Get(name) != want {
						t.Errorf("%s: %s: %q, want %q", tc.name, name, got.Header.Get(name), want)
					}
				}
				if got.Header.Get("Accept-Encoding") != "" || got.Header.Get("X-Amz-Storage-Class") != "COLD" {
					t.Errorf("%s: %v", tc.name, got.Header)
				}
			}
			if err := ops.Get(t.Context(), s, &s3.Call{Key: "k", Size: 0}); err != nil {
				t.Error(err)
			}
			if h := got.Header; h.Get("Accept-Encoding") != "" || h.Get("Content-Md5") != "" || h.Get("X-Amz-Content-Sha256") != "UNSIGNED-PAYLOAD" || h.Get("X-Amz-Server-Side-Encryption") != "" {
				t.Errorf("%s: a GET has %v", tc.name, h)
			}
		}
	})
}

// TestTrailerOverTLS: TLS protects contents, so that nothing signs them; a request that is sent again has the same body.
func TestTrailerOverTLS(t *testing.T) {
	var bodies [][]byte
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, body)
		if r.Header.Get("X-Amz-Content-Sha256") != "STREAMING-UNSIGNED-PAYLOAD-TRAILER" || len(bodies)%2 == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer srv.Close()
	eachEngine(t, func(t *testing.T, open opener) {
		cfg := s3.Config{
			Hosts: []string{strings.TrimPrefix(srv.URL, "https://")}, TLS: true, Insecure: true, Retries: 1,
			Uploads: s3.Uploads{Checksum: "CRC32C", Trailer: true},
		}
		s := open(t, cfg).Session(0)
		text := strings.Repeat("x", 1<<20)
		bodies = nil
		c := putCall("k", text)
		if err := ops.Put(t.Context(), s, c); err != nil || c.Retries != 1 {
			t.Fatal(err, c.Retries)
		}
		if !bytes.Equal(bodies[0], bodies[1]) || !bytes.HasSuffix(bodies[0], []byte("\r\n0\r\nx-amz-checksum-crc32c:"+checksumOf("crc32c", []byte(text))+"\r\n\r\n")) {
			t.Errorf("bodies of %d and %d bytes, which end in %q", len(bodies[0]), len(bodies[1]), bodies[0][len(bodies[0])-80:])
		}
	})
}

// TestUnconfirmedEncryption: a server that ignores the encryption is not believed.
func TestUnconfirmedEncryption(t *testing.T) {
	for _, says := range []string{"", "AES256", "aws:kms"} {
		host := handle(t, func(w http.ResponseWriter, _ *http.Request) {
			if says != "" {
				w.Header().Set("X-Amz-Server-Side-Encryption", says)
			}
		})
		for encryption, flag := range map[string]string{s3.SSES3: "--sse-s3", s3.SSEKMS: "--sse-kms"} {
			eachEngine(t, func(t *testing.T, open opener) {
				s := open(t, s3.Config{Hosts: []string{host}, Uploads: s3.Uploads{Encryption: encryption}}).Session(0)
				err := ops.Put(t.Context(), s, putCall("k", "hello"))
				if says == encryption && err != nil || says != encryption && (class(err) != "encryption ignored" || !strings.Contains(err.Error(), flag)) {
					t.Errorf("the server says %q to %s: %v", says, encryption, err)
				}
				if err := ops.Stat(t.Context(), s, &s3.Call{Key: "k", Size: -1}); err != nil {
					t.Errorf("HEAD: %v", err)
				}
			})
		}
	}
}

// TestRandomHeaders: their values have the length that was asked for, and follow from the key.
func TestRandomHeaders(t *testing.T) {
	seen := map[string]string{}
	host := handle(t, func(w http.ResponseWriter, r *http.Request) {
		value := r.Header.Get("X-Amz-Meta-A") + "|" + r.Header.Get("X-Amz-Tagging")
		if old := seen[r.URL.Path]; old != "" && old != value {
			t.Errorf("%s: %s, and before %s", r.URL.Path, value, old)
		}
		seen[r.URL.Path] = value
	})
	eachEngine(t, func(t *testing.T, open opener) {
		s := open(t, s3.Config{Hosts: []string{host}, Uploads: s3.Uploads{Random: []s3.RandomHeader{
			{Name: "X-Amz-Meta-A", Parts: []s3.RandomPart{{Length: 20}}},
			{Name: "X-Amz-Tagging", Parts: []s3.RandomPart{{Text: "a=1&b=", Length: 5}, {Text: "&c=", Length: 0}}},
		}}}).Session(0)
		for i := range 20 {
			if err := ops.Put(t.Context(), s, putCall(fmt.Sprint("k", i), "hello")); err != nil {
				t.Fatal(err)
			}
		}
	})
	values := map[string]bool{}
	form := regexp.MustCompile(`^[0-9A-Za-z]{20}\|a=1&b=[0-9A-Za-z]{5}&c=$`)
	for _, v := range seen {
		if values[v] = true; !form.MatchString(v) {
			t.Errorf("value %q", v)
		}
	}
	if len(values) != 20 {
		t.Errorf("%d different values for 20 keys", len(values))
	}
}

// TestInvalidUploads: options that contradict each other are refused.
func TestInvalidUploads(t *testing.T) {
	for want, change := range map[string]func(*s3.Config){
		`--checksum: invalid value "CRC16" (want CRC32, CRC32C, CRC64NVME, SHA1, SHA256, SHA512, MD5CS, XXH64, XXH3 or XXH128)`: func(c *s3.Config) { c.Uploads.Checksum = "CRC16" },
		`--checksum-trailer: want --checksum as well`:                                            func(c *s3.Config) { c.Uploads.Trailer = true },
		`--checksum-trailer: want --signature=S3V4`:                                              func(c *s3.Config) { c.Uploads = s3.Uploads{Checksum: "CRC32", Trailer: true}; c.Signature = "S3V2" },
		`--payload: invalid value "none" (want unsigned, signed or streaming)`:                   func(c *s3.Config) { c.Uploads.Payload = "none" },
		`--payload: signed: want --signature=S3V4`:                                               func(c *s3.Config) { c.Uploads.Payload = "signed"; c.Signature = "anonymous" },
		`--payload: invalid value "signed" (want unsigned or streaming with --checksum-trailer)`: func(c *s3.Config) { c.Uploads = s3.Uploads{Checksum: "CRC32", Trailer: true, Payload: "signed"} },
		`--encrypt: want one kind of encryption, not SSE-C and --sse-kms`:                        func(c *s3.Config) { c.TLS, c.Encrypt, c.Uploads.Encryption = true, true, s3.SSEKMS },
		`--sse-bucket-key: want --sse-kms as well`:                                               func(c *s3.Config) { c.Uploads = s3.Uploads{Encryption: s3.SSES3, BucketKey: true} },
		`header "X-A": 3000 random characters (want at most 2048)`: func(c *s3.Config) {
			c.Uploads.Random = []s3.RandomHeader{{Name: "X-A", Parts: []s3.RandomPart{{Length: 3000}}}}
		},
		`header "Host" is one that warp sets itself`: func(c *s3.Config) { c.Uploads.Random = []s3.RandomHeader{{Name: "Host"}} },
	} {
		cfg := s3.Config{Hosts: []string{"h:1"}}
		change(&cfg)
		if err := cfg.Check(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

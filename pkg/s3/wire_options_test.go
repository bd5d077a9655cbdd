package s3_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/encrypt"
	"github.com/minio/minio-go/v7/pkg/signer"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// option is a row of a request with an option.
func option(cfg s3.Config, ours func(context.Context, s3.Session), sdk func(context.Context, *minio.Core)) wireRow {
	return wireRow{cfg: cfg, ours: ours, sdk: sdk}
}

// uploadRows are options of uploads, and conditions.
func uploadRows(t *testing.T) map[string]wireRow {
	matching := func(set func(*minio.PutObjectOptions)) (o minio.PutObjectOptions) { set(&o); return o }
	uploads := func(u s3.Uploads) s3.Config { return s3.Config{Uploads: u} }
	part := func(header http.Header) func(context.Context, *minio.Core) {
		return func(ctx context.Context, c *minio.Core) {
			_, _ = c.PutObjectPart(ctx, "bucket", "a key", "id", 1, strings.NewReader("hello"), 5, minio.PutObjectPartOptions{CustomHeader: header})
		}
	}
	putPart := ours(nil, func(ctx context.Context, s s3.Session, c *s3.Call) error {
		_, err := ops.PutPart(ctx, s, c, "id", 1)
		return err
	})
	createUpload := ours(nil, func(ctx context.Context, s s3.Session, c *s3.Call) error {
		_, err := ops.CreateUpload(ctx, s, c)
		return err
	})
	return map[string]wireRow{
		"put": {ours: ours(nil, ops.Put), sdk: sdkPut(minio.PutObjectOptions{})},
		"put with storage class, metadata and tags": option(
			s3.Config{Headers: []s3.Header{{Name: "X-Amz-Storage-Class", Value: "COLD"}, {Name: "X-Amz-Tagging", Value: "a=b"}, {Name: "X-Amz-Meta-Who", Value: "me"}}},
			ours(nil, ops.Put), sdkPut(minio.PutObjectOptions{StorageClass: "COLD", UserTags: map[string]string{"a": "b"}, UserMetadata: map[string]string{"Who": "me"}}),
		),
		"put with an ACL": option(
			s3.Config{Headers: []s3.Header{{Name: "X-Amz-Acl", Value: "public-read"}}},
			ours(nil, ops.Put), sdkPut(minio.PutObjectOptions{UserMetadata: map[string]string{"X-Amz-Acl": "public-read"}}),
		),
		"put with random metadata": option(
			uploads(s3.Uploads{Random: []s3.RandomHeader{{Name: "X-Amz-Meta-Who", Parts: []s3.RandomPart{{Text: "me"}}}}}),
			ours(nil, ops.Put), sdkPut(minio.PutObjectOptions{UserMetadata: map[string]string{"Who": "me"}}),
		),
		"put, MD5": option(uploads(s3.Uploads{MD5: true}), ours(nil, ops.Put), func(ctx context.Context, c *minio.Core) {
			_, _ = c.PutObject(ctx, "bucket", "a key", strings.NewReader("hello"), 5, checksumOf("content-md5", []byte("hello")), "", minio.PutObjectOptions{})
		}),
		"put, signed": option(uploads(s3.Uploads{Payload: s3.PayloadSigned}), ours(nil, ops.Put), sdkPut(minio.PutObjectOptions{})),
		"put, checksum": option(
			uploads(s3.Uploads{Checksum: "CRC64NVME"}), ours(nil, ops.Put),
			sdkPut(minio.PutObjectOptions{UserMetadata: map[string]string{"X-Amz-Checksum-Crc64nvme": checksumOf("x-amz-checksum-crc64nvme", []byte("hello"))}}),
		),
		"put, checksum as a trailer": {cfg: uploads(s3.Uploads{Checksum: "CRC32C", Trailer: true}), ours: ours(nil, ops.Put), sdk: sdkPut(minio.PutObjectOptions{Checksum: minio.ChecksumCRC32C}), trailers: true},
		"put, checksum as a trailer that a header names": {
			cfg:  uploads(s3.Uploads{Checksum: "CRC32C", Trailer: true, Named: true}),
			ours: ours(nil, ops.Put),
			sdk: sdkPut(minio.PutObjectOptions{
				Checksum: minio.ChecksumCRC32C, UserMetadata: map[string]string{"X-Amz-Checksum-Algorithm": "CRC32C"},
			}),
			trailers: true,
		},
		"put part, checksum": option(
			uploads(s3.Uploads{Checksum: "CRC32"}), putPart,
			part(http.Header{"X-Amz-Checksum-Crc32": {checksumOf("x-amz-checksum-crc32", []byte("hello"))}}),
		),
		"create upload, checksum of parts": option(uploads(s3.Uploads{Checksum: "CRC32"}), createUpload, func(ctx context.Context, c *minio.Core) {
			_, _ = c.NewMultipartUpload(ctx, "bucket", "a key", minio.PutObjectOptions{UserMetadata: map[string]string{"X-Amz-Checksum-Algorithm": "CRC32", "X-Amz-Checksum-Type": "COMPOSITE"}})
		}),
		"create upload, checksum of the object": option(uploads(s3.Uploads{Checksum: "CRC32C", FullObject: true}), createUpload, func(ctx context.Context, c *minio.Core) {
			_, _ = c.NewMultipartUpload(ctx, "bucket", "a key", minio.PutObjectOptions{UserMetadata: map[string]string{"X-Amz-Checksum-Algorithm": "CRC32C", "X-Amz-Checksum-Type": "FULL_OBJECT"}})
		}),
		"put, if-none-match": {ours: ours(func(c *s3.Call) { c.If.NoneMatch = "*" }, ops.Put), sdk: sdkPut(matching(func(o *minio.PutObjectOptions) { o.SetMatchETagExcept("*") }))},
		"put, if-match":      {ours: ours(func(c *s3.Call) { c.If.Match = `"e"` }, ops.Put), sdk: sdkPut(matching(func(o *minio.PutObjectOptions) { o.SetMatchETag("e") }))},
		"get, if-none-match": {ours: ours(func(c *s3.Call) { c.If.NoneMatch = `"e"` }, ops.Get), sdk: sdkGet(func(o *minio.GetObjectOptions) error { return o.SetMatchETagExcept("e") })},
		"get, if-match":      {ours: ours(func(c *s3.Call) { c.If.Match = `"e"` }, ops.Get), sdk: sdkGet(func(o *minio.GetObjectOptions) error { return o.SetMatchETag("e") })},
		"stat, if-none-match": {ours: ours(func(c *s3.Call) { c.If.NoneMatch = `"e"` }, ops.Stat), sdk: func(ctx context.Context, c *minio.Core) {
			var o minio.StatObjectOptions
			if err := o.SetMatchETagExcept("e"); err != nil {
				t.Error(err)
			}
			_, _ = c.StatObject(ctx, "bucket", "a key", o)
		}},
		"stat, checksum": {ours: ours(nil, ops.StatChecksum), sdk: func(ctx context.Context, c *minio.Core) {
			_, _ = c.StatObject(ctx, "bucket", "a key", minio.StatObjectOptions{Checksum: true})
		}},
		"put an archive": {ours: ours(nil, ops.PutArchive), sdk: sdkPut(minio.PutObjectOptions{UserMetadata: map[string]string{"X-Amz-Meta-Snowball-Auto-Extract": "true"}})},
	}
}

// bucketKey is an encryption with the key of the bucket, for which the SDK has no option.
type bucketKey struct{ encrypt.ServerSide }

// Marshal adds the headers of the encryption.
func (b bucketKey) Marshal(h http.Header) {
	b.ServerSide.Marshal(h)
	h.Set("X-Amz-Server-Side-Encryption-Bucket-Key-Enabled", "true")
}

// sseRows are kinds of encryption by the server.
func sseRows(t *testing.T) map[string]wireRow {
	kms, err := encrypt.NewSSEKMS("key-1", nil)
	if err != nil {
		t.Fatal(err)
	}
	ssec, err := encrypt.NewSSEC(bytes.Repeat([]byte("k"), 32))
	if err != nil {
		t.Fatal(err)
	}
	customer := s3.Config{Encrypt: true}
	source := ops.CopySource("bucket", ops.ObjectID{Key: "other"})
	sourceKey := http.Header{}
	encrypt.SSECopy(ssec).Marshal(sourceKey)
	ssec.Marshal(sourceKey)
	both := map[string]string{}
	for name := range sourceKey {
		both[name] = sourceKey.Get(name)
	}
	return map[string]wireRow{
		"put, SSE-S3":  option(s3.Config{Uploads: s3.Uploads{Encryption: s3.SSES3}}, ours(nil, ops.Put), sdkPut(minio.PutObjectOptions{ServerSideEncryption: encrypt.NewSSE()})),
		"put, SSE-KMS": option(s3.Config{Uploads: s3.Uploads{Encryption: s3.SSEKMS, KMSKey: "key-1"}}, ours(nil, ops.Put), sdkPut(minio.PutObjectOptions{ServerSideEncryption: kms})),
		"put, SSE-KMS with a bucket key": option(
			s3.Config{Uploads: s3.Uploads{Encryption: s3.SSEKMS, KMSKey: "key-1", BucketKey: true}}, ours(nil, ops.Put),
			sdkPut(minio.PutObjectOptions{ServerSideEncryption: bucketKey{kms}}),
		),
		"create upload, SSE-KMS": option(s3.Config{Uploads: s3.Uploads{Encryption: s3.SSEKMS, KMSKey: "key-1"}}, ours(nil, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			_, err := ops.CreateUpload(ctx, s, c)
			return err
		}), func(ctx context.Context, c *minio.Core) {
			_, _ = c.NewMultipartUpload(ctx, "bucket", "a key", minio.PutObjectOptions{ServerSideEncryption: kms})
		}),
		"put, SSE-C": option(customer, ours(nil, ops.Put), sdkPut(minio.PutObjectOptions{ServerSideEncryption: ssec})),
		"get, SSE-C": option(customer, ours(nil, ops.Get), sdkGet(func(o *minio.GetObjectOptions) error { o.ServerSideEncryption = ssec; return nil })),
		"stat, SSE-C": option(customer, ours(nil, ops.Stat), func(ctx context.Context, c *minio.Core) {
			_, _ = c.StatObject(ctx, "bucket", "a key", minio.StatObjectOptions{ServerSideEncryption: ssec})
		}),
		"delete, SSE-C": option(customer, ours(nil, ops.Delete), sdkDelete(minio.RemoveObjectOptions{})),
		"put part, SSE-C": option(customer, ours(nil, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			_, err := ops.PutPart(ctx, s, c, "id", 1)
			return err
		}), func(ctx context.Context, c *minio.Core) {
			_, _ = c.PutObjectPart(ctx, "bucket", "a key", "id", 1, strings.NewReader("hello"), 5, minio.PutObjectPartOptions{SSE: ssec})
		}),
		"copy, SSE-C": option(customer, ours(nil, func(ctx context.Context, s s3.Session, c *s3.Call) error { return ops.Copy(ctx, s, c, source) }),
			func(ctx context.Context, c *minio.Core) {
				_, _ = c.Client.CopyObject(ctx, minio.CopyDestOptions{Bucket: "bucket", Object: "a key", Encryption: ssec},
					minio.CopySrcOptions{Bucket: "bucket", Object: "other", Encryption: ssec})
			}),
		"copy part, SSE-C": option(customer, ours(func(c *s3.Call) { c.Length = 3 }, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			_, err := ops.CopyPart(ctx, s, c, &ops.Document{}, source, "id", 1)
			return err
		}), func(ctx context.Context, c *minio.Core) {
			_, _ = c.CopyObjectPart(ctx, "bucket", "other", "bucket", "a key", "id", 1, 0, 3, both)
		}),
	}
}

// authRows are requests that are signed otherwise than by a header.
func authRows(t *testing.T) map[string]wireRow {
	ahead := func(change func(c *s3.Call)) func(c *s3.Call) {
		return func(c *s3.Call) {
			c.Auth = s3.AuthQuery
			if change != nil {
				change(c)
			}
		}
	}
	signed := func(method string, header http.Header, query map[string][]string, body string) func(context.Context, *minio.Core) {
		return func(ctx context.Context, c *minio.Core) {
			u, err := c.PresignHeader(ctx, method, "bucket", "a key", 15*time.Minute, query, header)
			if err != nil {
				t.Fatal(err)
			}
			sendPlain(ctx, t, method, u.String(), header, body)
		}
	}
	return map[string]wireRow{
		// The server of the test creates none, so that nothing else is sent. Without a mode, sessions are for reading and writing.
		"session with a directory bucket": {
			cfg: s3.Config{Bucket: directoryBucket}, ours: ours(nil, ops.Get), but: []string{"x-amz-create-session-mode"},
			sdk: func(ctx context.Context, c *minio.Core) {
				_, _ = c.CreateSession(ctx, directoryBucket, minio.SessionReadWrite)
			},
		},
		"get, signed ahead":           {ours: ours(ahead(nil), ops.Get), sdk: signed(http.MethodGet, nil, nil, "")},
		"get a version, signed ahead": {ours: ours(ahead(version), ops.Get), sdk: signed(http.MethodGet, nil, map[string][]string{"versionId": {"v/1"}}, "")},
		"put, signed ahead": option(
			s3.Config{Headers: []s3.Header{{Name: "X-Amz-Meta-Who", Value: "me"}}}, ours(ahead(nil), ops.Put),
			signed(http.MethodPut, http.Header{"Content-Type": {"application/octet-stream"}, "X-Amz-Meta-Who": {"me"}}, nil, "hello"),
		),
		"form": {ours: ours(nil, ops.Post), sdk: func(ctx context.Context, c *minio.Core) {
			p := minio.NewPostPolicy()
			for _, err := range []error{p.SetBucket("bucket"), p.SetKey("a key"), p.SetExpires(time.Now().Add(15 * time.Minute)), p.SetContentType("application/octet-stream"), p.SetContentLengthRange(5, 5)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			u, fields, err := c.PresignedPostPolicy(ctx, p)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			w := multipart.NewWriter(&b)
			for name, value := range fields {
				if err := w.WriteField(name, value); err != nil {
					t.Fatal(err)
				}
			}
			file, err := w.CreateFormFile("file", "file")
			if err == nil {
				_, _ = io.WriteString(file, "hello")
				err = w.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			sendPlain(ctx, t, http.MethodPost, u.String(), http.Header{"Content-Type": {w.FormDataContentType()}}, b.String())
		}},
		"fan-out": {ours: ours(func(c *s3.Call) { c.Key = "" }, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return ops.FanOut(ctx, s, c, []string{"a", "b&c"})
		}), sdk: func(ctx context.Context, c *minio.Core) {
			_, _ = c.PutObjectFanOut(ctx, "bucket", strings.NewReader("hello"), minio.PutObjectFanOutRequest{Entries: []minio.PutObjectFanOutEntry{{Key: "a"}, {Key: "b&c"}}}) //nolint:staticcheck // the only implementation of this extension
		}, but: []string{"key", "$key", "content-type", "$content-type", "content-length-range", "$x-minio-fanout-list"}},
	}
}

// sendPlain sends a request as it is.
func sendPlain(ctx context.Context, t *testing.T, method, url string, header http.Header, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
}

// formSignedBy checks the signature of a form's policy.
func (r *sent) formSignedBy(t *testing.T, secret string) {
	t.Helper()
	date, err := time.Parse("20060102T150405Z", r.FormValue("x-amz-date"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.FormValue("x-amz-signature"), signer.PostPresignSignatureV4(r.FormValue("policy"), date, secret, "us-east-1"); got != want {
		t.Errorf("the policy is signed %s, want %s", got, want)
	}
}

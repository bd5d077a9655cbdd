package s3_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/encrypt"

	"warp/pkg/s3"
)

// canonical is what a request says: method, path, query and headers of S3, but for what differs by time or by the way in
// which contents are hashed.
func canonical(r *http.Request) string {
	query := r.URL.Query()
	query.Del("fetch-owner") // which the SDK always wants
	query.Del("encoding-type")
	if query.Get("delimiter") == "" {
		query.Del("delimiter")
	}
	lines := []string{r.Method + " " + r.URL.EscapedPath() + "?" + query.Encode()}
	for name, values := range r.Header {
		lower := strings.ToLower(name)
		switch {
		case lower == "x-amz-date", lower == "x-amz-content-sha256", lower == "x-amz-decoded-content-length", strings.HasPrefix(lower, "x-amz-checksum"), strings.HasPrefix(lower, "x-amz-sdk"):
		case strings.HasPrefix(lower, "x-amz-"), strings.HasPrefix(lower, "if-"), lower == "range":
			value := strings.Join(values, ",")
			if lower == "x-amz-copy-source" {
				value = strings.TrimPrefix(value, "/") // which S3 takes either way
			}
			lines = append(lines, lower+": "+value)
		}
	}
	slices.Sort(lines[1:])
	return strings.Join(lines, "\n")
}

// TestLikeTheSDK: a request has the parameters and headers that an SDK sends for the same thing, and the signature of an independent
// signer.
func TestLikeTheSDK(t *testing.T) {
	until := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	text := func() (io.Reader, int64) { return strings.NewReader("hello"), 5 }
	put := func(o minio.PutObjectOptions) func(context.Context, *minio.Core) {
		return func(ctx context.Context, c *minio.Core) {
			body, n := text()
			o.DisableMultipart = true
			_, _ = c.PutObject(ctx, "bucket", "a key", body, n, "", "", o)
		}
	}
	call := func(change func(c *s3.Call), send func(context.Context, s3.Session, *s3.Call) error) func(context.Context, s3.Session) {
		return func(ctx context.Context, s s3.Session) {
			c := putCall("a key", "hello")
			if change != nil {
				change(c)
			}
			_ = send(ctx, s, c) // what is sent counts
		}
	}
	list := func(l s3.Listing) func(context.Context, s3.Session) {
		return func(ctx context.Context, s s3.Session) { _ = s3.List(ctx, s, &s3.Call{}, &l) }
	}
	kms, err := encrypt.NewSSEKMS("key-1", nil)
	if err != nil {
		t.Fatal(err)
	}
	matching := func(set func(*minio.PutObjectOptions)) (o minio.PutObjectOptions) { set(&o); return o }
	reading := func(set func(*minio.GetObjectOptions) error) func(context.Context, *minio.Core) {
		return func(ctx context.Context, c *minio.Core) {
			var o minio.GetObjectOptions
			_ = set(&o)
			if body, _, _, err := c.GetObject(ctx, "bucket", "a key", o); err == nil {
				_ = body.Close()
			}
		}
	}
	hold := minio.LegalHoldEnabled
	mode := minio.Governance
	tests := map[string]struct {
		cfg  s3.Config
		ours func(context.Context, s3.Session)
		sdk  func(context.Context, *minio.Core)
	}{
		"put": {ours: call(nil, s3.Put), sdk: put(minio.PutObjectOptions{})},
		"put with storage class, metadata and tags": {
			s3.Config{Headers: []s3.Header{{Name: "X-Amz-Storage-Class", Value: "COLD"}, {Name: "X-Amz-Tagging", Value: "a=b"}, {Name: "X-Amz-Meta-Who", Value: "me"}}},
			call(nil, s3.Put), put(minio.PutObjectOptions{StorageClass: "COLD", UserTags: map[string]string{"a": "b"}, UserMetadata: map[string]string{"Who": "me"}}),
		},
		"put, SSE-S3":        {s3.Config{Uploads: s3.Uploads{Encryption: s3.SSES3}}, call(nil, s3.Put), put(minio.PutObjectOptions{ServerSideEncryption: encrypt.NewSSE()})},
		"put, SSE-KMS":       {s3.Config{Uploads: s3.Uploads{Encryption: s3.SSEKMS, KMSKey: "key-1"}}, call(nil, s3.Put), put(minio.PutObjectOptions{ServerSideEncryption: kms})},
		"put, if-none-match": {ours: call(func(c *s3.Call) { c.If.NoneMatch = "*" }, s3.Put), sdk: put(matching(func(o *minio.PutObjectOptions) { o.SetMatchETagExcept("*") }))},
		"put, if-match":      {ours: call(func(c *s3.Call) { c.If.Match = `"e"` }, s3.Put), sdk: put(matching(func(o *minio.PutObjectOptions) { o.SetMatchETag("e") }))},
		"get":                {ours: call(nil, s3.Get), sdk: reading(func(*minio.GetObjectOptions) error { return nil })},
		"get, range":         {ours: call(func(c *s3.Call) { c.Offset, c.Length = 2, 3 }, s3.Get), sdk: reading(func(o *minio.GetObjectOptions) error { return o.SetRange(2, 4) })},
		"get, version":       {ours: call(func(c *s3.Call) { c.Version = "v/1" }, s3.Get), sdk: reading(func(o *minio.GetObjectOptions) error { o.VersionID = "v/1"; return nil })},
		"get, if-none-match": {ours: call(func(c *s3.Call) { c.If.NoneMatch = `"e"` }, s3.Get), sdk: reading(func(o *minio.GetObjectOptions) error { return o.SetMatchETagExcept("e") })},
		"get, if-match":      {ours: call(func(c *s3.Call) { c.If.Match = `"e"` }, s3.Get), sdk: reading(func(o *minio.GetObjectOptions) error { return o.SetMatchETag("e") })},
		"get, part":          {ours: call(nil, func(ctx context.Context, s s3.Session, c *s3.Call) error { return s3.GetPart(ctx, s, c, 7) }), sdk: reading(func(o *minio.GetObjectOptions) error { o.PartNumber = 7; return nil })},
		"stat": {ours: call(nil, s3.Stat), sdk: func(ctx context.Context, c *minio.Core) {
			_, _ = c.StatObject(ctx, "bucket", "a key", minio.StatObjectOptions{})
		}},
		"delete": {ours: call(nil, s3.Delete), sdk: func(ctx context.Context, c *minio.Core) {
			_ = c.RemoveObject(ctx, "bucket", "a key", minio.RemoveObjectOptions{})
		}},
		"delete, version": {ours: call(func(c *s3.Call) { c.Version = "v1" }, s3.Delete), sdk: func(ctx context.Context, c *minio.Core) {
			_ = c.RemoveObject(ctx, "bucket", "a key", minio.RemoveObjectOptions{VersionID: "v1"})
		}},
		"delete, locked": {ours: call(func(c *s3.Call) { c.Version = "v1" }, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return s3.Delete(ctx, s3.BypassGovernance(s), c)
		}), sdk: func(ctx context.Context, c *minio.Core) {
			_ = c.RemoveObject(ctx, "bucket", "a key", minio.RemoveObjectOptions{VersionID: "v1", GovernanceBypass: true})
		}},
		"list":              {ours: list(s3.Listing{Prefix: "p/", MaxKeys: 7}), sdk: func(ctx context.Context, c *minio.Core) { _, _ = c.ListObjectsV2("bucket", "p/", "", "", "", 7) }},
		"list, start-after": {ours: list(s3.Listing{Prefix: "p/", StartAfter: "p/x", Delimiter: "/", MaxKeys: 7}), sdk: func(ctx context.Context, c *minio.Core) { _, _ = c.ListObjectsV2("bucket", "p/", "p/x", "", "/", 7) }},
		"list, version 1":   {ours: list(s3.Listing{Prefix: "p/", First: true, MaxKeys: 7}), sdk: func(ctx context.Context, c *minio.Core) { _, _ = c.ListObjects("bucket", "p/", "", "", 7) }},
		"create upload": {ours: call(nil, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			_, err := s3.CreateUpload(ctx, s, c)
			return err
		}), sdk: func(ctx context.Context, c *minio.Core) {
			_, _ = c.NewMultipartUpload(ctx, "bucket", "a key", minio.PutObjectOptions{})
		}},
		"put part": {ours: call(nil, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			_, err := s3.PutPart(ctx, s, c, "id+1", 7)
			return err
		}), sdk: func(ctx context.Context, c *minio.Core) {
			body, n := text()
			_, _ = c.PutObjectPart(ctx, "bucket", "a key", "id+1", 7, body, n, minio.PutObjectPartOptions{})
		}},
		"complete upload": {ours: call(nil, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return s3.CompleteUpload(ctx, s, c, "id+1", []s3.Part{{ETag: "e"}})
		}), sdk: func(ctx context.Context, c *minio.Core) {
			_, _ = c.CompleteMultipartUpload(ctx, "bucket", "a key", "id+1", []minio.CompletePart{{PartNumber: 1, ETag: "e"}}, minio.PutObjectOptions{})
		}},
		"abort upload": {ours: call(nil, func(ctx context.Context, s s3.Session, c *s3.Call) error { return s3.AbortUpload(ctx, s, c, "id+1") }), sdk: func(ctx context.Context, c *minio.Core) { _ = c.AbortMultipartUpload(ctx, "bucket", "a key", "id+1") }},
		"copy part": {ours: call(func(c *s3.Call) { c.Offset, c.Length = 2, 3 }, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			_, err := s3.CopyPart(ctx, s, c, &s3.Document{}, s3.CopySource("bucket", s3.ObjectID{Key: "other"}), "id+1", 7)
			return err
		}), sdk: func(ctx context.Context, c *minio.Core) {
			_, _ = c.CopyObjectPart(ctx, "bucket", "other", "bucket", "a key", "id+1", 7, 2, 3, nil)
		}},
		"read tags": {ours: call(nil, s3.GetTags), sdk: func(ctx context.Context, c *minio.Core) {
			_, _ = c.GetObjectTagging(ctx, "bucket", "a key", minio.GetObjectTaggingOptions{})
		}},
		"delete tags": {ours: call(nil, s3.DeleteTags), sdk: func(ctx context.Context, c *minio.Core) {
			_ = c.RemoveObjectTagging(ctx, "bucket", "a key", minio.RemoveObjectTaggingOptions{})
		}},
		"acl":         {ours: call(nil, s3.GetACL), sdk: func(ctx context.Context, c *minio.Core) { _, _ = c.GetObjectACL(ctx, "bucket", "a key") }},
		"head bucket": {ours: call(nil, s3.HeadBucket), sdk: func(ctx context.Context, c *minio.Core) { _, _ = c.BucketExists(ctx, "bucket") }},
		"legal hold, put": {ours: call(func(c *s3.Call) { c.Version = "v1" }, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return s3.PutLegalHold(ctx, s, c, &s3.Document{}, true)
		}), sdk: func(ctx context.Context, c *minio.Core) {
			_ = c.PutObjectLegalHold(ctx, "bucket", "a key", minio.PutObjectLegalHoldOptions{Status: &hold, VersionID: "v1"})
		}},
		"legal hold, get": {ours: call(func(c *s3.Call) { c.Version = "v1" }, s3.GetLegalHold), sdk: func(ctx context.Context, c *minio.Core) {
			_, _ = c.GetObjectLegalHold(ctx, "bucket", "a key", minio.GetObjectLegalHoldOptions{VersionID: "v1"})
		}},
		"retention, put": {ours: call(func(c *s3.Call) { c.Version = "v1" }, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return s3.PutRetention(ctx, s, c, &s3.Document{}, until)
		}), sdk: func(ctx context.Context, c *minio.Core) {
			_ = c.PutObjectRetention(ctx, "bucket", "a key", minio.PutObjectRetentionOptions{GovernanceBypass: true, Mode: &mode, RetainUntilDate: &until, VersionID: "v1"})
		}},
		"retention, get": {ours: call(func(c *s3.Call) { c.Version = "v1" }, s3.GetRetention), sdk: func(ctx context.Context, c *minio.Core) { _, _, _ = c.GetObjectRetention(ctx, "bucket", "a key", "v1") }},
	}
	var seen []sent
	host := handle(t, func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = append(seen, sent{r, body})
	})
	core, err := minio.NewCore(host, &minio.Options{Creds: credentials.NewStaticV4("AKEY", "SKEY", ""), Region: "us-east-1", MaxRetries: 1, BucketLookup: minio.BucketLookupPath})
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tc.cfg.Hosts, tc.cfg.Engine = []string{host}, "lean"
			tc.cfg.Bucket, tc.cfg.AccessKey, tc.cfg.SecretKey = "bucket", "AKEY", "SKEY"
			store, err := s3.New(tc.cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			seen = nil
			tc.ours(t.Context(), store.Session(0))
			tc.sdk(t.Context(), core)
			if len(seen) != 2 {
				t.Fatal(fmt.Errorf("%d requests were sent, want 2", len(seen)))
			}
			seen[0].signedBy(t, "AKEY", "SKEY")
			if ours, sdk := canonical(seen[0].Request), canonical(seen[1].Request); ours != sdk {
				t.Errorf("sent:\n%s\nthe SDK sends:\n%s", ours, sdk)
			}
		})
	}
}

package s3_test

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	sdktags "github.com/minio/minio-go/v7/pkg/tags"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// sdkPut uploads "hello" as the SDK does.
func sdkPut(o minio.PutObjectOptions) func(context.Context, *minio.Core) {
	return func(ctx context.Context, c *minio.Core) {
		o.DisableMultipart = true
		_, _ = c.PutObject(ctx, "bucket", "a key", strings.NewReader("hello"), 5, "", "", o)
	}
}

// sdkGet downloads as the SDK does.
func sdkGet(set func(*minio.GetObjectOptions) error) func(context.Context, *minio.Core) {
	return func(ctx context.Context, c *minio.Core) {
		var o minio.GetObjectOptions
		if set != nil {
			_ = set(&o)
		}
		if body, _, _, err := c.GetObject(ctx, "bucket", "a key", o); err == nil {
			_, _ = io.Copy(io.Discard, body)
			_ = body.Close()
		}
	}
}

// sdkDelete deletes as the SDK does.
func sdkDelete(o minio.RemoveObjectOptions) func(context.Context, *minio.Core) {
	return func(ctx context.Context, c *minio.Core) { _ = c.RemoveObject(ctx, "bucket", "a key", o) }
}

func version(c *s3.Call) { c.Version = "v/1" }

// objectRows are requests that move, copy and delete objects.
func objectRows() map[string]wireRow {
	source := ops.CopySource("bucket", ops.ObjectID{Key: "other key", Version: "v/1"})
	return map[string]wireRow{
		"get":          {ours: ours(nil, ops.Get), sdk: sdkGet(nil)},
		"get, range":   {ours: ours(func(c *s3.Call) { c.Offset, c.Length = 2, 3 }, ops.Get), sdk: sdkGet(func(o *minio.GetObjectOptions) error { return o.SetRange(2, 4) })},
		"get, version": {ours: ours(version, ops.Get), sdk: sdkGet(func(o *minio.GetObjectOptions) error { o.VersionID = "v/1"; return nil })},
		"get, part": {
			ours: ours(nil, func(ctx context.Context, s s3.Session, c *s3.Call) error { return ops.GetPart(ctx, s, c, 7) }),
			sdk:  sdkGet(func(o *minio.GetObjectOptions) error { o.PartNumber = 7; return nil }),
		},
		"get, out of an archive": {ours: ours(nil, ops.GetZipped), sdk: sdkGet(func(o *minio.GetObjectOptions) error { o.Set("x-minio-extract", "true"); return nil })},
		"stat": {ours: ours(version, ops.Stat), sdk: func(ctx context.Context, c *minio.Core) {
			_, _ = c.StatObject(ctx, "bucket", "a key", minio.StatObjectOptions{VersionID: "v/1"})
		}},
		"delete":          {ours: ours(nil, ops.Delete), sdk: sdkDelete(minio.RemoveObjectOptions{})},
		"delete, version": {ours: ours(version, ops.Delete), sdk: sdkDelete(minio.RemoveObjectOptions{VersionID: "v/1"})},
		"delete, locked": {ours: ours(version, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return ops.Delete(ctx, ops.BypassGovernance(s), c)
		}), sdk: sdkDelete(minio.RemoveObjectOptions{VersionID: "v/1", GovernanceBypass: true})},
		"delete, several": {ours: ours(nil, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return ops.DeleteMany(ctx, s, c, &ops.Deletion{Objects: []ops.ObjectID{{Key: "a&b"}, {Key: "c", Version: "v/1"}}})
		}), sdk: func(ctx context.Context, c *minio.Core) {
			objects := make(chan minio.ObjectInfo, 2)
			objects <- minio.ObjectInfo{Key: "a&b"}
			objects <- minio.ObjectInfo{Key: "c", VersionID: "v/1"}
			close(objects)
			for range c.RemoveObjects(ctx, "bucket", objects, minio.RemoveObjectsOptions{}) {
			}
		}},
		"copy": {
			ours: ours(nil, func(ctx context.Context, s s3.Session, c *s3.Call) error { return ops.Copy(ctx, s, c, source) }),
			sdk: func(ctx context.Context, c *minio.Core) {
				_, _ = c.CopyObject(ctx, "bucket", "other key", "bucket", "a key", nil, minio.CopySrcOptions{VersionID: "v/1"}, minio.PutObjectOptions{})
			},
		},
		"copy onto": {
			ours: ours(nil, func(ctx context.Context, s s3.Session, c *s3.Call) error {
				return ops.CopyOnto(ctx, s, c, ops.CopySource("bucket", ops.ObjectID{Key: "a key"}))
			}),
			sdk: func(ctx context.Context, c *minio.Core) {
				_, _ = c.CopyObject(ctx, "bucket", "a key", "bucket", "a key", map[string]string{"X-Amz-Metadata-Directive": "REPLACE"}, minio.CopySrcOptions{}, minio.PutObjectOptions{})
			},
		},
		"copy part": {ours: ours(func(c *s3.Call) { c.Offset, c.Length = 2, 3 }, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			_, err := ops.CopyPart(ctx, s, c, &ops.Document{}, ops.CopySource("bucket", ops.ObjectID{Key: "other"}), "id+1", 7)
			return err
		}), sdk: func(ctx context.Context, c *minio.Core) {
			_, _ = c.CopyObjectPart(ctx, "bucket", "other", "bucket", "a key", "id+1", 7, 2, 3, nil)
		}},
		"append": {
			ours: ours(nil, func(ctx context.Context, s s3.Session, c *s3.Call) error { return ops.Append(ctx, s, c, 5) }),
			sdk: func(ctx context.Context, c *minio.Core) {
				_, _ = c.AppendObject(ctx, "bucket", "a key", strings.NewReader("hello"), 5, minio.AppendObjectOptions{DisableContentSha256: true})
			}, trailers: true,
		},
		"create upload": {ours: ours(nil, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			_, err := ops.CreateUpload(ctx, s, c)
			return err
		}), sdk: func(ctx context.Context, c *minio.Core) {
			_, _ = c.NewMultipartUpload(ctx, "bucket", "a key", minio.PutObjectOptions{})
		}},
		"put part": {ours: ours(nil, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			_, err := ops.PutPart(ctx, s, c, "id+1", 7)
			return err
		}), sdk: func(ctx context.Context, c *minio.Core) {
			_, _ = c.PutObjectPart(ctx, "bucket", "a key", "id+1", 7, strings.NewReader("hello"), 5, minio.PutObjectPartOptions{})
		}},
		"complete upload": {ours: ours(nil, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return ops.CompleteUpload(ctx, s, c, "id+1", []ops.Part{{Number: 1, ETag: "e"}, {Number: 2, ETag: "f"}})
		}), sdk: func(ctx context.Context, c *minio.Core) {
			_, _ = c.CompleteMultipartUpload(ctx, "bucket", "a key", "id+1", []minio.CompletePart{{PartNumber: 1, ETag: "e"}, {PartNumber: 2, ETag: "f"}}, minio.PutObjectOptions{})
		}, but: []string{"content-md5"}},
		"abort upload": {
			ours: ours(nil, func(ctx context.Context, s s3.Session, c *s3.Call) error { return ops.AbortUpload(ctx, s, c, "id+1") }),
			sdk:  func(ctx context.Context, c *minio.Core) { _ = c.AbortMultipartUpload(ctx, "bucket", "a key", "id+1") },
		},
	}
}

// subresourceRows are requests for what belongs to an object.
func subresourceRows() map[string]wireRow {
	until := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	hold, mode := minio.LegalHoldEnabled, minio.Governance
	readTags := func(ctx context.Context, c *minio.Core) {
		_, _ = c.GetObjectTagging(ctx, "bucket", "a key", minio.GetObjectTaggingOptions{VersionID: "v/1"})
	}
	one, err := sdktags.NewTags(map[string]string{"name": "7"}, true)
	if err != nil {
		panic(err)
	}
	return map[string]wireRow{
		"tags, get": {ours: ours(version, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return ops.GetTags(ctx, s, c, &ops.Document{})
		}), sdk: readTags},
		"tags, read": {ours: ours(version, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			_, err := ops.ReadTags(ctx, s, c)
			return err
		}), sdk: readTags},
		"tags, put": {ours: ours(version, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return ops.PutTag(ctx, s, c, &ops.Document{}, "name", 7)
		}), sdk: func(ctx context.Context, c *minio.Core) {
			_ = c.PutObjectTagging(ctx, "bucket", "a key", one, minio.PutObjectTaggingOptions{VersionID: "v/1"})
		}},
		"tags, delete": {ours: ours(nil, ops.DeleteTags), sdk: func(ctx context.Context, c *minio.Core) {
			_ = c.RemoveObjectTagging(ctx, "bucket", "a key", minio.RemoveObjectTaggingOptions{})
		}},
		"attributes": {ours: ours(version, ops.GetAttributes), sdk: func(ctx context.Context, c *minio.Core) {
			_, _ = c.GetObjectAttributes(ctx, "bucket", "a key", minio.ObjectAttributesOptions{VersionID: "v/1"})
		}, but: []string{"x-amz-object-attributes", "x-amz-max-parts"}},
		"acl": {ours: ours(nil, ops.GetACL), sdk: func(ctx context.Context, c *minio.Core) { _, _ = c.GetObjectACL(ctx, "bucket", "a key") }},
		"select": {ours: ours(nil, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return ops.Select(ctx, s, c, ops.NewQuery("SELECT s._1 FROM S3Object s WHERE s._2 < 'a'"))
		}), sdk: func(ctx context.Context, c *minio.Core) {
			_, _ = c.SelectObjectContent(ctx, "bucket", "a key", minio.SelectObjectOptions{
				Expression: "SELECT s._1 FROM S3Object s WHERE s._2 < 'a'", ExpressionType: minio.QueryExpressionTypeSQL,
				InputSerialization: minio.SelectObjectInputSerialization{
					CompressionType: minio.SelectCompressionNONE, CSV: &minio.CSVInputOptions{FileHeaderInfo: minio.CSVFileHeaderInfoNone},
				},
				OutputSerialization: minio.SelectObjectOutputSerialization{CSV: &minio.CSVOutputOptions{}},
			})
		}, but: []string{"content-md5"}}, // S3 does not want it here
		"legal hold, put": {ours: ours(version, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return ops.PutLegalHold(ctx, s, c, &ops.Document{}, true)
		}), sdk: func(ctx context.Context, c *minio.Core) {
			_ = c.PutObjectLegalHold(ctx, "bucket", "a key", minio.PutObjectLegalHoldOptions{Status: &hold, VersionID: "v/1"})
		}},
		"legal hold, get": {ours: ours(version, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			_, err := ops.GetLegalHold(ctx, s, c, &ops.Document{})
			return err
		}), sdk: func(ctx context.Context, c *minio.Core) {
			_, _ = c.GetObjectLegalHold(ctx, "bucket", "a key", minio.GetObjectLegalHoldOptions{VersionID: "v/1"})
		}},
		"retention, put": {ours: ours(version, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return ops.PutRetention(ctx, s, c, &ops.Document{}, until)
		}), sdk: func(ctx context.Context, c *minio.Core) {
			_ = c.PutObjectRetention(ctx, "bucket", "a key", minio.PutObjectRetentionOptions{GovernanceBypass: true, Mode: &mode, RetainUntilDate: &until, VersionID: "v/1"})
		}},
		"retention, get": {ours: ours(version, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			_, err := ops.GetRetention(ctx, s, c, &ops.Document{})
			return err
		}), sdk: func(ctx context.Context, c *minio.Core) {
			_, _, _ = c.GetObjectRetention(ctx, "bucket", "a key", "v/1")
		}},
	}
}

// bucketRows are requests about buckets, and listings.
func bucketRows() map[string]wireRow {
	list := func(l ops.Listing) func(context.Context, s3.Session) {
		return func(ctx context.Context, s s3.Session) { _ = ops.List(ctx, s, &s3.Call{}, &l) }
	}
	sdkList := func(o minio.ListObjectsOptions) func(context.Context, *minio.Core) {
		return func(ctx context.Context, c *minio.Core) {
			for range c.Client.ListObjects(ctx, "bucket", o) {
			}
		}
	}
	create := func(region string, lock bool) wireRow {
		return wireRow{ours: ours(nil, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return ops.CreateBucket(ctx, s, c, region, lock)
		}), sdk: func(ctx context.Context, c *minio.Core) {
			_ = c.MakeBucket(ctx, "bucket", minio.MakeBucketOptions{Region: region, ObjectLocking: lock})
		}}
	}
	return map[string]wireRow{
		"list":              {ours: list(ops.Listing{Prefix: "p/", MaxKeys: 7}), sdk: func(_ context.Context, c *minio.Core) { _, _ = c.ListObjectsV2("bucket", "p/", "", "", "", 7) }},
		"list, next page":   {ours: list(ops.Listing{Prefix: "p/", Token: "a+b"}), sdk: func(_ context.Context, c *minio.Core) { _, _ = c.ListObjectsV2("bucket", "p/", "", "a+b", "", 0) }},
		"list, start-after": {ours: list(ops.Listing{Prefix: "p/", StartAfter: "p/x", Delimiter: "/"}), sdk: func(_ context.Context, c *minio.Core) { _, _ = c.ListObjectsV2("bucket", "p/", "p/x", "", "/", 0) }},
		"list, version 1":   {ours: list(ops.Listing{Prefix: "p/", First: true, MaxKeys: 7}), sdk: func(_ context.Context, c *minio.Core) { _, _ = c.ListObjects("bucket", "p/", "", "", 7) }},
		"list, metadata":    {ours: list(ops.Listing{Prefix: "p/", Metadata: true}), sdk: sdkList(minio.ListObjectsOptions{Prefix: "p/", Recursive: true, WithMetadata: true})},
		"list, versions":    {ours: list(ops.Listing{Prefix: "p/", All: true, MaxKeys: 7}), sdk: sdkList(minio.ListObjectsOptions{Prefix: "p/", Recursive: true, WithVersions: true, MaxKeys: 7})},
		"list, flat":        {ours: list(ops.Listing{Prefix: "p/", Flat: true}), sdk: sdkList(minio.ListObjectsOptions{Prefix: "p/"})},
		"list, uploads": {ours: list(ops.Listing{Prefix: "p/", Uploads: true, Token: "p/a\x00id", MaxKeys: 7}), sdk: func(ctx context.Context, c *minio.Core) {
			_, _ = c.ListMultipartUploads(ctx, "bucket", "p/", "p/a", "id", "", 7)
		}},
		"head bucket":               {ours: ours(nil, ops.HeadBucket), sdk: func(ctx context.Context, c *minio.Core) { _, _ = c.BucketExists(ctx, "bucket") }},
		"create bucket":             create(s3.DefaultRegion, false),
		"create bucket, lock":       create(s3.DefaultRegion, true),
		"create bucket in a region": create("eu-west-3", false),
		"remove bucket":             {ours: ours(nil, ops.RemoveBucket), sdk: func(ctx context.Context, c *minio.Core) { _ = c.RemoveBucket(ctx, "bucket") }},
		"versioning, get": {ours: ours(nil, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			_, err := ops.GetVersioning(ctx, s, c)
			return err
		}), sdk: func(ctx context.Context, c *minio.Core) { _, _ = c.GetBucketVersioning(ctx, "bucket") }},
		"versioning, put": {ours: ours(nil, ops.EnableVersioning), sdk: func(ctx context.Context, c *minio.Core) { _ = c.EnableVersioning(ctx, "bucket") }},
		"object lock": {ours: ours(nil, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			_, err := ops.ObjectLock(ctx, s, c)
			return err
		}), sdk: func(ctx context.Context, c *minio.Core) { _, _, _, _, _ = c.GetObjectLockConfig(ctx, "bucket") }},
	}
}

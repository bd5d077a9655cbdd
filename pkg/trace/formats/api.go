package formats

import (
	"bytes"
	"slices"

	"warp/pkg/op"
)

// apiKinds are the operations of the S3 API, by their names in audit logs.
var apiKinds = map[string]op.Kind{
	"GetObject":               op.Get,
	"PutObject":               op.Put,
	"PostObject":              op.Put,
	"PostPolicyBucket":        op.Put,
	"HeadObject":              op.Stat,
	"DeleteObject":            op.Delete,
	"DeleteObjects":           op.Delete,
	"DeleteMultipleObjects":   op.Delete,
	"CopyObject":              op.Copy,
	"ListObjects":             op.List,
	"ListObjectsV1":           op.List,
	"ListObjectsV2":           op.List,
	"ListObjectsV2M":          op.List,
	"ListObjectVersions":      op.List,
	"ListObjectVersionsM":     op.List,
	"CreateMultipartUpload":   op.CreateUpload,
	"NewMultipartUpload":      op.CreateUpload,
	"UploadPart":              op.PutPart,
	"PutObjectPart":           op.PutPart,
	"UploadPartCopy":          op.CopyPart,
	"CopyObjectPart":          op.CopyPart,
	"CompleteMultipartUpload": op.CompleteUpload,
	"AbortMultipartUpload":    op.AbortUpload,
}

// methodKind returns the operation of a request from its method, its key, which may be empty, and its query; false if Kinds lacks it.
func methodKind(method string, key, query []byte) (op.Kind, bool) {
	has := func(name string) bool { _, ok := queryValue(query, name); return ok }
	upload := has("uploadId")
	if len(key) == 0 {
		return op.List, method == "GET" && isListing(query)
	}
	switch method {
	case "GET":
		return op.Get, !upload && !subresource(has)
	case "HEAD":
		return op.Stat, true
	case "PUT":
		if upload {
			return op.PutPart, true
		}
		return op.Put, !subresource(has)
	case "POST":
		if upload {
			return op.CompleteUpload, true
		}
		return op.CreateUpload, has("uploads")
	case "DELETE":
		if upload {
			return op.AbortUpload, true
		}
		return op.Delete, !subresource(has)
	}
	return "", false
}

// listingParams are parameters of listings, which may have no value.
var listingParams = []string{
	"list-type", "prefix", "delimiter", "marker", "max-keys", "encoding-type", "versions", "continuation-token", "start-after",
	"fetch-owner", "key-marker", "version-id-marker",
}

// bucketParams name properties of a bucket, and may have a value.
var bucketParams = []string{
	"session", "events", "analytics", "inventory", "metrics", "intelligent-tiering", "uploads", "location", "versioning",
}

// isListing reports whether a GET of a bucket lists its objects. An unknown parameter without a value names a property of the bucket.
func isListing(query []byte) bool {
	for len(query) > 0 {
		var pair []byte
		pair, query = cutField(query, '&')
		name, value := cutField(pair, '=')
		if len(name) == 0 || slices.Contains(listingParams, string(name)) {
			continue
		}
		if len(value) == 0 || slices.Contains(bucketParams, string(name)) {
			return false
		}
	}
	return true
}

// isService reports whether a path is outside of all buckets: the root, files that browsers request from every server, and services of
// MinIO.
func isService(bucket, key []byte) bool {
	switch string(bucket) {
	case "", "favicon.ico", "robots.txt":
		return len(key) == 0
	case "minio":
		for _, below := range []string{"health/", "admin/", "v2/metrics", "metrics/", "prometheus/", "kms/"} {
			if bytes.HasPrefix(key, []byte(below)) {
				return true
			}
		}
	}
	return false
}

// subresource reports whether a request is about a property of an object.
func subresource(has func(string) bool) bool {
	return has("acl") || has("tagging") || has("retention") || has("legal-hold") || has("attributes") || has("torrent")
}

// errorStatus returns the usual status for an error code of S3; 0 for an empty code.
func errorStatus(code []byte) int {
	switch string(code) {
	case "":
		return 0
	case "NoSuchKey", "NoSuchBucket", "NoSuchVersion", "NoSuchUpload", "NotFound":
		return 404
	case "AccessDenied", "SignatureDoesNotMatch", "InvalidAccessKeyId":
		return 403
	case "PreconditionFailed":
		return 412
	case "NotModified":
		return 304
	case "InvalidRange":
		return 416
	case "SlowDown", "ServiceUnavailable", "503 SlowDown":
		return 503
	case "InternalError":
		return 500
	}
	return 400
}

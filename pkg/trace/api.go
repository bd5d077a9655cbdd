package trace

import "warp/pkg/op"

// apiKinds are the names of operations in the API of S3, as audit logs have them.
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
	"CreateMultipartUpload":   op.CreateUpload,
	"NewMultipartUpload":      op.CreateUpload,
	"UploadPart":              op.PutPart,
	"PutObjectPart":           op.PutPart,
	"UploadPartCopy":          op.CopyPart,
	"CopyObjectPart":          op.CopyPart,
	"CompleteMultipartUpload": op.CompleteUpload,
	"AbortMultipartUpload":    op.AbortUpload,
}

// methodKind returns what a request does: its method, whether it has a key, and its query.
func methodKind(method string, key, query []byte) (op.Kind, bool) {
	has := func(name string) bool { _, ok := queryValue(query, name); return ok }
	upload := has("uploadId")
	if len(key) == 0 {
		return op.List, method == "GET" && !has("uploads") && !has("location") && !has("versioning")
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

// subresource reports whether a request is about a property of an object.
func subresource(has func(string) bool) bool {
	return has("acl") || has("tagging") || has("retention") || has("legal-hold") || has("attributes") || has("torrent")
}

// errorStatus returns the usual status of an error of S3; 0: no error.
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

package responder

import (
	"mime"
	"net/http"
	"net/url"

	"warp/pkg/op"
)

// Bucket is the kind of requests about the bucket itself and its settings. A multi-delete is an op.Delete.
const Bucket op.Kind = "BUCKET"

// counted are the kinds that are counted by themselves; all others are counted together.
var counted = [...]op.Kind{
	op.Get, op.Put, op.Delete, op.Stat, op.List, op.GetTags, op.PutTags, op.DeleteTags, op.Attributes, op.ACL,
	op.CreateUpload, op.PutPart, op.CopyPart, op.CompleteUpload, op.AbortUpload,
	op.Copy, op.Append, op.Post, op.Retention, op.GetRetention, op.LegalHold, op.GetLegalHold,
}

func kindOf(r *http.Request, key string) op.Kind {
	if key == "" {
		query := r.URL.Query()
		switch {
		case r.Method == http.MethodPost && query.Has("delete"):
			return op.Delete
		case isForm(r):
			return op.Post
		case r.Method == http.MethodGet && isListing(query):
			return op.List
		}
		return Bucket
	}
	if r.URL.RawQuery != "" {
		if k := subresourceKind(r); k != "" {
			return k
		}
	}
	if r.Method == http.MethodPut {
		switch {
		case r.Header["X-Amz-Copy-Source"] != nil && r.URL.Query().Has("uploadId"):
			return op.CopyPart
		case r.Header["X-Amz-Copy-Source"] != nil:
			return op.Copy
		case r.Header["X-Amz-Write-Offset-Bytes"] != nil:
			return op.Append
		}
	}
	if r.URL.RawQuery != "" {
		if k := uploadKind(r); k != "" {
			return k
		}
	}
	switch r.Method {
	case http.MethodGet:
		return op.Get
	case http.MethodPut:
		return op.Put
	case http.MethodHead:
		return op.Stat
	case http.MethodDelete:
		return op.Delete
	}
	return Bucket
}

// isListing reports whether a GET of a bucket lists its objects or versions.
func isListing(query url.Values) bool {
	return len(query) == 0 || query.Has("list-type") || query.Has("versions") || query.Has("prefix") && !query.Has("uploads")
}

// kindsOf are the kinds of requests about a subresource by method.
var kindsOf = map[string]map[string]op.Kind{
	"tagging":    {http.MethodGet: op.GetTags, http.MethodPut: op.PutTags, http.MethodDelete: op.DeleteTags},
	"attributes": {http.MethodGet: op.Attributes},
	"acl":        {http.MethodGet: op.ACL},
	"retention":  {http.MethodGet: op.GetRetention, http.MethodPut: op.Retention},
	"legal-hold": {http.MethodGet: op.GetLegalHold, http.MethodPut: op.LegalHold},
}

// subresourceKind returns the kind of a request about a subresource; empty if it is about something else.
func subresourceKind(r *http.Request) op.Kind {
	for name := range r.URL.Query() {
		if k := kindsOf[name][r.Method]; k != "" {
			return k
		}
	}
	return ""
}

// uploadKind returns the kind of a request about an upload, or about one of its parts; empty for others.
func uploadKind(r *http.Request) op.Kind {
	query := r.URL.Query()
	switch {
	case r.Method == http.MethodPost && query.Has("uploads"):
		return op.CreateUpload
	case !query.Has("uploadId"):
		return ""
	case r.Method == http.MethodPut:
		return op.PutPart
	case r.Method == http.MethodPost:
		return op.CompleteUpload
	case r.Method == http.MethodDelete:
		return op.AbortUpload
	}
	return ""
}

// isForm reports whether a request is an upload by a form.
func isForm(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return r.Method == http.MethodPost && err == nil && kind == "multipart/form-data"
}

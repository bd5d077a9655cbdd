package gcsjson

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"warp/internal/responder"
	"warp/pkg/op"
)

// request is a request as it is performed.
type request struct {
	method, bucket, key string
	action              string   // what comes behind the key
	into                []string // bucket and key of the destination of a rewrite
	upload              bool     // of contents
	query               url.Values
	header              http.Header
	size                int64
	content             []byte // of an object; nil: it is not kept
	document            []byte // any other body
	refuse              int    // how many deletions of a batch are refused
	code                string // of their refusals
	base                string // URL of the server
}

// response is what a request is answered.
type response struct {
	status       int
	code         string // reason of an error
	header       http.Header
	document     any
	text         []byte // instead, as it is
	contents     *object
	from, length int64
}

func fails(status int, code string) response { return response{status: status, code: code} }

// parse reads what a request is about. Keys are one segment of a path.
func parse(r *http.Request) (q request) {
	q = request{method: r.Method, header: r.Header, base: "http://" + r.Host}
	if r.TLS != nil {
		q.base = "https://" + r.Host
	}
	path := r.URL.EscapedPath()
	if path == "/batch/storage/v1" {
		q.action = "batch"
		return q
	}
	path, q.upload = strings.CutPrefix(path, "/upload")
	path, known := strings.CutPrefix(path, "/storage/v1/b")
	parts := strings.Split(path, "/")
	for i, part := range parts {
		parts[i], _ = url.PathUnescape(part)
	}
	at := func(i int) string {
		if i < len(parts) {
			return parts[i]
		}
		return ""
	}
	q.bucket, q.key, q.action = at(1), at(3), at(4)
	switch {
	case !known:
		q.action = "unknown"
	case q.action == "rewriteTo" && len(parts) == 9:
		q.into = []string{parts[6], parts[8]}
	case q.bucket != "" && q.key == "" && at(2) == "o":
		q.action = "objects"
	}
	return q
}

// Begin says what a request is about.
func (s *Store) Begin(x *responder.Exchange) {
	q := parse(x.R)
	query := x.R.URL.Query()
	x.Bucket, x.Key = q.bucket, cmp.Or(q.key, query.Get("name"))
	if q.into != nil { // a copy is about what it makes
		x.Bucket, x.Key = q.into[0], q.into[1]
	}
	x.Kind = kindOf(&q, query)
}

func kindOf(q *request, query url.Values) op.Kind {
	switch {
	case q.action == "batch":
		return op.Delete
	case q.upload && q.method == http.MethodPost && query.Get("uploadType") == "resumable":
		return op.CreateUpload
	case q.upload:
		return op.Put
	case q.action == "objects":
		return op.List
	case q.action == "rewriteTo":
		return op.Copy
	case q.action == "compose":
		return op.Compose
	case q.key == "" || q.action != "":
		return responder.Bucket
	case q.method == http.MethodGet && query.Get("alt") == "media":
		return op.Get
	case q.method == http.MethodGet && query.Get("fields") == metadataField:
		return op.GetTags
	case q.method == http.MethodGet:
		return op.Stat
	case q.method == http.MethodPatch:
		return op.PutTags
	case q.method == http.MethodDelete:
		return op.Delete
	}
	return responder.Bucket
}

// Serve responds.
func (s *Store) Serve(x *responder.Exchange) {
	q := parse(x.R)
	q.query, q.refuse, q.code = x.R.URL.Query(), x.Fault.Refuse, x.Fault.Code
	switch proof := x.R.Header.Get("Authorization"); {
	case proof == "" && !s.Public:
		x.Fail(http.StatusUnauthorized, "required")
		return
	case proof != "" && proof != "Bearer "+s.Token:
		x.Fail(http.StatusUnauthorized, "authError")
		return
	case x.R.ContentLength < 0:
		x.Fail(http.StatusLengthRequired, "required")
		return
	}
	var err error
	if x.Kind == op.Put && q.query.Get("uploadType") != "multipart" {
		q.content, q.size, err = x.ReadBody()
	} else {
		q.document, err = io.ReadAll(x.R.Body)
	}
	if err != nil {
		return // the client hung up, or has its response
	}
	if x.Fault.Execute {
		s.perform(&q)
	}
	if x.Ready() {
		s.respond(x, s.perform(&q))
	}
}

// respond sends a response.
func (s *Store) respond(x *responder.Exchange, a response) {
	h := x.W.Header()
	for name, values := range a.header {
		h[name] = values
	}
	h.Set("X-Guploader-Uploadid", x.RequestID())
	switch {
	case a.status >= http.StatusBadRequest && a.status != statusAborted:
		x.Fail(a.status, a.code)
	case a.contents != nil:
		x.Contents(a.status, a.contents.content, a.from, a.length)
	case a.text != nil:
		x.Document(a.status, h.Get("Content-Type"), a.text)
	case a.document != nil:
		text, _ := json.Marshal(a.document) // all that this package makes has a form
		x.Document(a.status, "application/json; charset=UTF-8", text)
	default:
		x.Empty(a.status)
	}
}

// reasons are the usual reasons of statuses.
var reasons = map[int]string{
	http.StatusBadRequest:         "invalid",
	http.StatusUnauthorized:       "authError",
	http.StatusForbidden:          "forbidden",
	http.StatusNotFound:           "notFound",
	http.StatusConflict:           "conflict",
	http.StatusPreconditionFailed: "conditionNotMet",
	http.StatusTooManyRequests:    "rateLimitExceeded",
	http.StatusServiceUnavailable: "backendError",
	http.StatusNotImplemented:     "notImplemented",
}

// noBucket is the reason, to be said otherwise, that there is no such bucket.
const noBucket = "noBucket"

// errorOf is the document of an error.
func errorOf(status int, code string) any {
	message := http.StatusText(status)
	switch {
	case code == noBucket:
		code, message = "notFound", "The specified bucket does not exist."
	case code == nameLimit:
		code = "rateLimitExceeded"
		message = "The object exceeded the rate limit for object mutation operations (create, update, and delete)."
	}
	one := map[string]any{"domain": "global", "reason": cmp.Or(code, reasons[status], "internalError"), "message": message}
	return map[string]any{"error": map[string]any{"code": status, "message": message, "errors": []any{one}}}
}

// Fail responds with an error. That of a download of what is not there is a text.
func (s *Store) Fail(x *responder.Exchange, status int, code string) {
	x.W.Header().Set("X-Guploader-Uploadid", x.RequestID())
	if status == http.StatusNotFound && x.Kind == op.Get && code == "notFound" {
		x.Document(status, "text/html; charset=UTF-8", []byte("No such object: "+x.Bucket+"/"+x.Key))
		return
	}
	text, _ := json.Marshal(errorOf(status, code)) // it has a form
	x.Document(status, "application/json; charset=UTF-8", text)
}

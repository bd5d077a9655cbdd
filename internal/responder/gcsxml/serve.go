package gcsxml

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/xml"
	"hash"
	"hash/crc32"
	"io"
	"net/http"
	"net/url"
	"strings"

	"warp/internal/responder"
	"warp/pkg/op"
)

// request is a request as it is performed.
type request struct {
	x       *responder.Exchange
	query   url.Values
	content []byte // of an object or a part; nil: it is not kept
	size    int64
	text    []byte // any other body
}

// response is what a request is answered.
type response struct {
	status       int
	code         string // of an error
	header       map[string]string
	document     any // nil: none
	contents     *object
	from, length int64
}

func fails(status int, code string) response { return response{status: status, code: code} }

// Begin says what a request is about.
func (s *Store) Begin(x *responder.Exchange) {
	x.Bucket, x.Key, _ = strings.Cut(strings.TrimPrefix(x.R.URL.Path, "/"), "/")
	x.Kind = kindOf(x.R, x.Key)
}

func kindOf(r *http.Request, key string) op.Kind {
	q := url.Values{}
	if r.URL.RawQuery != "" {
		q = r.URL.Query()
	}
	switch {
	case key == "" && r.Method == http.MethodPost && q.Has("delete"):
		return op.Delete
	case key == "" && r.Method == http.MethodGet && !q.Has("versioning"):
		return op.List
	case key == "":
		return responder.Bucket
	case r.Method == http.MethodPost && q.Has("uploads"):
		return op.CreateUpload
	case r.Method == http.MethodPost:
		return op.CompleteUpload
	case r.Method == http.MethodDelete && q.Has("uploadId"):
		return op.AbortUpload
	case r.Method == http.MethodPut && q.Has("uploadId"):
		return op.PutPart
	case r.Header.Get("X-Goog-Copy-Source") != "":
		return op.Copy
	case r.Method == http.MethodPut && q.Has("compose"):
		return op.Compose
	}
	return map[string]op.Kind{
		http.MethodGet: op.Get, http.MethodHead: op.Stat, http.MethodPut: op.Put, http.MethodDelete: op.Delete,
	}[r.Method]
}

// Serve responds.
func (s *Store) Serve(x *responder.Exchange) {
	switch code := Check(x.R); code {
	case "":
	case "ExcessHeaderValues":
		x.Fail(http.StatusBadRequest, code)
		return
	case "AuthenticationRequired":
		x.Fail(http.StatusUnauthorized, code)
		return
	default:
		x.Fail(http.StatusForbidden, code)
		return
	}
	q := &request{x: x, query: x.R.URL.Query()}
	sums := teeSums(x.R)
	var err error
	if x.Kind == op.Put || x.Kind == op.PutPart {
		q.content, q.size, err = x.ReadBody()
	} else {
		q.text, err = io.ReadAll(x.R.Body)
	}
	switch {
	case err != nil:
		return // the client hung up, or has its response
	case !sums.right(x.R.Header):
		x.Fail(http.StatusBadRequest, "BadDigest")
		return
	}
	if x.Fault.Execute {
		s.perform(q)
	}
	if x.Ready() {
		s.respond(x, s.perform(q))
	}
}

// sums are what a body is held against.
type sums struct{ md5, crc hash.Hash }

func teeSums(r *http.Request) sums {
	s := sums{md5.New(), crc32.New(crc32.MakeTable(crc32.Castagnoli))} //nolint:gosec // it is what the service checks
	if r.Header.Get("Content-Md5") != "" || r.Header.Get("X-Goog-Hash") != "" {
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(r.Body, io.MultiWriter(s.md5, s.crc)), r.Body}
	}
	return s
}

func (s sums) right(h http.Header) bool {
	sum, crc := h.Get("Content-Md5"), h.Get("X-Goog-Hash")
	encoded := func(h hash.Hash) string { return base64.StdEncoding.EncodeToString(h.Sum(nil)) }
	return (sum == "" || sum == encoded(s.md5)) && (crc == "" || crc == "crc32c="+encoded(s.crc))
}

// respond sends a response.
func (s *Store) respond(x *responder.Exchange, a response) {
	h := x.W.Header()
	h.Set("X-Guploader-Uploadid", x.RequestID())
	for name, value := range a.header {
		h.Set(name, value)
	}
	switch {
	case a.status >= http.StatusBadRequest:
		x.Fail(a.status, a.code)
	case a.contents != nil:
		x.Contents(a.status, a.contents.content, a.from, a.length)
	case a.document != nil:
		x.XML(a.status, a.document)
	default:
		x.Status(a.status)
	}
}

// codes are the usual codes of statuses.
var codes = map[int]string{
	http.StatusForbidden:           "AccessDenied",
	http.StatusNotFound:            "NoSuchKey",
	http.StatusInternalServerError: "InternalError",
	http.StatusNotImplemented:      "NotImplemented",
	http.StatusTooManyRequests:     "SlowDown",
	http.StatusServiceUnavailable:  "ServiceUnavailable",
}

type errorBody struct {
	XMLName                xml.Name `xml:"Error"`
	Code, Message, Details string
}

// Fail responds with an error.
func (s *Store) Fail(x *responder.Exchange, status int, code string) {
	if code == "" {
		code = codes[status]
	}
	x.W.Header().Set("X-Guploader-Uploadid", x.RequestID())
	x.XML(status, errorBody{Code: code, Message: http.StatusText(status) + ".", Details: "as the test wants it"})
}

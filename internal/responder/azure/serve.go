package azure

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/xml"
	"hash"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"warp/internal/responder"
	"warp/pkg/op"
)

// Version is that of the API, which requests must name.
const Version = "2023-11-03"

// request is a request as it is performed.
type request struct {
	method, container, key string
	query                  url.Values
	header                 http.Header
	host                   string
	proof                  Proof
	size                   int64
	content                []byte // of a blob or a block; nil: it is not kept
	document               []byte // any other body
	refuse                 int    // how many deletions of a batch are refused
	code                   string // of their refusals
}

// response is what a request is answered.
type response struct {
	status       int
	code         string // of an error; empty: that of the status
	header       http.Header
	document     []byte
	contents     *blob // whose body it is
	from, length int64
}

func fails(status int, code string) response { return response{status: status, code: code} }

// comp is the component that a request is about.
func comp(r *http.Request) string {
	if r.URL.RawQuery == "" {
		return ""
	}
	return r.URL.Query().Get("comp")
}

// Begin says what a request is about.
func (s *Store) Begin(x *responder.Exchange) {
	path := strings.TrimPrefix(x.R.URL.Path, "/"+Account)
	x.Bucket, x.Key, _ = strings.Cut(strings.TrimPrefix(path, "/"), "/")
	x.Kind = kindOf(x.R, x.Key)
}

// kinds of requests about blobs, by method and component.
var kinds = map[string]op.Kind{
	"GET ": op.Get, "HEAD ": op.Stat, "PUT ": op.Put, "DELETE ": op.Delete, "GET tags": op.GetTags, "PUT tags": op.PutTags,
	"PUT block": op.PutPart, "PUT blocklist": op.CompleteUpload, "PUT appendblock": op.Append,
}

func kindOf(r *http.Request, key string) op.Kind {
	component := comp(r)
	switch copies := r.Header["X-Ms-Copy-Source"] != nil; {
	case component == "batch":
		return op.Delete
	case key == "" && component == "list":
		return op.List
	case key == "":
		return responder.Bucket
	case copies && component == "block":
		return op.CopyPart
	case copies && component == "":
		return op.Copy
	}
	if k, known := kinds[r.Method+" "+component]; known {
		return k
	}
	return responder.Bucket
}

// Serve responds.
func (s *Store) Serve(x *responder.Exchange) {
	path, _, _ := strings.Cut(x.R.RequestURI, "?")
	q := &request{
		method: x.R.Method, container: x.Bucket, key: x.Key, query: x.R.URL.Query(), header: x.R.Header, host: x.R.Host,
		proof:  s.Check(x.R.Method, path, x.R.URL.RawQuery, x.R.Header, strconv.FormatInt(x.R.ContentLength, 10)),
		refuse: x.Fault.Refuse, code: x.Fault.Code,
	}
	code := q.proof.Code
	if code == "" {
		code = q.permitted()
	}
	switch {
	case !strings.HasPrefix(path, "/"+Account):
		x.Fail(http.StatusBadRequest, "InvalidUri")
		return
	case code == noProof:
		x.Fail(http.StatusUnauthorized, code)
		return
	case code != "":
		x.Fail(http.StatusForbidden, code)
		return
	case x.R.Header.Get("X-Ms-Version") == "":
		x.Fail(http.StatusBadRequest, "MissingRequiredHeader")
		return
	case x.R.ContentLength < 0:
		x.Fail(http.StatusLengthRequired, "MissingContentLengthHeader")
		return
	}
	sum := tee(x.R)
	if err := q.read(x); err != nil {
		return // the client hung up, or has its response
	}
	if stated := x.R.Header.Get("Content-Md5"); sum != nil && stated != base64.StdEncoding.EncodeToString(sum.Sum(nil)) {
		x.Fail(http.StatusBadRequest, "Md5Mismatch")
		return
	}
	if x.Fault.Execute {
		s.perform(q)
	}
	if x.Ready() {
		s.respond(x, s.perform(q))
	}
}

// tee returns what hashes the body of a request; nil if it states no MD5.
func tee(r *http.Request) hash.Hash {
	if r.Header.Get("Content-Md5") == "" {
		return nil
	}
	sum := md5.New() //nolint:gosec // it is what the service checks
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(r.Body, sum), r.Body}
	return sum
}

// read reads the body.
func (q *request) read(x *responder.Exchange) (err error) {
	switch x.Kind {
	case op.Put, op.PutPart, op.Append:
		q.content, q.size, err = x.ReadBody()
	default:
		q.document, err = io.ReadAll(x.R.Body)
	}
	return err
}

// respond sends a response.
func (s *Store) respond(x *responder.Exchange, a response) {
	h := x.W.Header()
	for name, values := range a.header {
		h[name] = values
	}
	h.Set("X-Ms-Version", Version)
	switch {
	case a.status >= http.StatusBadRequest:
		x.Fail(a.status, a.code)
	case a.contents != nil:
		x.Contents(a.status, a.contents.content, a.from, a.length)
	case a.document != nil:
		kind := h.Get("Content-Type")
		if kind == "" {
			kind = "application/xml"
		}
		x.Document(a.status, kind, a.document)
	default:
		x.Empty(a.status)
	}
}

// codes are the usual codes of statuses.
var codes = map[int]string{
	http.StatusForbidden:           "AuthorizationFailure",
	http.StatusNotFound:            "BlobNotFound",
	http.StatusInternalServerError: "InternalError",
	http.StatusServiceUnavailable:  "ServerBusy",
}

type errorBody struct {
	XMLName xml.Name `xml:"Error"`
	Code    string
	Message string
	Detail  string `xml:"AuthenticationErrorDetail,omitempty"`
}

// mark is the byte order mark that documents begin with.
const mark = "\ufeff"

// document is the text of a document.
func document(content any) []byte {
	var b bytes.Buffer
	b.WriteString(mark + xml.Header)
	_ = xml.NewEncoder(&b).Encode(content) // all that this package encodes has a form
	return b.Bytes()
}

// Fail responds with an error.
func (s *Store) Fail(x *responder.Exchange, status int, code string) {
	if code == "" {
		code = codes[status]
	}
	id := x.RequestID()
	h := x.W.Header()
	h.Set("X-Ms-Request-Id", id)
	if code != "" {
		h.Set("X-Ms-Error-Code", code)
	}
	message := http.StatusText(status) + ".\nRequestId:" + id + "\nTime:2026-11-25T08:00:00.0000000Z"
	body := errorBody{Code: code, Message: message}
	if code == notAuthentic {
		body.Detail = "Signature did not match.\nString to sign used was r"
	}
	x.Document(status, "application/xml", document(body))
}

package responder

import (
	"encoding/xml"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// amazon is what the server speaks if it is asked for nothing else: S3.
type amazon struct{ s *Server }

// Begin says what a request is about.
func (amazon) Begin(x *Exchange) {
	x.Bucket, x.Key, _ = strings.Cut(strings.TrimPrefix(x.R.URL.Path, "/"), "/")
	if request := find(x.R, x.Key); request != nil {
		x.Kind, x.serve = request.kind, request.serve
	} else {
		x.Kind = kindOf(x.R, x.Key)
	}
}

// Serve responds.
func (amazon) Serve(x *Exchange) {
	s, code := x.authenticate()
	switch {
	case code != "":
		x.Fail(http.StatusForbidden, code)
	case x.directory():
	default:
		contents(x.R, s)
		if x.serve != nil {
			x.serve(x)
		} else {
			x.route()
		}
	}
}

// codes are what S3 calls the errors of statuses that tests ask for without a code.
var codes = map[int]string{
	http.StatusForbidden:           "AccessDenied",
	http.StatusNotFound:            "NoSuchKey",
	http.StatusInternalServerError: "InternalError",
	http.StatusNotImplemented:      "NotImplemented",
	http.StatusServiceUnavailable:  "SlowDown",
}

type errorBody struct {
	XMLName   xml.Name `xml:"Error"`
	Code      string
	Message   string
	RequestID string `xml:"RequestId"`
}

// Fail responds with an error.
func (amazon) Fail(x *Exchange, status int, code string) {
	if code == "" {
		code = codes[status]
	}
	id := x.RequestID()
	x.W.Header().Set("X-Amz-Request-Id", id)
	x.XML(status, errorBody{Code: code, Message: http.StatusText(status), RequestID: id})
}

// Create creates a bucket.
func (a amazon) Create(bucket string) { a.s.store.make(bucket) }

// Buckets are the names of all buckets.
func (a amazon) Buckets() []string {
	a.s.store.mu.Lock()
	defer a.s.store.mu.Unlock()
	return slices.Sorted(maps.Keys(a.s.store.buckets))
}

// Visit calls a function for each version of each object of a bucket, by keys.
func (a amazon) Visit(bucket string, visit func(key string, size int64)) {
	a.s.store.mu.Lock()
	defer a.s.store.mu.Unlock()
	b := a.s.store.buckets[bucket]
	if b == nil {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(b.objects)) {
		o := b.objects[key]
		for at := &o; at != nil; at = at.older {
			if at.marker {
				visit("["+key+"]", 0)
			} else {
				visit(key, at.size)
			}
		}
	}
}

// Uploads are the unfinished uploads of a bucket.
func (a amazon) Uploads(bucket string) (list []string) {
	for _, up := range a.s.uploads.list(bucket, "") {
		list = append(list, up.Key+" "+up.UploadID)
	}
	return list
}

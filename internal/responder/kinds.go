package responder

import (
	"mime"
	"net/http"
	"net/url"
	"slices"

	"warp/pkg/op"
)

// request is a kind of requests about objects: how to recognize one, and how to respond.
type request struct {
	kind   op.Kind
	method string
	param  string // a parameter of its query; empty: any query will do
	header string // one of its headers, in canonical form; empty: any headers will do
	serve  func(*Exchange)
}

// requests are the requests about objects that stand out by a parameter or a header. The first one that matches counts.
var requests []request

func init() { requests = slices.Concat(subresources(), multiparts(), derivations()) } // in a literal they would refer to themselves

// on returns a response as a view of the exchange gives it.
func on[V ~struct{ *Exchange }](serve func(V)) func(*Exchange) {
	return func(x *Exchange) { serve(V{x}) }
}

// find returns the kind of request that stands out; nil for others.
func find(r *http.Request, key string) *request {
	if key == "" {
		return nil
	}
	var query url.Values
	if r.URL.RawQuery != "" {
		query = r.URL.Query()
	}
	for i := range requests {
		q := &requests[i]
		if q.method == r.Method && (q.param == "" || query.Has(q.param)) && (q.header == "" || r.Header[q.header] != nil) {
			return q
		}
	}
	return nil
}

// kindOf returns the kind of a request that does not stand out.
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

// isForm reports whether a request is an upload by a form.
func isForm(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return r.Method == http.MethodPost && err == nil && kind == "multipart/form-data"
}

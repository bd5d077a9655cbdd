package s3

import (
	"net/http"
	"slices"
	"sync/atomic"
)

// Methods counts requests as stores bill them: by HTTP method, with listings of buckets apart.
type Methods struct {
	Get    uint64 `json:"get,omitempty"` // those that are no listing
	Head   uint64 `json:"head,omitempty"`
	Put    uint64 `json:"put,omitempty"` // copies too
	Post   uint64 `json:"post,omitempty"`
	Delete uint64 `json:"delete,omitempty"`
	List   uint64 `json:"list,omitempty"`
}

// Add adds the requests of another client.
func (m *Methods) Add(o Methods) {
	m.Get += o.Get
	m.Head += o.Head
	m.Put += o.Put
	m.Post += o.Post
	m.Delete += o.Delete
	m.List += o.List
}

// sentMethods counts the requests of a session, in the order of the fields of Methods.
type sentMethods [6]atomic.Uint64

// add adds exchanges of a request.
func (m *sentMethods) add(c *Call, exchanges int) { m[methodOf(c)].Add(uint64(exchanges)) }

func methodOf(c *Call) int {
	switch c.Method {
	case http.MethodHead:
		return 1
	case http.MethodPut:
		return 2
	case http.MethodPost:
		return 3
	case http.MethodDelete:
		return 4
	}
	if c.Key == "" && (len(c.Query) == 0 || slices.ContainsFunc(c.Query, listing)) {
		return 5
	}
	return 0
}

// listing reports whether a parameter of a GET of a bucket makes it a listing: of objects, versions or uploads.
func listing(p Param) bool {
	return slices.Contains([]string{"list-type", "max-keys", "prefix", "versions", "uploads"}, p.Name)
}

func (m *sentMethods) total() Methods {
	return Methods{Get: m[0].Load(), Head: m[1].Load(), Put: m[2].Load(), Post: m[3].Load(), Delete: m[4].Load(), List: m[5].Load()}
}

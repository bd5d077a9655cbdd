package connect

import (
	"net/http"
	"sync/atomic"

	"warp/pkg/s3"
)

// sentMethods counts the requests of a session, as methodOf numbers them.
type sentMethods [7]atomic.Uint64

// add adds exchanges of a request.
func (m *sentMethods) add(d s3.Dialect, c *s3.Call, exchanges int) {
	m[methodOf(d, c)].Add(uint64(exchanges))
}

func methodOf(d s3.Dialect, c *s3.Call) int {
	switch c.Method {
	case http.MethodHead:
		return 1
	case http.MethodPut:
		return 2
	case http.MethodPost:
		return 3
	case http.MethodDelete:
		return 4
	case http.MethodPatch:
		return 6
	}
	if c.Key == "" && d.Lists(c) {
		return 5
	}
	return 0
}

func (m *sentMethods) total() s3.Methods {
	return s3.Methods{
		Get: m[0].Load(), Head: m[1].Load(), Put: m[2].Load(), Post: m[3].Load(), Delete: m[4].Load(), List: m[5].Load(),
		Patch: m[6].Load(),
	}
}

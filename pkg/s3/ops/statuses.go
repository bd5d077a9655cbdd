package ops

import (
	"net/http"
	"slices"

	"warp/pkg/s3"
)

// Lists reports whether a parameter makes the request a listing: of objects, versions or uploads.
func (S3) Lists(c *s3.Call) bool {
	return len(c.Query) == 0 || slices.ContainsFunc(c.Query, func(p s3.Param) bool {
		return slices.Contains([]string{"list-type", "max-keys", "prefix", "versions", "uploads"}, p.Name)
	})
}

// Succeeds reports whether a status is a success of a call.
func (S3) Succeeds(c *s3.Call) bool {
	if c.Status == http.StatusOK {
		return true
	}
	for i := range successes {
		if row := &successes[i]; slices.Contains(row.also, c.Status) && row.is(c) {
			return true
		}
	}
	return false
}

// successes are the statuses, in addition to 200, of S3 to requests that succeed. A request that fits no row has 200 only.
var successes = []struct {
	request string
	is      func(c *s3.Call) bool
	also    []int
}{
	{
		"a range or a part",
		func(c *s3.Call) bool { return c.Reads() && (c.Length > 0 || asks(c, "partNumber")) },
		[]int{http.StatusPartialContent},
	},
	{"HEAD of a bucket", func(c *s3.Call) bool { return c.Method == http.MethodHead && c.Key == "" }, []int{http.StatusNoContent}},
	{"DELETE", func(c *s3.Call) bool { return c.Method == http.MethodDelete }, []int{http.StatusNoContent}},
	{"form", func(c *s3.Call) bool { return c.Auth == s3.AuthForm }, []int{http.StatusCreated, http.StatusNoContent}},
	{
		"PUT of a subresource",
		func(c *s3.Call) bool { return c.Method == http.MethodPut && len(c.Query) > 0 && !asks(c, "uploadId") },
		[]int{http.StatusNoContent},
	},
	{
		"POST whose response has nothing to read, other than the end of an upload", // such as restore
		func(c *s3.Call) bool {
			return c.Method == http.MethodPost && c.Parse == nil && len(c.Query) > 0 && !asks(c, "uploadId")
		},
		[]int{http.StatusCreated, http.StatusAccepted, http.StatusNoContent},
	},
}

// asks reports whether the query has a parameter.
func asks(c *s3.Call, name string) bool {
	return slices.ContainsFunc(c.Query, func(p s3.Param) bool { return p.Name == name })
}

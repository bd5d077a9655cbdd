package responder

import "net/http"

// ready is Ready for requests that need their bucket.
func (x *Exchange) ready() bool {
	if !x.Ready() {
		return false
	}
	if x.s.opts.Forget || x.Kind == Bucket || x.s.store.exists(x.Bucket) {
		return true
	}
	x.Fail(http.StatusNotFound, "NoSuchBucket")
	return false
}

// asked returns a parameter of the query.
func (x *Exchange) asked(name string) string {
	if x.R.URL.RawQuery == "" {
		return ""
	}
	return x.R.URL.Query().Get(name)
}

// version says which version was made or read.
func (x *Exchange) version(id string) {
	if id != "" {
		x.W.Header()["X-Amz-Version-Id"] = []string{id}
	}
}

package responder

import (
	"net/http"
	"strconv"

	"warp/internal/clock"
)

// Versions is what a server does about versions of objects. Each object has one at most, called "null".
type Versions int

// Kinds of servers.
const (
	VersionsNone      Versions = iota // it says that the bucket keeps none
	VersionsSuspended                 // it kept some once: a deletion by name leaves a delete marker
	VersionsMadeUp                    // it answers uploads with a version id, but keeps no versions and knows no request about them
)

// put adds to the answer to an upload.
func (k Versions) put(h http.Header) {
	if k == VersionsMadeUp {
		h.Set("X-Amz-Version-Id", strconv.FormatInt(clock.Now().UnixNano(), 36))
	}
}

// deleteObject deletes an object, or a version of it.
func (x *exchange) deleteObject(key, version string) {
	if kind := x.s.opts.Versions; !x.s.opts.Forget && (version == "" || version == "null" || kind == VersionsMadeUp) {
		x.s.store.delete(x.bucket, key, kind == VersionsSuspended && version == "")
	}
}

// versioning answers the question whether the bucket keeps versions.
func (x *exchange) versioning() {
	switch x.s.opts.Versions {
	case VersionsMadeUp:
		x.fail(http.StatusNotImplemented, "")
	case VersionsSuspended:
		x.xml(http.StatusOK, versioning{Status: "Suspended"})
	default:
		x.xml(http.StatusOK, versioning{})
	}
}

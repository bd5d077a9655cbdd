package responder

import (
	"fmt"
	"net/http"
	"strconv"

	"warp/pkg/op"
)

// put reads the body, whatever the response will be, and then responds.
func (x *exchange) put() {
	passed := true
	if x.s.opts.Conditions == ConditionsCheckedOnce {
		o, found := x.s.store.get(x.bucket, x.key, "")
		passed = x.holdsHere(o, found)
	}
	content, size, err := x.readBody()
	if err != nil {
		return // the client hung up, or has its response
	}
	if x.fault.Execute && !x.s.opts.Forget {
		x.s.store.put(x.bucket, x.key, size, content)
	}
	if !x.ready() {
		return
	}
	if !x.s.opts.Forget {
		x.putIf(content, size, passed)
		return
	}
	x.w.Header()["Etag"] = etag
	x.s.opts.Versions.put(x.w.Header())
	x.status(http.StatusOK)
}

// get answers GET and HEAD.
func (x *exchange) get() {
	if !x.ready() {
		return
	}
	o := object{size: x.s.opts.ObjectSize}
	h := x.w.Header()
	h["Last-Modified"] = when
	if !x.s.opts.Forget {
		var found bool
		if o, found = x.s.store.get(x.bucket, x.key, x.asked("versionId")); !found {
			x.fail(http.StatusNotFound, "NoSuchKey")
			return
		}
		if !x.holdsHere(o, true) {
			x.refuse()
			return
		}
		x.version(o.version)
		h["Last-Modified"] = []string{o.modified.UTC().Format(http.TimeFormat)}
	}
	from, length, status := int64(0), o.size, http.StatusOK
	if asked := x.r.Header.Get("Range"); asked != "" {
		status = http.StatusPartialContent
		var ok bool
		if from, length, ok = parseRange(asked, o.size); !ok {
			x.fail(http.StatusRequestedRangeNotSatisfiable, "InvalidRange")
			return
		}
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, from+length-1, o.size))
	}
	if number := partNumber(x.r); number != "" && !x.s.opts.WholeForPart {
		status = http.StatusPartialContent
		var ok bool
		if from, length, ok = o.part(number); !ok {
			x.fail(http.StatusRequestedRangeNotSatisfiable, "InvalidPartNumber")
			return
		}
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, from+length-1, o.size))
	}
	h["Etag"], h["Content-Type"] = etag, octets
	if o.etag != "" {
		h["Etag"] = []string{o.etag}
	}
	h["Content-Length"] = []string{strconv.FormatInt(length, 10)}
	x.status(status)
	if x.kind == op.Get {
		x.writeBody(o, from, length)
	}
}

func (x *exchange) delete() {
	version := x.asked("versionId")
	if x.fault.Execute {
		x.deleteObject(x.key, version)
	}
	if !x.ready() {
		return
	}
	if o, found := x.s.store.get(x.bucket, x.key, ""); !x.holdsHere(o, found) {
		x.refuse()
		return
	}
	if !x.deleteObject(x.key, version) {
		x.fail(http.StatusForbidden, "AccessDenied")
		return
	}
	x.status(http.StatusNoContent)
}

// deleteObject deletes an object, or a version of it. It reports whether that is permitted.
func (x *exchange) deleteObject(key, version string) bool {
	if kind := x.s.opts.Versions; !x.s.opts.Forget {
		if kind == VersionsMadeUp {
			version = ""
		}
		bypass := x.r.Header.Get("X-Amz-Bypass-Governance-Retention") == "true"
		return x.s.store.delete(x.bucket, key, version, kind == VersionsSuspended && version == "", bypass)
	}
	return true
}

// partNumber returns the part that a GET is about; empty: the whole object.
func partNumber(r *http.Request) string {
	if r.URL.RawQuery == "" {
		return ""
	}
	return r.URL.Query().Get("partNumber")
}

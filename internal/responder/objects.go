package responder

import (
	"fmt"
	"net/http"
	"strconv"

	"warp/pkg/op"
)

// put reads the body, whatever the response will be, and then responds.
func (x *Exchange) put() {
	passed := true
	if x.s.opts.Conditions == ConditionsCheckedOnce {
		o, found := x.s.store.get(x.Bucket, x.Key, "")
		passed = x.holdsHere(o, found)
	}
	content, size, err := x.ReadBody()
	if err != nil {
		return // the client hung up, or has its response
	}
	if x.Fault.Execute && !x.s.opts.Forget {
		x.s.store.put(x.Bucket, x.Key, size, content)
	}
	if !x.ready() {
		return
	}
	if !x.s.opts.Forget {
		x.putIf(content, size, passed)
		return
	}
	x.W.Header()["Etag"] = etag
	x.s.opts.Versions.put(x.W.Header())
	x.Status(http.StatusOK)
}

// get answers GET and HEAD.
func (x *Exchange) get() {
	if !x.ready() {
		return
	}
	o := object{size: x.s.opts.ObjectSize}
	h := x.W.Header()
	h["Last-Modified"] = when
	if !x.s.opts.Forget {
		var found bool
		if o, found = x.s.store.get(x.Bucket, x.Key, x.asked("versionId")); !found {
			x.Fail(http.StatusNotFound, "NoSuchKey")
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
	if asked := x.R.Header.Get("Range"); asked != "" {
		status = http.StatusPartialContent
		var ok bool
		if from, length, ok = ParseRange(asked, o.size); !ok {
			x.Fail(http.StatusRequestedRangeNotSatisfiable, "InvalidRange")
			return
		}
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, from+length-1, o.size))
	}
	if number := partNumber(x.R); number != "" && !x.s.opts.WholeForPart {
		status = http.StatusPartialContent
		var ok bool
		if from, length, ok = o.part(number); !ok {
			x.Fail(http.StatusRequestedRangeNotSatisfiable, "InvalidPartNumber")
			return
		}
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, from+length-1, o.size))
	}
	h["Etag"], h["Content-Type"] = etag, octets
	if o.etag != "" {
		h["Etag"] = []string{o.etag}
	}
	h["Content-Length"] = []string{strconv.FormatInt(length, 10)}
	x.Status(status)
	if x.Kind == op.Get {
		x.WriteBody(o.reader(from, length), length)
	}
}

func (x *Exchange) delete() {
	version := x.asked("versionId")
	if x.Fault.Execute {
		x.deleteObject(x.Key, version)
	}
	if !x.ready() {
		return
	}
	if o, found := x.s.store.get(x.Bucket, x.Key, ""); !x.holdsHere(o, found) {
		x.refuse()
		return
	}
	if !x.deleteObject(x.Key, version) {
		x.Fail(http.StatusForbidden, "AccessDenied")
		return
	}
	x.Status(http.StatusNoContent)
}

// deleteObject deletes an object, or a version of it. It reports whether that is permitted.
func (x *Exchange) deleteObject(key, version string) bool {
	if kind := x.s.opts.Versions; !x.s.opts.Forget {
		if kind == VersionsMadeUp {
			version = ""
		}
		bypass := x.R.Header.Get("X-Amz-Bypass-Governance-Retention") == "true"
		return x.s.store.delete(x.Bucket, key, version, kind == VersionsSuspended && version == "", bypass)
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

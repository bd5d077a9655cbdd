package responder

import (
	"cmp"
	"fmt"
	"net/http"

	"warp/pkg/op"
)

// holdsHere reports whether the conditions of the request hold for an object, as the server sees it.
func (x *exchange) holdsHere(o object, found bool) bool {
	switch x.s.opts.Conditions {
	case ConditionsIgnored:
		return true
	case ConditionsOfCreation:
		return x.r.Header.Get("If-None-Match") == "" || x.holds(o, found)
	}
	return x.holds(o, found)
}

// holds reports whether the conditions of the request hold for an object.
func (x *exchange) holds(o object, found bool) bool {
	match, none := x.r.Header.Get("If-Match"), x.r.Header.Get("If-None-Match")
	found, tag := found && !o.marker, cmp.Or(o.etag, etag[0])
	return (match == "" || found && (match == "*" || match == tag)) && (none == "" || !found || none != "*" && none != tag)
}

// refuse responds to a request whose conditions do not hold.
func (x *exchange) refuse() {
	if x.kind == op.Get || x.kind == op.Stat {
		if x.r.Header.Get("If-None-Match") != "" {
			x.status(http.StatusNotModified)
			return
		}
	}
	x.fail(http.StatusPreconditionFailed, "PreconditionFailed")
}

// putIf stores an object if the conditions of the request hold. passed says whether they did when it arrived.
func (x *exchange) putIf(content []byte, size int64, passed bool) {
	s := &x.s.store
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.buckets[x.bucket]
	if b == nil {
		x.fail(http.StatusNotFound, "NoSuchBucket")
		return
	}
	old, found := b.objects[x.key]
	if x.s.opts.Conditions != ConditionsCheckedOnce {
		passed = x.holdsHere(old, found)
	}
	if (passed || x.s.opts.Conditions == ConditionsTooLate) && !x.holds(old, found) {
		x.s.broken.Add(1)
	}
	if passed || x.s.opts.Conditions == ConditionsTooLate {
		o := object{size: size, content: content, etag: fmt.Sprintf(`"%032x"`, x.s.requests.Add(1))}
		s.add(b, x.key, &o)
		x.version(o.version)
		x.w.Header().Set("ETag", o.etag)
	}
	if !passed {
		x.w.Header().Del("ETag")
		x.refuse()
		return
	}
	x.s.opts.Versions.put(x.w.Header())
	x.status(http.StatusOK)
}

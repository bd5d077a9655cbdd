package responder

import (
	"cmp"
	"fmt"
	"net/http"

	"warp/pkg/op"
)

// holdsHere reports whether the conditions of the request hold for an object, as the server sees it.
func (x *Exchange) holdsHere(o object, found bool) bool {
	switch x.s.opts.Conditions {
	case ConditionsIgnored:
		return true
	case ConditionsOfCreation:
		return x.R.Header.Get("If-None-Match") == "" || x.holds(o, found)
	}
	return x.holds(o, found)
}

// holds reports whether the conditions of the request hold for an object.
func (x *Exchange) holds(o object, found bool) bool {
	match, none := x.R.Header.Get("If-Match"), x.R.Header.Get("If-None-Match")
	found, tag := found && !o.marker, cmp.Or(o.etag, etag[0])
	return (match == "" || found && (match == "*" || match == tag)) && (none == "" || !found || none != "*" && none != tag)
}

// refuse responds to a request whose conditions do not hold.
func (x *Exchange) refuse() {
	if x.Kind == op.Get || x.Kind == op.Stat {
		if x.R.Header.Get("If-None-Match") != "" {
			x.Status(http.StatusNotModified)
			return
		}
	}
	x.Fail(http.StatusPreconditionFailed, "PreconditionFailed")
}

// putIf stores an object if the conditions of the request hold. passed says whether they did when it arrived.
func (x *Exchange) putIf(content []byte, size int64, passed bool) {
	s := &x.s.store
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.buckets[x.Bucket]
	if b == nil {
		x.Fail(http.StatusNotFound, "NoSuchBucket")
		return
	}
	old, found := b.objects[x.Key]
	if x.s.opts.Conditions != ConditionsCheckedOnce {
		passed = x.holdsHere(old, found)
	}
	if (passed || x.s.opts.Conditions == ConditionsTooLate) && !x.holds(old, found) {
		x.s.broken.Add(1)
	}
	if passed || x.s.opts.Conditions == ConditionsTooLate {
		o := object{size: size, content: content, etag: fmt.Sprintf(`"%032x"`, x.s.requests.Add(1))}
		s.add(b, x.Key, &o)
		x.version(o.version)
		x.W.Header().Set("ETag", o.etag)
	}
	if !passed {
		x.W.Header().Del("ETag")
		x.refuse()
		return
	}
	x.s.opts.Versions.put(x.W.Header())
	x.Status(http.StatusOK)
}

package responder

import (
	"cmp"
	"fmt"
	"net/http"

	"warp/pkg/op"
)

// Conditions is what a server does about the headers If-Match and If-None-Match.
type Conditions int

// Kinds of servers.
const (
	ConditionsHonoured    Conditions = iota // it does what S3 says
	ConditionsIgnored                       // it ignores them
	ConditionsCheckedOnce                   // it checks them when a request arrives, not again when the object is written: several may pass
	ConditionsOfCreation                    // it honours If-None-Match of writes alone
	ConditionsTooLate                       // it responds as S3 says, but writes in any case
)

// hold reports whether the conditions of the request hold for an object, as the server sees it.
func hold(x *exchange, o object, found bool) bool {
	switch x.s.opts.Conditions {
	case ConditionsIgnored:
		return true
	case ConditionsOfCreation:
		return x.r.Header.Get("If-None-Match") == "" || holds(x, o, found)
	}
	return holds(x, o, found)
}

// holds reports whether the conditions of the request hold for an object.
func holds(x *exchange, o object, found bool) bool {
	match, none := x.r.Header.Get("If-Match"), x.r.Header.Get("If-None-Match")
	found, tag := found && !o.marker, cmp.Or(o.etag, etag[0])
	return (match == "" || found && (match == "*" || match == tag)) && (none == "" || !found || none != "*" && none != tag)
}

// refuse responds to a request whose conditions do not hold.
func refuse(x *exchange) {
	if x.kind == op.Get || x.kind == op.Stat {
		if x.r.Header.Get("If-None-Match") != "" {
			x.status(http.StatusNotModified)
			return
		}
	}
	x.fail(http.StatusPreconditionFailed, "PreconditionFailed")
}

// putIf stores an object if the conditions of the request hold. passed says whether they did when it arrived.
func putIf(x *exchange, content []byte, size int64, passed bool) {
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
		passed = hold(x, old, found)
	}
	if (passed || x.s.opts.Conditions == ConditionsTooLate) && !holds(x, old, found) {
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
		refuse(x)
		return
	}
	x.s.opts.Versions.put(x.w.Header())
	x.status(http.StatusOK)
}

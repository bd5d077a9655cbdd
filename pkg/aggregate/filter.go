package aggregate

import (
	"strings"

	"warp/pkg/op"
)

// filter lets through the operations that Options.Op and Options.Host ask for.
type filter struct {
	kind   op.Kind
	host   string // without scheme and path
	scheme string // empty: any
	last   string // endpoint asked for last, and the answer: most operations repeat it
	match  bool
}

func newFilter(o Options) filter {
	f := filter{kind: o.Op}
	f.scheme, f.host = splitEndpoint(o.Host)
	return f
}

// keep tells whether the operation counts at all.
func (f *filter) keep(o *op.Op) bool {
	if f.kind != "" && !strings.EqualFold(string(f.kind), string(o.Kind)) {
		return false
	}
	if f.host == "" {
		return true
	}
	if o.Endpoint != f.last {
		f.last = strings.Clone(o.Endpoint)
		scheme, host := splitEndpoint(o.Endpoint)
		f.match = strings.EqualFold(host, f.host) && (f.scheme == "" || scheme == "" || strings.EqualFold(scheme, f.scheme))
	}
	return f.match
}

// splitEndpoint takes "scheme://host:port/" or "host:port" apart.
func splitEndpoint(s string) (scheme, host string) {
	scheme, host, found := strings.Cut(s, "://")
	if !found {
		scheme, host = "", s
	}
	host, _, _ = strings.Cut(host, "/")
	return scheme, host
}

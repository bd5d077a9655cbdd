package decode

import (
	"strings"

	"warp/pkg/op"
)

// Filter selects operations by kind and host, and leaves out the warm-up.
type Filter struct {
	Warmup bool // keeps the warm-up too
	kind   op.Kind
	host   string // without scheme and path
	scheme string // empty: any
	last   string // the last endpoint, whose result is match: most operations repeat it
	match  bool
}

// NewFilter returns what keeps the operations of a kind on a host; empty: of all.
func NewFilter(kind op.Kind, host string) Filter {
	f := Filter{kind: kind}
	f.scheme, f.host = splitEndpoint(host)
	return f
}

// Keep reports whether the operation is selected.
func (f *Filter) Keep(o *op.Op) bool {
	if o.Phase == op.PhaseWarmup && !f.Warmup {
		return false
	}
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

// splitEndpoint splits "scheme://host:port/" or "host:port".
func splitEndpoint(s string) (scheme, host string) {
	scheme, host, found := strings.Cut(s, "://")
	if !found {
		scheme, host = "", s
	}
	host, _, _ = strings.Cut(host, "/")
	return scheme, host
}

package aggregate

import (
	"strings"

	"warp/pkg/op"
)

// filter selects the operations by Options.Op and Options.Host, without those of a warm-up.
type filter struct {
	warmup bool // keeps them
	kind   op.Kind
	host   string // without scheme and path
	scheme string // empty: any
	last   string // the last endpoint, whose result is match: most operations repeat it
	match  bool
}

// newFilter returns what keeps the operations of a kind on a host; empty: of all.
func newFilter(kind op.Kind, host string) filter {
	f := filter{kind: kind}
	f.scheme, f.host = splitEndpoint(host)
	return f
}

// keep reports whether the operation is selected.
func (f *filter) keep(o *op.Op) bool {
	if o.Phase == op.PhaseWarmup && !f.warmup {
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

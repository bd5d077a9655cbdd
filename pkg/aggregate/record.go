package aggregate

import (
	"cmp"
	"slices"
	"strings"

	"warp/pkg/op"
)

// record is an operation in the form used by the statistics: times in nanoseconds, names as numbers.
type record struct {
	start, end int64
	latency    int64
	ttfb       int64
	late, own  int64 // see ownPart
	bytes      int64
	objects    int
	host       int
	bucket     int // of several; the one without a name stands for the only one
	thread     int
	client     int
	hasTTFB    bool
	failed     bool
	resent     bool  // a request of it was sent again
	open       bool  // it had a due time
	broken     bool  // invalid times
	class      uint8 // of its error, see tables; 0 if it did not fail
}

// tables numbers the hosts, clients and threads of a run from 0 in order of appearance.
type tables struct {
	hosts   names
	buckets names
	threads threads
	classes names // of errors, the first of which is otherErrors
	use     use
}

func newTables(o Options) tables {
	return tables{use: use{most: cmp.Or(o.mostMemory, 2*MaxMemory)}}
}

// decode is called once per operation.
func (t *tables) decode(o *op.Op) record {
	r := record{
		start:   o.Start.UnixNano(),
		end:     o.End.UnixNano(),
		bytes:   max(0, o.Bytes),
		objects: max(0, o.Objects),
		host:    t.hosts.number(o.Endpoint),
		bucket:  t.buckets.number(o.Bucket),
		failed:  o.Failed(),
		resent:  o.Resent > 0,
		open:    !o.Due.IsZero(),
	}
	r.thread, r.client = t.threads.number(o.Client, o.Thread)
	if r.failed {
		r.class = t.class(o.Err)
	}
	r.broken = !validTimes(r.start, r.end)
	r.latency = r.end - r.start
	if r.open {
		r.latency = r.end - o.Due.UnixNano()
	}
	ttfb, ok := o.TTFB()
	r.ttfb, r.hasTTFB = int64(ttfb), ok
	if r.own = notKnown; o.OwnLate != 0 || !o.Arrived.IsZero() {
		r.late, r.own = ownPart(o, r.latency)
	}
	return r
}

// validTimes reports whether an operation can be placed in time: it ends no earlier than it starts, which a clock that
// was set back can break, and it is later than 1970, which excludes missing and overflowing times.
func validTimes(start, end int64) bool { return start > 0 && end >= start }

// names numbers strings in order of appearance.
type names struct {
	list  []string
	index map[string]int
	last  int // most operations repeat the previous name
	bytes int // total length of the names
}

// fewNames is the number of names up to which a linear search is faster than a map.
const fewNames = 8

func (n *names) number(s string) int {
	if n.last < len(n.list) && n.list[n.last] == s {
		return n.last
	}
	if len(n.list) <= fewNames {
		if i := slices.Index(n.list, s); i >= 0 {
			n.last = i
			return i
		}
	}
	i, ok := n.index[s]
	if !ok {
		if n.index == nil {
			n.index = make(map[string]int)
		}
		s = strings.Clone(s) // s may be part of a large buffer
		i = len(n.list)
		n.index[s] = i
		n.list = append(n.list, s)
		n.bytes += len(s)
	}
	n.last = i
	return i
}

// threadKey is one thread of one client: clients number their threads independently.
type threadKey struct{ client, thread uint32 }

// threads numbers threads in order of appearance.
type threads struct {
	clients names
	list    []threadKey
	low     [][]int32         // number plus 1, or 0, by client and thread below lowThreads
	index   map[threadKey]int // the other threads
}

const (
	// lowThreads is the number of threads of a client that are found without a map, as long as there are at most lowGap
	// unused numbers between them, so that memory stays proportional to the number of threads.
	lowThreads = 1 << 12
	lowGap     = 1 << 6
)

func (t *threads) number(client string, thread uint32) (i, clientNumber int) {
	c := t.clients.number(client)
	k := threadKey{uint32(c), thread}
	t.low = grown(t.low, c)
	if thread >= lowThreads || int(thread) > len(t.low[c])+lowGap {
		i, ok := t.index[k]
		if !ok {
			if t.index == nil {
				t.index = make(map[threadKey]int)
			}
			i = t.appended(k)
			t.index[k] = i
		}
		return i, c
	}
	t.low[c] = grown(t.low[c], int(thread))
	n := &t.low[c][thread]
	if *n == 0 {
		i, ok := t.index[k] // it may have followed a gap
		if !ok {
			i = t.appended(k)
		}
		*n = int32(i) + 1
	}
	return int(*n) - 1, c
}

// appended adds a new thread and returns its number.
func (t *threads) appended(k threadKey) int {
	t.list = append(t.list, k)
	return len(t.list) - 1
}

// grown returns s with at least n+1 elements.
func grown[T any](s []T, n int) []T {
	if n < len(s) {
		return s
	}
	return append(s, make([]T, n+1-len(s))...)
}

// filter selects the operations by Options.Op and Options.Host, without those of a warm-up.
type filter struct {
	warmup bool // keeps them
	kind   op.Kind
	host   string // without scheme and path
	scheme string // empty: any
	last   string // the last endpoint, whose result is match: most operations repeat it
	match  bool
}

func newFilter(o Options) filter {
	f := filter{kind: o.Op}
	f.scheme, f.host = splitEndpoint(o.Host)
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

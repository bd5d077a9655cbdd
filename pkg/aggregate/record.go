package aggregate

import (
	"slices"
	"strings"

	"warp/pkg/op"
)

// record is an operation as the statistics see it: times in nanoseconds, names as numbers.
type record struct {
	start, end int64
	latency    int64
	ttfb       int64
	bytes      int64
	objects    int
	host       int
	thread     int
	client     int
	hasTTFB    bool
	failed     bool
	open       bool // it had a due time
	broken     bool // the times make no sense
}

// tables number the hosts, clients and threads of a run from 0 in order of appearance.
type tables struct {
	hosts   names
	threads threads
}

// decode is called once per operation.
func (t *tables) decode(o *op.Op) record {
	r := record{
		start:   o.Start.UnixNano(),
		end:     o.End.UnixNano(),
		bytes:   max(0, o.Bytes),
		objects: max(0, o.Objects),
		host:    t.hosts.number(o.Endpoint),
		failed:  o.Failed(),
		open:    !o.Due.IsZero(),
	}
	r.thread, r.client = t.threads.number(o.Client, o.Thread)
	r.broken = !validTimes(r.start, r.end)
	r.latency = r.end - r.start
	if r.open {
		r.latency = r.end - o.Due.UnixNano()
	}
	ttfb, ok := o.TTFB()
	r.ttfb, r.hasTTFB = int64(ttfb), ok
	return r
}

// validTimes tells whether an operation can be placed in time: it ends no earlier than it starts, which a clock that was
// set back can break, and it is later than 1970, which also rules out times that are missing or do not fit.
func validTimes(start, end int64) bool { return start > 0 && end >= start }

// names numbers strings in order of appearance.
type names struct {
	list  []string
	index map[string]int
	last  int // most operations repeat the name of the one before
	bytes int // of all names
}

// fewNames is how many names are found sooner one by one than by a map.
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
		s = strings.Clone(s) // it may be part of a large buffer
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
	low     [][]int32         // by client and thread below lowThreads: its number and 1, or 0
	index   map[threadKey]int // the other threads
}

// lowThreads is how many threads of a client are found without a map, as long as there are not more than lowGap numbers
// between them: what is kept for one client must not be much more than it has threads.
const (
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
		i, ok := t.index[k] // if there was a gap before it
		if !ok {
			i = t.appended(k)
		}
		*n = int32(i) + 1
	}
	return int(*n) - 1, c
}

// appended is the number of a thread that has none yet.
func (t *threads) appended(k threadKey) int {
	t.list = append(t.list, k)
	return len(t.list) - 1
}

// grown is s with at least n+1 elements.
func grown[T any](s []T, n int) []T {
	if n < len(s) {
		return s
	}
	return append(s, make([]T, n+1-len(s))...)
}

package decode

import (
	"slices"
	"strings"
)

// names numbers strings in order of appearance.
type names struct {
	List  []string
	index map[string]int
	last  int // most operations repeat the previous name
	Bytes int // total length of the names
}

// MaxLinear is the number of names up to which a linear search is faster than a map.
const MaxLinear = 8

func (n *names) number(s string) int {
	if n.last < len(n.List) && n.List[n.last] == s {
		return n.last
	}
	if len(n.List) <= MaxLinear {
		if i := slices.Index(n.List, s); i >= 0 {
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
		i = len(n.List)
		n.index[s] = i
		n.List = append(n.List, s)
		n.Bytes += len(s)
	}
	n.last = i
	return i
}

// threadKey is one thread of one client: clients number their threads independently.
type threadKey struct{ client, thread uint32 }

// threads numbers threads in order of appearance.
type threads struct {
	Clients names
	List    []threadKey
	low     [][]int32         // number plus 1, or 0, by client and thread below lowThreads
	index   map[threadKey]int // the other threads
}

const (
	// lowThreads is the number of threads of a client that are found without a map, as long as there are at most lowGap
	// unused numbers between them, so that memory stays proportional to the number of threads.
	lowThreads = 1 << 12
	lowGap     = 1 << 6
)

func (t *threads) Number(client string, thread uint32) (i, clientNumber int) {
	c := t.Clients.number(client)
	k := threadKey{uint32(c), thread}
	t.low = GrowTo(t.low, c)
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
	t.low[c] = GrowTo(t.low[c], int(thread))
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

// At returns the client of a thread, and its number there.
func (t *threads) At(i int) (client string, thread uint32) {
	k := t.List[i]
	return t.Clients.List[k.client], k.thread
}

// appended adds a new thread and returns its number.
func (t *threads) appended(k threadKey) int {
	t.List = append(t.List, k)
	return len(t.List) - 1
}

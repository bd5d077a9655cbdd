package aggregate

import (
	"slices"
	"strings"
)

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

// at returns the client of a thread, and its number there.
func (t *threads) at(i int) (client string, thread uint32) {
	k := t.list[i]
	return t.clients.list[k.client], k.thread
}

// appended adds a new thread and returns its number.
func (t *threads) appended(k threadKey) int {
	t.list = append(t.list, k)
	return len(t.list) - 1
}

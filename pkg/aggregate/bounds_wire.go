package aggregate

import (
	"encoding/json"
	"fmt"
	"math"

	"warp/pkg/aggregate/internal/decode"
	"warp/pkg/op"
)

// boundsJSON is the wire form of Bounds.
type boundsJSON struct {
	Op     op.Kind       `json:"filter_op,omitempty"`
	Groups []groupBounds `json:"groups"`
}

type groupBounds struct {
	Phase   string         `json:"phase,omitempty"`
	Kind    op.Kind        `json:"op"`
	Clients []clientBounds `json:"clients"`
}

type clientBounds struct {
	Client  string         `json:"client"`
	Threads []threadBounds `json:"threads"`
}

// threadBounds is the number of a thread, its first and its last start, its first and its last end (Unix time in nanoseconds), and the
// number of its operations. There may be a million of them: fields with names would take three times as many bytes.
type threadBounds [6]int64

// Most bytes of the wire form, see BoundsBytes.
const (
	threadBoundsBytes = 113  // a number of a thread of 10 digits, and five of 19
	groupBoundsBytes  = 1024 // names, as far as clients may choose them
)

// BoundsBytes returns how long the wire form of groups that have these threads each is at most, of one client.
func BoundsBytes(groups, threads int) int64 {
	return int64(groups) * (groupBoundsBytes + threadBoundsBytes*int64(threads))
}

// MarshalJSON writes everything that Merge needs.
func (b *Bounds) MarshalJSON() ([]byte, error) {
	w := boundsJSON{Op: b.opts.Op}
	for _, g := range b.groups {
		j := groupBounds{Phase: g.Phase, Kind: g.Kind}
		index := make(map[string]int) // of a client in j
		for i, t := range g.threads {
			if t.ops == 0 {
				continue
			}
			client, thread := b.tables.Threads.At(i)
			n, ok := index[client]
			if !ok {
				n = len(j.Clients)
				index[client] = n
				j.Clients = append(j.Clients, clientBounds{Client: client})
			}
			c := &j.Clients[n]
			c.Threads = append(c.Threads, threadBounds{int64(thread), t.firstStart, t.lastStart, t.firstEnd, t.lastEnd, t.ops})
		}
		w.Groups = append(w.Groups, j)
	}
	return json.Marshal(w)
}

// UnmarshalJSON parses the output of MarshalJSON. Options other than Op are not transmitted: the caller of Windows chooses them.
func (b *Bounds) UnmarshalJSON(data []byte) error {
	var w boundsJSON
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	opts := b.opts
	opts.Op = w.Op
	r := NewBounds(opts)
	for _, g := range w.Groups {
		for _, c := range g.Clients {
			for _, t := range c.Threads {
				if t[0] < 0 || t[0] > math.MaxUint32 || min(t[1], t[2], t[3], t[4], t[5]) <= 0 {
					return fmt.Errorf("bounds of thread %d of client %q: times and counts must be positive", t[0], c.Client)
				}
				n, _ := r.tables.Threads.Number(c.Client, uint32(t[0]))
				r.group(decode.Key{Phase: g.Phase, Kind: g.Kind}).add(n, bound{t[1], t[2], t[3], t[4], t[5]})
			}
		}
	}
	*b = *r
	return nil
}

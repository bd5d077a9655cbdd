package model

import (
	"time"

	"warp/internal/heap"
	"warp/pkg/op"
)

// player plays a Run, operation by operation.
type player struct {
	Run
	hosts, clients, keys []string
	order                []int // of kinds
	kinds                []kindPlayer
	pending              heap.Heap[pending] // the first one ends first
	ready                []op.Op            // with ByStart, the first of each thread
	begun                uint64             // operations
	first, last          int64
}

// kindPlayer is the state of one kind.
type kindPlayer struct {
	Kind
	table            []int64
	begun            uint64
	errors           uint64
	byHost, byClient []int64
	byClass          []int64
	truth            KindTruth
}

// pending is the operation that a thread is doing.
type pending struct {
	end, start             int64 // by true time
	number                 uint64
	thread, client         int32
	kind, host, slot, size int32
	class                  int32 // of error; -1: it succeeds
}

// Before reports whether the operation ends before another one.
func (n pending) Before(o pending) bool { return n.end < o.end }

func newPlayer(r Run) *player {
	if r.Start.IsZero() {
		r.Start = start
	}
	p := &player{
		Run: r, order: r.pattern(),
		hosts: names("http://10.0.0.", 1, r.Hosts, ":9000"), clients: names("client", r.First, r.Clients, ""), keys: keys(r.Objects, r.First),
	}
	for _, k := range r.Kinds {
		table := k.Latency.table()
		p.kinds = append(p.kinds, kindPlayer{
			Kind: k, table: table,
			byHost: make([]int64, r.Hosts), byClient: make([]int64, r.Clients), byClass: make([]int64, len(k.Errors)),
			truth: KindTruth{Service: Drawn{values: table, counts: make([]int64, tableSize)}},
		})
	}
	for c := range r.Clients {
		for t := range r.Threads {
			// Threads begin one after the other, so that times differ.
			n := pending{client: int32(c), thread: int32(t), end: r.Start.UnixNano() + int64(c*r.Threads+t)*997}
			p.begin(&n)
			p.pending = append(p.pending, n)
			if r.ByStart && len(p.ready) < r.Ops {
				p.ready = append(p.ready, p.record(&n))
			}
		}
	}
	p.pending.Init()
	return p
}

// begin puts the next operation into n, right behind the end of the last one.
func (p *player) begin(n *pending) {
	ki := p.order[p.begun%uint64(len(p.order))]
	k := &p.kinds[ki]
	n.kind, n.number = int32(ki), p.begun
	n.host = int32((p.begun + p.Seed) % uint64(len(p.hosts)))
	n.slot = int32(shuffled(k.begun, p.Seed))
	n.size = -1
	if len(k.Sizes) > 0 {
		n.size = int32(k.begun % uint64(len(k.Sizes)))
	}
	k.begun++
	p.begun++
	n.class = -1
	if k.ErrorEvery > 0 && len(k.Errors) > 0 && k.begun%uint64(k.ErrorEvery) == 0 {
		n.class = int32(k.errors % uint64(len(k.Errors)))
		k.errors++
	}
	n.start = n.end + int64(p.Gap)
	n.end = n.start + k.table[n.slot]
}

// next is the operation that ends next, whose thread then begins another; or with ByStart that one.
func (p *player) next() (o op.Op) {
	if len(p.ready) > 0 {
		o, p.ready = p.ready[0], p.ready[1:]
		return o
	}
	n := &p.pending[0]
	if !p.ByStart {
		o = p.record(n)
	}
	p.begin(n)
	if p.ByStart {
		o = p.record(n)
	}
	p.pending.Fix()
	return o
}

// record makes a finished operation of n and counts it.
func (p *player) record(n *pending) op.Op {
	k := &p.kinds[n.kind]
	skew := int64(n.client) * int64(p.Skew)
	from, to := n.start+skew, n.end+skew
	o := op.Op{
		Kind: k.Kind.Kind, Phase: p.Phase, Client: p.clients[n.client], Thread: uint32(n.thread), Endpoint: p.hosts[n.host],
		Start: time.Unix(0, from).UTC(), End: time.Unix(0, to).UTC(), Objects: 1, Status: 200,
	}
	if len(p.keys) > 0 {
		o.Key = p.keys[n.number%uint64(len(p.keys))]
	}
	if p.Late > 0 {
		o.Due = o.Start.Add(-p.Late)
	}
	if o.Kind.Upload() {
		o.Sent = o.Start.Add(o.End.Sub(o.Start) / 4)
	} else {
		o.FirstByte = o.Start.Add(o.End.Sub(o.Start) / 2)
	}
	k.truth.Requests++
	k.byHost[n.host]++
	k.byClient[n.client]++
	if n.class >= 0 {
		o.Err, o.Status = k.Errors[n.class], 503
		k.truth.Errors++
		k.byClass[n.class]++
	} else {
		if n.size >= 0 {
			o.Bytes = k.Sizes[n.size]
		}
		k.truth.Bytes += o.Bytes
		k.truth.Service.add(int(n.slot))
	}
	if p.first == 0 || from < p.first {
		p.first = from
	}
	p.last = max(p.last, to)
	return o
}

// finish tells what was put in.
func (p *player) finish() *Truth {
	t := &Truth{Kinds: make(map[op.Kind]*KindTruth)}
	if p.first != 0 {
		t.First, t.Last = time.Unix(0, p.first).UTC(), time.Unix(0, p.last).UTC()
	}
	for i := range p.kinds {
		k := &p.kinds[i]
		t.Ops += k.truth.Requests
		k.truth.ByHost, k.truth.ByClient = counted(p.hosts, k.byHost), counted(p.clients, k.byClient)
		k.truth.ByClass = make(map[string]int64)
		for i, n := range k.byClass {
			k.truth.ByClass[op.Class(k.Errors[i])] += n
		}
		t.Kinds[k.Kind.Kind] = &k.truth
	}
	return t
}

// counted is the counts above 0 by name.
func counted(names []string, counts []int64) map[string]int64 {
	m := make(map[string]int64)
	for i, n := range counts {
		if n > 0 {
			m[names[i]] = n
		}
	}
	return m
}

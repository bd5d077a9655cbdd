package aggregate

import (
	"cmp"
	"strings"
	"time"

	"warp/pkg/op"
)

// Pending is the operations in flight when sending stopped: see Window.Sent.
type Pending struct {
	Ops     int64         `json:"ops"`
	Longest OpSample      `json:"longest"`
	Drain   time.Duration `json:"drain_ns"` // until the last of them ended
}

// Edge is the operation at which a window starts or ends. Of a window that is Short, a Snapshot has all of it, and Windows have its
// client, its thread and its end.
type Edge struct {
	Client string    `json:"client,omitempty"`
	Thread uint32    `json:"thread"`
	End    time.Time `json:"end"`
	OpSample
}

// OpSample names an operation.
type OpSample struct {
	Kind op.Kind       `json:"op,omitempty"`
	Host string        `json:"host,omitempty"`
	Key  string        `json:"key,omitempty"`
	Took time.Duration `json:"took_ns,omitempty"` // from its start to its end
}

// sampleOf returns what is kept of an operation.
func sampleOf(o *op.Op) OpSample {
	return OpSample{
		Kind: op.Kind(strings.Clone(string(o.Kind))),
		Host: strings.Clone(o.Endpoint),
		Key:  strings.Clone(o.Key),
		Took: o.Service(),
	}
}

// compare orders operations by how long they took, the others for one result in any order of them.
func (s *OpSample) compare(o *OpSample) int {
	return cmp.Or(cmp.Compare(s.Took, o.Took), cmp.Compare(s.Key, o.Key), cmp.Compare(s.Host, o.Host), cmp.Compare(s.Kind, o.Kind))
}

// add counts an operation that ended so long after sending stopped.
func (p *Pending) add(o *op.Op, after int64) {
	p.Ops++
	p.Drain = max(p.Drain, time.Duration(after))
	if took := o.Service(); took >= p.Longest.Took {
		if s := sampleOf(o); p.Ops == 1 || s.compare(&p.Longest) > 0 {
			p.Longest = s
		}
	}
}

// merge adds the operations of other clients.
func (p *Pending) merge(o *Pending) {
	if o.Ops > 0 && (p.Ops == 0 || o.Longest.compare(&p.Longest) > 0) {
		p.Longest = o.Longest
	}
	p.Ops, p.Drain = p.Ops+o.Ops, max(p.Drain, o.Drain)
}

// is reports whether an operation is that of the edge, and completes the edge then.
func (e *Edge) is(o *op.Op) bool {
	if !o.End.Equal(e.End) || o.Thread != e.Thread || o.Client != e.Client {
		return false
	}
	e.OpSample = sampleOf(o)
	return true
}

// clone returns an independent copy.
func (e *Edge) clone() *Edge {
	if e == nil {
		return nil
	}
	c := *e
	return &c
}

// complete adds what another client knows of the operation.
func (e *Edge) complete(o *Edge) {
	if e != nil && o != nil && e.Kind == "" {
		e.OpSample = o.OpSample
	}
}

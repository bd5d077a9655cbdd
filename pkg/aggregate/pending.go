package aggregate

import (
	"cmp"
	"strings"
	"time"

	"warp/pkg/op"
)

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

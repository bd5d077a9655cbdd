package distributed

import (
	"sync"

	"warp/pkg/hist"
	"warp/pkg/op"
)

// pulse is an op.Sink that counts for live messages. It knows the phase under way only.
type pulse struct {
	mu    sync.Mutex
	phase string
	first int64 // start of the first operation
	kinds []*pulseKind
}

type pulseKind struct {
	liveKind
	recent *hist.Histogram
}

// Write counts operations.
func (p *pulse) Write(ops []op.Op) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range ops {
		p.add(&ops[i])
	}
	return nil
}

// Close does nothing.
func (p *pulse) Close() error { return nil }

func (p *pulse) add(o *op.Op) {
	if o.Phase != p.phase || p.kinds == nil {
		p.phase, p.kinds, p.first = o.Phase, nil, o.Start.UnixNano()
	}
	k := p.kind(o.Kind)
	k.Ops++
	p.first = min(p.first, o.Start.UnixNano())
	if o.Failed() {
		k.Errors++
		return
	}
	k.Bytes += o.Bytes
	k.Objects += int64(o.Objects)
	if k.recent == nil {
		k.recent = hist.New(hist.Live)
	}
	k.recent.Record(int64(o.Latency()))
}

func (p *pulse) kind(kind op.Kind) *pulseKind {
	for _, k := range p.kinds {
		if k.Kind == kind {
			return k
		}
	}
	k := &pulseKind{liveKind: liveKind{Kind: kind}}
	p.kinds = append(p.kinds, k)
	return k
}

// take fills in what is known, and begins to gather latencies anew.
func (p *pulse) take(l *live) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.Phase, l.First = p.phase, p.first
	for _, k := range p.kinds {
		c := k.liveKind
		c.Latency, k.recent = k.recent, nil
		l.Kinds = append(l.Kinds, c)
	}
}

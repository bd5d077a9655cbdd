package agent

import (
	"slices"
	"sync"
	"time"

	"warp/pkg/aggregate/live"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/hist"
	"warp/pkg/op"
)

// liveCounters is an op.Sink that counts for live messages. It covers only the streams of the current stage.
type liveCounters struct {
	mu      sync.Mutex
	streams []string
	first   int64 // start of the first operation
	kinds   []*kindCounters
}

type kindCounters struct {
	protocol.LiveKind
	recent *hist.Histogram
}

// begin begins a stage of these streams. Operations of earlier ones may still arrive; they do not count.
func (p *liveCounters) begin(streams []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.streams, p.first, p.kinds = streams, 0, nil
}

// Write counts operations.
func (p *liveCounters) Write(ops []op.Op) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range ops {
		if slices.Contains(p.streams, ops[i].Phase) {
			p.add(&ops[i])
		}
	}
	return nil
}

// Close does nothing.
func (p *liveCounters) Close() error { return nil }

func (p *liveCounters) add(o *op.Op) {
	k := p.kind(o.Phase, o.Kind)
	k.Ops++
	if start := o.Start.UnixNano(); p.first == 0 || start < p.first {
		p.first = start
	}
	if o.Resent > 0 {
		k.Resent++
	}
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

func (p *liveCounters) kind(stream string, kind op.Kind) *kindCounters {
	for _, k := range p.kinds {
		if k.Kind == kind && k.Stream == stream {
			return k
		}
	}
	k := &kindCounters{LiveKind: protocol.LiveKind{Stream: stream, Kind: kind}}
	p.kinds = append(p.kinds, k)
	return k
}

// take fills in the counts, and the latencies since the last call.
func (p *liveCounters) take(l *protocol.Live) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.First = p.first
	if len(p.kinds) > 0 {
		l.Phase = p.kinds[0].Stream
	}
	for _, k := range p.kinds {
		c := k.LiveKind
		c.Latency, k.recent = k.recent, nil
		l.Kinds = append(l.Kinds, c)
	}
}

// rateSampler samples the throughput of a phase. All clients count seconds from the common start, so their samples add up.
type rateSampler struct {
	sent int // seconds that were sent
}

// upTo returns the points of the seconds that have become final by now.
func (p *rateSampler) upTo(s bench.Stage, now time.Time) (list []protocol.Rates) {
	if s.Live == nil {
		return nil
	}
	p99, ok := s.Live.MainP99()
	if !ok {
		return nil
	}
	// Operations reach the statistics up to a second late, and count from their start only when they end.
	begun := s.Start.Add(s.Warmup)
	last := int((now.Sub(begun) - 1200*time.Millisecond - p99) / time.Second)
	for k := max(p.sent+1, last-protocol.MaxPending+1); k <= last; k++ {
		length := time.Duration(k) * time.Second
		r := protocol.Rates{Second: k}
		r.Bytes, r.Objects, r.ByBytes = s.Live.MainSlices(begun.Add(length), length/live.StableSlices)
		list = append(list, r)
	}
	p.sent = max(p.sent, last)
	return list
}

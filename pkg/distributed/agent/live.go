package agent

import (
	"slices"
	"sync"
	"time"

	"warp/pkg/aggregate/live"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/hist"
)

// liveFigures makes live messages of the figures of the run, for the streams of the current stage.
type liveFigures struct {
	mu      sync.Mutex
	state   *live.State
	streams []string
	sent    map[countKey]*hist.Histogram // latencies in earlier messages
}

// begin begins a stage. One without streams leaves the figures of the last one.
func (f *liveFigures) begin(s bench.Stage) {
	if len(s.Streams) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.state = s.Live; !slices.Equal(f.streams, s.Streams) {
		f.streams, f.sent = s.Streams, make(map[countKey]*hist.Histogram)
	}
}

// take moves the counts to a message.
func (f *liveFigures) take(l *protocol.Live) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.state == nil {
		return
	}
	for _, c := range f.state.CountsIn(f.streams) {
		if first := c.First.UnixNano(); !c.First.IsZero() && (l.First == 0 || first < l.First) {
			l.First = first
		}
		key := countKey{c.Phase, c.Kind}
		l.Phase = f.streams[0]
		l.Kinds = append(l.Kinds, protocol.LiveKind{
			Stream:  c.Phase,
			Kind:    c.Kind,
			Ops:     c.Requests,
			Errors:  c.Errors,
			Resent:  c.Resent,
			Bytes:   c.Bytes,
			Objects: c.Objects,
			Latency: hist.Since(f.sent[key], c.Latency, hist.Live),
		})
		f.sent[key] = c.Latency
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

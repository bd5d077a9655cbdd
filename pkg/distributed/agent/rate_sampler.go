package agent

import (
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
)

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
	last := int((now.Sub(s.Start) - 1200*time.Millisecond - p99) / time.Second)
	for k := max(p.sent+1, last-protocol.MaxPending+1); k <= last; k++ {
		length := time.Duration(k) * time.Second
		r := protocol.Rates{Second: k}
		r.Bytes, r.Objects, r.ByBytes = s.Live.MainSlices(s.Start.Add(length), length/aggregate.StableSlices)
		list = append(list, r)
	}
	p.sent = max(p.sent, last)
	return list
}

package agent

import (
	"slices"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/op"
)

// rateSampler samples the throughput of a phase. All clients count seconds from the common start, so their samples add up.
type rateSampler struct {
	sent int // seconds that were sent
}

// upTo returns the points of the seconds that have become final by now.
func (p *rateSampler) upTo(s bench.Stage, now time.Time) []protocol.Rates {
	if s.Live == nil {
		return nil
	}
	snapshot := s.Live.Snapshot()
	g := mainGroup(snapshot)
	if g == nil {
		return nil
	}
	// Operations reach the statistics up to a second late, and count from their start only when they end.
	lag := 1200 * time.Millisecond
	if p99, _ := g.Latency.Percentile(99); p99 > 0 {
		lag += time.Duration(p99)
	}
	last := int((now.Sub(s.Start) - lag) / time.Second)
	first := max(p.sent+1, last-protocol.MaxPending+1)
	var list []protocol.Rates
	for k := first; k <= last; k++ {
		list = append(list, pointsAt(g, snapshot.Segment, s.Start, k))
	}
	p.sent = max(p.sent, last)
	return list
}

// mainGroup returns the operations of the phase that began last, without the preparation.
func mainGroup(s *aggregate.Snapshot) *aggregate.Group {
	var best *aggregate.Group
	for _, g := range slices.Concat(s.Groups, s.Totals) {
		if g.Phase == op.PhasePrepare || g.Latency == nil {
			continue
		}
		if best == nil || g.Phase == best.Phase && g.Kind == "" || g.Phase != best.Phase && g.First.After(best.First) {
			best = g
		}
	}
	return best
}

func pointsAt(g *aggregate.Group, segment time.Duration, start time.Time, second int) protocol.Rates {
	p := protocol.Rates{Second: second, ByBytes: g.MaxSize > 0}
	length := time.Duration(second) * time.Second / aggregate.StableSlices
	end := start.Add(time.Duration(second) * time.Second)
	for range aggregate.StableLast {
		bytes, objects := between(g, segment, end.Add(-length), end)
		p.Bytes, p.Objects = append(p.Bytes, bytes), append(p.Objects, objects)
		end = end.Add(-length)
	}
	return p
}

// between returns what a group moved in an interval, assuming an even rate within each segment.
func between(g *aggregate.Group, length time.Duration, from, to time.Time) (bytes, objects float64) {
	for i := max(0, int(from.Sub(g.Window.Start)/length)); i < len(g.Segments); i++ {
		start := g.Window.Start.Add(time.Duration(i) * length)
		if !start.Before(to) {
			break
		}
		overlap := min(to.Sub(start), length) - max(0, from.Sub(start))
		part := max(0, overlap.Seconds()/length.Seconds())
		bytes += part * g.Segments[i].Bytes
		objects += part * g.Segments[i].Objects
	}
	return bytes, objects
}

package coordinator

import (
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/distributed/protocol"
	"warp/pkg/hist"
)

// Detail is what a view over time shows of a run by clients.
type Detail struct {
	Seconds []aggregate.Second
	Clients []aggregate.ClientFigures // in their order
}

// latest returns the median and the 99th percentile of the latencies in a message.
func latest(msg *protocol.Live) (p50, p99 time.Duration) {
	var all *hist.Histogram
	for i := range msg.Kinds {
		k := &msg.Kinds[i]
		if k.Kind.Whole() || k.Latency == nil {
			continue
		}
		if all == nil {
			all = hist.New(hist.Live)
		}
		all.Merge(k.Latency)
	}
	return percentile(all, 50), percentile(all, 99)
}

// detail returns what all clients together did in a second of this stage, by when their messages arrived, and what each of them does.
func (l *liveState) detail(members []*member, second, now time.Time, stale time.Duration) (d Detail) {
	r, _ := l.recent(members, now, stale)
	kept := &l.seconds[second.Unix()%keptSeconds]
	for _, f := range r.Kinds {
		s := aggregate.Second{Phase: f.Phase, Kind: f.Kind, Bytes: int64(f.BytesPerSec), Objects: int64(f.ObjectsPerSec), Failed: f.Errors}
		if kept.second == second.Unix() {
			s.Latency = kept.groups[liveGroup{f.Phase, f.Kind}].Clone()
		}
		s.Ops = s.Latency.Count()
		d.Seconds = append(d.Seconds, s)
	}
	for _, m := range members {
		sums := make(map[liveGroup]aggregate.Figures)
		fresh := now.Sub(m.live.heard) < stale
		m.live.addFigures(sums, l.streams, fresh)
		c := aggregate.ClientFigures{Client: m.addr}
		for g, f := range sums {
			if !g.kind.Whole() {
				c.Add(f)
			}
		}
		switch {
		case m.err != nil:
			c.State = "lost"
		case !m.connected:
			c.State = "disconnected"
		case !fresh && len(sums) > 0:
			c.State = "silent"
		default:
			c.P50, c.P99 = m.live.p50, m.live.p99
		}
		d.Clients = append(d.Clients, c)
	}
	return d
}

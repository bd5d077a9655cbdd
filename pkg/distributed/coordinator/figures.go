package coordinator

import (
	"math"
	"slices"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/aggregate/live"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/hist"
	"warp/pkg/op"
)

// figures are the current figures of all clients together. The coordinator's lock guards them.
type figures struct {
	maxAge  time.Duration // of a client's last message; then its rates count as zero
	streams []string      // of the current stage, by their names in records
	seconds [keptSeconds]recentSecond
	groups  []liveGroup // of this stage, in order
}

// recentSecond has the latencies in the messages of one second.
type recentSecond struct {
	second int64
	groups map[liveGroup]*hist.Histogram
}

const keptSeconds = 4

// begin begins a stage of these streams.
func (f *figures) begin(streams []string) { f.streams, f.groups = streams, nil }

// record records a message of a client.
func (f *figures) record(m *member, msg *protocol.Live, now time.Time) error {
	m.figures.p50, m.figures.p99 = percentiles(msg)
	if err := f.addLatencies(msg, now); err != nil {
		return err
	}
	m.figures.update(msg, now)
	return nil
}

// addLatencies takes the latencies out of a message, which is kept for its counts.
func (f *figures) addLatencies(msg *protocol.Live, now time.Time) error {
	second := now.Unix()
	r := &f.seconds[second%keptSeconds]
	if r.second != second {
		*r = recentSecond{second, make(map[liveGroup]*hist.Histogram)}
	}
	for i := range msg.Kinds {
		k := &msg.Kinds[i]
		latency := k.Latency
		k.Latency = nil
		if k.Stream == "" {
			k.Stream = msg.Phase
		}
		if !slices.Contains(f.streams, k.Stream) {
			continue // late, of an earlier stage
		}
		if !validName(string(k.Kind)) {
			return transport.Violationf("invalid kind %.40q of operations", k.Kind)
		}
		g := groupOf(k)
		if !slices.Contains(f.groups, g) {
			if len(f.groups) >= aggregate.MaxKinds*len(f.streams) {
				return transport.Violationf("too many kinds of operations")
			}
			order := aggregate.Order{f.streams}
			f.groups = aggregate.Insert(order, f.groups, g, func(g liveGroup) (string, op.Kind) { return g.stream, g.kind })
		}
		h := r.groups[g]
		if h == nil {
			h = hist.New(hist.Live)
			r.groups[g] = h
		}
		h.Merge(latency)
	}
	return nil
}

// fresh reports whether a client was heard recently.
func (f *figures) fresh(m *member, now time.Time) bool {
	return now.Sub(m.figures.lastMessageAt) < f.maxAge
}

// recent returns the current figures of all clients together in the current stage.
func (f *figures) recent(members []*member, now time.Time) (r live.Recent, ok bool) {
	sums := make(map[liveGroup]live.Figures)
	first := int64(math.MaxInt64)
	for _, m := range members {
		if m.figures.addTo(sums, f.streams, f.fresh(m, now)) {
			first = min(first, m.figures.last.First)
		}
	}
	if len(sums) == 0 {
		return r, false
	}
	r.Phase, r.Start = f.streams[0], time.Unix(0, first).UTC()
	all := hist.New(hist.Live)
	for _, g := range f.groups {
		sum, ok := sums[g]
		if !ok {
			continue
		}
		h := f.latencies(g, now)
		sum.Phase, sum.Kind, sum.P50, sum.P99 = g.stream, g.kind, percentile(h, 50), percentile(h, 99)
		r.Kinds = append(r.Kinds, sum)
		if !g.kind.IsComposite() {
			all.Merge(h)
			r.Total.Add(sum)
		}
	}
	r.Total.P50, r.Total.P99 = percentile(all, 50), percentile(all, 99)
	return r, true
}

// latencies returns the latencies of the last seconds.
func (f *figures) latencies(g liveGroup, now time.Time) *hist.Histogram {
	sum := hist.New(hist.Live)
	for i := range f.seconds {
		if r := &f.seconds[i]; r.second > now.Unix()-keptSeconds && r.groups[g] != nil {
			sum.Merge(r.groups[g])
		}
	}
	return sum
}

// detail returns the figures of all clients together in a second of this stage, by the arrival of messages, and the figures of each now.
func (f *figures) detail(members []*member, second, now time.Time) (d Detail) {
	r, _ := f.recent(members, now)
	kept := &f.seconds[second.Unix()%keptSeconds]
	for _, k := range r.Kinds {
		s := live.Second{Phase: k.Phase, Kind: k.Kind, Bytes: int64(k.BytesPerSec), Objects: int64(k.ObjectsPerSec), Failed: k.Errors}
		if kept.second == second.Unix() {
			s.Latency = kept.groups[liveGroup{k.Phase, k.Kind}].Clone()
		}
		s.Ops = s.Latency.Count()
		d.Seconds = append(d.Seconds, s)
	}
	for _, m := range members {
		d.Clients = append(d.Clients, f.client(m, now))
	}
	return d
}

// client returns the current figures of a client.
func (f *figures) client(m *member, now time.Time) live.ClientFigures {
	sums := make(map[liveGroup]live.Figures)
	fresh := f.fresh(m, now)
	m.figures.addTo(sums, f.streams, fresh)
	c := live.ClientFigures{Client: m.addr}
	for g, sum := range sums {
		if !g.kind.IsComposite() {
			c.Add(sum)
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
		c.P50, c.P99 = m.figures.p50, m.figures.p99
	}
	return c
}

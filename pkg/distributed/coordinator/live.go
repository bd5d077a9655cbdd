package coordinator

import (
	"maps"
	"math"
	"slices"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/hist"
	"warp/pkg/op"
)

// memberLive is the latest live state of a client.
type memberLive struct {
	protocol.Count                           // newest
	stages         map[string]protocol.Count // latest of each stage
	moved          time.Time                 // time of the last progress
	heard          time.Time                 // time of the last message
	last           protocol.Live
	rates          []aggregate.Figures // between the last two messages, by kind as last.Kinds
	p50, p99       time.Duration       // of the last message
}

// liveState is the live state of all clients together. The coordinator's lock guards it.
type liveState struct {
	streams []string // of the current stage, by their names in records
	seconds [keptSeconds]recentSecond
	groups  []liveGroup // of this stage, in order
}

// liveGroup is a kind of operation of a stream.
type liveGroup struct {
	stream string
	kind   op.Kind
}

func groupOf(k *protocol.LiveKind) liveGroup { return liveGroup{k.Stream, k.Kind} }

// recentSecond has the latencies in the messages of one second.
type recentSecond struct {
	second int64
	groups map[liveGroup]*hist.Histogram
}

const (
	keptSeconds = 4
	// staleAfter is how many live messages a client may miss before its rate counts as zero.
	staleAfter = 3
)

// advance records progress, and reports whether it is the newest. Live messages queue behind others, so they may be old.
func (l *memberLive) advance(k protocol.Count, now time.Time) bool {
	if k.At < l.At {
		return false
	}
	if l.Stage != k.Stage || l.Done != k.Done {
		l.moved = now
	}
	l.Count, l.stages[k.Stage] = k, k
	return true
}

// rates is the throughput of a client between two messages, as after.Kinds.
func rates(before, after *protocol.Live) []aggregate.Figures {
	list := make([]aggregate.Figures, len(after.Kinds))
	seconds := time.Duration(after.At - before.At).Seconds()
	if seconds <= 0 {
		return list
	}
	for i := range after.Kinds {
		k, was := &after.Kinds[i], protocol.LiveKind{}
		if j := slices.IndexFunc(before.Kinds, func(b protocol.LiveKind) bool { return groupOf(&b) == groupOf(k) }); j >= 0 {
			was = before.Kinds[j]
		}
		list[i] = aggregate.Figures{
			OpsPerSec:   float64(k.Ops-was.Ops-(k.Errors-was.Errors)) / seconds,
			BytesPerSec: float64(k.Bytes-was.Bytes) / seconds, ObjectsPerSec: float64(k.Objects-was.Objects) / seconds,
		}
	}
	return list
}

// begin begins a stage in which these streams are at work.
func (l *liveState) begin(streams []string) { l.streams, l.groups = streams, nil }

// record adds the latencies of a message.
func (l *liveState) record(msg *protocol.Live, now time.Time) error {
	second := now.Unix()
	r := &l.seconds[second%keptSeconds]
	if r.second != second {
		*r = recentSecond{second, make(map[liveGroup]*hist.Histogram)}
	}
	for i := range msg.Kinds {
		k := &msg.Kinds[i]
		latency := k.Latency
		k.Latency = nil // the message is kept for its counts
		if k.Stream == "" {
			k.Stream = msg.Phase
		}
		if !slices.Contains(l.streams, k.Stream) {
			continue // late, of an earlier stage
		}
		if !validName(string(k.Kind)) {
			return transport.Violationf("invalid kind %.40q of operations", k.Kind)
		}
		g := groupOf(k)
		if !slices.Contains(l.groups, g) {
			if len(l.groups) >= aggregate.MaxKinds*len(l.streams) {
				return transport.Violationf("too many kinds of operations")
			}
			l.groups = aggregate.Insert(aggregate.Order{l.streams}, l.groups, g, func(g liveGroup) (string, op.Kind) { return g.stream, g.kind })
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

// progress is that of all clients in a stage.
func progress(members []*member, stage string) (done, total uint64) {
	for _, m := range members {
		done += m.live.stages[stage].Done
		total += m.live.stages[stage].Total
	}
	return done, total
}

// recent returns the current figures of all clients together in the current stage. Rates of clients that were silent for as
// long as stale count as zero.
func (l *liveState) recent(members []*member, now time.Time, stale time.Duration) (r aggregate.Recent, ok bool) {
	sums := make(map[liveGroup]aggregate.Figures)
	first := int64(math.MaxInt64)
	for _, m := range members {
		if m.live.addFigures(sums, l.streams, now.Sub(m.live.heard) < stale) {
			first = min(first, m.live.last.First)
		}
	}
	if len(sums) == 0 {
		return r, false
	}
	r.Phase, r.Start = l.streams[0], time.Unix(0, first).UTC()
	all := hist.New(hist.Live)
	for _, g := range l.groups {
		f, ok := sums[g]
		if !ok {
			continue
		}
		h := l.latencies(g, now)
		f.Phase, f.Kind, f.P50, f.P99 = g.stream, g.kind, percentile(h, 50), percentile(h, 99)
		r.Kinds = append(r.Kinds, f)
		if !g.kind.Whole() {
			all.Merge(h)
			r.Total.Add(f)
		}
	}
	r.Total.P50, r.Total.P99 = percentile(all, 50), percentile(all, 99)
	return r, true
}

// addFigures adds the figures of one client in these streams, and its rates if they are fresh. It reports whether there are any.
func (l *memberLive) addFigures(sums map[liveGroup]aggregate.Figures, streams []string, fresh bool) (found bool) {
	for i := range l.last.Kinds {
		k := &l.last.Kinds[i]
		if !slices.Contains(streams, k.Stream) {
			continue
		}
		found = true
		f := sums[groupOf(k)]
		f.Add(aggregate.Figures{Ops: k.Ops, Errors: k.Errors, Resent: k.Resent})
		if fresh {
			f.Add(l.rates[i])
		}
		sums[groupOf(k)] = f
	}
	return found
}

// percentile is 0 without samples.
func percentile(h *hist.Histogram, p float64) time.Duration {
	v, _ := h.Percentile(p)
	return time.Duration(v)
}

// latencies returns those of the last seconds.
func (l *liveState) latencies(g liveGroup, now time.Time) *hist.Histogram {
	sum := hist.New(hist.Live)
	for i := range l.seconds {
		if r := &l.seconds[i]; r.second > now.Unix()-keptSeconds && r.groups[g] != nil {
			sum.Merge(r.groups[g])
		}
	}
	return sum
}

// stability is how throughput goes in a phase. The coordinator's lock guards it.
type stability struct {
	rates   map[int]*rateSum // by second of the phase; nil: no phase has begun
	checked int              // seconds of the phase that were checked
}

// rateSum is the throughput of all clients up to a second of the phase, added up as messages arrive: with many clients there
// is no time to visit all of them for each message.
type rateSum struct {
	bytes, objects [aggregate.StableKept]float64
	byBytes        bool
	reported       map[*member]bool
	checked        int // so many of the first clients have reported, or were not waited for
}

// maxAhead is how many seconds the points of a client may be ahead of another's.
const maxAhead = 120

// add adds the points of a client. A second that it reports twice counts once.
func (s *stability) add(m *member, news []protocol.Rates) error {
	for i := range news {
		if p := &news[i]; len(p.Bytes) != aggregate.StableKept || len(p.Objects) != aggregate.StableKept {
			return transport.Violationf("invalid number of throughput points")
		}
		s.addSecond(m, &news[i])
	}
	return nil
}

func (s *stability) addSecond(m *member, p *protocol.Rates) {
	if s.rates == nil || p.Second <= s.checked || p.Second > s.checked+maxAhead {
		return
	}
	sum := s.rates[p.Second]
	if sum == nil {
		sum = &rateSum{reported: make(map[*member]bool)}
		s.rates[p.Second] = sum
	}
	if sum.reported[m] {
		return
	}
	sum.reported[m] = true
	sum.byBytes = sum.byBytes || p.ByBytes
	for i := range aggregate.StableKept {
		sum.bytes[i] += p.Bytes[i]
		sum.objects[i] += p.Objects[i]
	}
}

// reached returns the throughput of all clients together if it is stable in one of these seconds.
func (s *stability) reached(news []protocol.Rates, members []*member, a *bench.Autoterm) (now aggregate.Settled, ok bool) {
	for i := range news {
		k := news[i].Second
		all := s.rates[k]
		if all == nil || !all.complete(members) {
			continue
		}
		s.checked = max(s.checked, k)
		maps.DeleteFunc(s.rates, func(second int, _ *rateSum) bool { return second <= s.checked })
		if now, ok = all.stable(k, a); ok {
			return now, true
		}
	}
	return now, false
}

// complete reports whether all connected clients have reported a second. It visits each client once: one that reconnects
// later is not waited for again.
func (s *rateSum) complete(members []*member) bool {
	for ; s.checked < len(members); s.checked++ {
		m := members[s.checked]
		if !s.reported[m] && m.connected && m.report == nil {
			return false
		}
	}
	return true
}

// stable reports whether the throughput of all clients has settled.
func (s *rateSum) stable(second int, a *bench.Autoterm) (now aggregate.Settled, ok bool) {
	moved := s.objects
	if s.byBytes {
		moved = s.bytes
	}
	return aggregate.Stability(*a).Settle(moved[:], time.Duration(second)*time.Second/aggregate.StableSlices, s.byBytes)
}

// checkStability ends the phase when the throughput of all clients together is stable in one of these seconds; c.mu is held.
func checkStability(c *coordinator, news []protocol.Rates) {
	a := c.plan.Phases[min(c.phase, len(c.plan.Phases)-1)].Autoterm
	if a == nil || !c.begun || c.stopping || c.endedPhases > c.phase {
		return
	}
	taking := slices.DeleteFunc(slices.Clone(c.members), func(m *member) bool { return !bench.OnClient(&c.plan.Phases[c.phase].Stream, uint64(m.index)) })
	if now, ok := c.stability.reached(news, taking, a); ok {
		c.notice("%s", a.Notice(" of all clients", &now))
		prefix := ""
		if name := c.plan.Phases[c.phase].Name; name != "" {
			prefix = name + ": "
		}
		c.notes = append(c.notes, prefix+a.Note(&now))
		c.stable = true
		c.endPhase(false)
	}
}

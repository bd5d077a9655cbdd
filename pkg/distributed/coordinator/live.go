package coordinator

import (
	"math"
	"slices"
	"time"

	"warp/internal/clock"
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
	rates          []rate // by kind, as last.Kinds
}

// rate is the throughput of a client between its last two messages.
type rate struct{ ops, bytes, objects float64 }

// liveState is the live state of all clients together.
type liveState struct {
	recent  [keptSeconds]recentSecond
	kinds   []op.Kind        // in order of appearance in this phase
	rates   map[int]*rateSum // by second of the phase
	checked int              // seconds of the phase that were checked for stability
}

// recentSecond has the latencies in the messages of one second, by kind.
type recentSecond struct {
	second int64
	kinds  map[op.Kind]*hist.Histogram
}

const (
	keptSeconds = 4
	// staleAfter is how many live messages a client may miss before its rate counts as zero.
	staleAfter = 3
	// maxKinds is how many kinds of operations, counted in each phase, a client may report.
	maxKinds = 64
)

func (l *liveState) nextPhase() {
	l.rates, l.checked, l.kinds = make(map[int]*rateSum), 0, nil
}

// onLive handles a live message. The goroutine that reads the connection calls it.
func (c *coordinator) onLive(m *member, f transport.Frame) {
	var l protocol.Live
	err := f.Open(&l)
	if err == nil && (len(l.Kinds) > maxKinds || len(l.Rates) > protocol.MaxPending) {
		err = transport.Violationf("live message has too many entries")
	}
	if err == nil && !l.Known() {
		err = transport.Violationf("live message of unknown stage %.40q", l.Stage)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := clock.Now()
	if err == nil {
		err = c.live.record(m, &l, now)
	}
	if err != nil {
		c.drop(m, err)
		return
	}
	s := &m.live
	s.rates = rates(&s.last, &l)
	s.heard, s.last = now, l
	c.progressed(m, l.Count, now)
	if len(l.Rates) > 0 {
		c.checkStability(l.Rates)
	}
}

// progressed records the progress of a client; c.mu is held. Live messages queue behind others, so they may be old.
func (c *coordinator) progressed(m *member, k protocol.Count, now time.Time) {
	s := &m.live
	if k.At < s.At {
		return
	}
	if s.Stage != k.Stage || s.Done != k.Done {
		s.moved = now
	}
	s.Count, s.stages[k.Stage] = k, k
	if k.Stage == bench.StagePrepare && c.stage == "" {
		c.enter(Stage{Name: k.Stage, Workload: c.plan.Phases[0].Workload, Start: now})
	}
}

// rates compares two live messages.
func rates(before, after *protocol.Live) []rate {
	list := make([]rate, len(after.Kinds))
	seconds := time.Duration(after.At - before.At).Seconds()
	if before.Phase != after.Phase || seconds <= 0 {
		return list
	}
	for i, k := range after.Kinds {
		var was protocol.LiveKind
		if j := slices.IndexFunc(before.Kinds, func(b protocol.LiveKind) bool { return b.Kind == k.Kind }); j >= 0 {
			was = before.Kinds[j]
		}
		list[i] = rate{float64(k.Ops-was.Ops-(k.Errors-was.Errors)) / seconds, float64(k.Bytes-was.Bytes) / seconds, float64(k.Objects-was.Objects) / seconds}
	}
	return list
}

// record adds latencies and throughput points.
func (l *liveState) record(m *member, msg *protocol.Live, now time.Time) error {
	second := now.Unix()
	r := &l.recent[second%keptSeconds]
	if r.second != second {
		*r = recentSecond{second, make(map[op.Kind]*hist.Histogram)}
	}
	for i := range msg.Kinds {
		k := &msg.Kinds[i]
		if !validName(string(k.Kind)) {
			return transport.Violationf("invalid kind %.40q of operations", k.Kind)
		}
		h := r.kinds[k.Kind]
		if h == nil {
			if len(r.kinds) >= maxKinds {
				return transport.Violationf("too many kinds of operations")
			}
			h = hist.New(hist.Live)
			r.kinds[k.Kind] = h
		}
		h.Merge(k.Latency)
		k.Latency = nil // the message is kept for its counts
		if !slices.Contains(l.kinds, k.Kind) && len(l.kinds) < maxKinds {
			l.kinds = append(l.kinds, k.Kind)
		}
	}
	for i := range msg.Rates {
		if err := l.addRates(m, &msg.Rates[i]); err != nil {
			return err
		}
	}
	return nil
}

// progress returns a function for the progress of all clients in a stage.
func (c *coordinator) progress(stage string) func() (uint64, uint64) {
	return func() (done, total uint64) {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, m := range c.members {
			done += m.live.stages[stage].Done
			total += m.live.stages[stage].Total
		}
		return done, total
	}
}

// recent returns the current figures of all clients together in the latest phase.
func (c *coordinator) recent(now time.Time) (r aggregate.Recent, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	newest := int64(0)
	for _, m := range c.members {
		if l := &m.live.last; len(l.Kinds) > 0 && (newest == 0 || l.Phase != r.Phase && l.First > newest) {
			newest, r.Phase, ok = l.First, l.Phase, true
		}
	}
	if !ok {
		return r, false
	}
	byKind := make(map[op.Kind]*aggregate.Figures)
	first := int64(math.MaxInt64)
	for _, m := range c.members {
		if m.live.last.Phase == r.Phase && len(m.live.last.Kinds) > 0 {
			first = min(first, m.live.last.First)
			c.addFigures(byKind, &m.live, now)
		}
	}
	r.Start = time.Unix(0, first).UTC()
	all := hist.New(hist.Live)
	for _, kind := range c.live.kinds {
		f := byKind[kind]
		if f == nil {
			continue
		}
		h := c.live.latencies(kind, now)
		all.Merge(h)
		f.Kind, f.P50, f.P99 = kind, percentile(h, 50), percentile(h, 99)
		r.Kinds = append(r.Kinds, *f)
		t := &r.Total
		t.Ops += f.Ops
		t.Errors += f.Errors
		t.OpsPerSec += f.OpsPerSec
		t.BytesPerSec += f.BytesPerSec
		t.ObjectsPerSec += f.ObjectsPerSec
	}
	r.Total.P50, r.Total.P99 = percentile(all, 50), percentile(all, 99)
	return r, true
}

// addFigures adds the figures of one client.
func (c *coordinator) addFigures(byKind map[op.Kind]*aggregate.Figures, l *memberLive, now time.Time) {
	fresh := now.Sub(l.heard) < staleAfter*c.opts.Timing.LiveInterval
	for i, k := range l.last.Kinds {
		f := byKind[k.Kind]
		if f == nil {
			f = &aggregate.Figures{}
			byKind[k.Kind] = f
		}
		f.Ops += k.Ops
		f.Errors += k.Errors
		if fresh {
			f.OpsPerSec += l.rates[i].ops
			f.BytesPerSec += l.rates[i].bytes
			f.ObjectsPerSec += l.rates[i].objects
		}
	}
}

// percentile is 0 without samples.
func percentile(h *hist.Histogram, p float64) time.Duration {
	v, _ := h.Percentile(p)
	return time.Duration(v)
}

// latencies returns those of the last seconds.
func (l *liveState) latencies(kind op.Kind, now time.Time) *hist.Histogram {
	sum := hist.New(hist.Live)
	for i := range l.recent {
		if r := &l.recent[i]; r.second > now.Unix()-keptSeconds && r.kinds[kind] != nil {
			sum.Merge(r.kinds[kind])
		}
	}
	return sum
}

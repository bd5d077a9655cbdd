package coordinator

import (
	"maps"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
)

// rateSum is the throughput of all clients up to a second of the phase, added up as messages arrive: with many clients there
// is no time to visit all of them for each message.
type rateSum struct {
	bytes, objects [aggregate.StableLast]float64
	byBytes        bool
	reported       map[*member]bool
	checked        int // so many of the first clients have reported, or were not waited for
}

// maxAhead is how many seconds the points of a client may be ahead of another's.
const maxAhead = 120

// addRates adds the points of a client. A second that it reports twice counts once.
func (l *liveState) addRates(m *member, p *protocol.Rates) error {
	if len(p.Bytes) != aggregate.StableLast || len(p.Objects) != aggregate.StableLast {
		return transport.Violationf("invalid number of throughput points")
	}
	if l.rates == nil || p.Second <= l.checked || p.Second > l.checked+maxAhead {
		return nil
	}
	s := l.rates[p.Second]
	if s == nil {
		s = &rateSum{reported: make(map[*member]bool)}
		l.rates[p.Second] = s
	}
	if s.reported[m] {
		return nil
	}
	s.reported[m] = true
	s.byBytes = s.byBytes || p.ByBytes
	for i := range aggregate.StableLast {
		s.bytes[i] += p.Bytes[i]
		s.objects[i] += p.Objects[i]
	}
	return nil
}

// checkStability ends the phase when the throughput of all clients together is stable in one of these seconds; c.mu is held.
func (c *coordinator) checkStability(news []protocol.Rates) {
	a := c.plan.Phases[min(c.phase, len(c.plan.Phases)-1)].Autoterm
	if a == nil || !c.begun || c.stopping || c.endedPhases > c.phase {
		return
	}
	for i := range news {
		k := news[i].Second
		all := c.live.rates[k]
		if all == nil || !c.allReported(all) {
			continue
		}
		c.live.checked = max(c.live.checked, k)
		maps.DeleteFunc(c.live.rates, func(second int, _ *rateSum) bool { return second <= c.live.checked })
		if rate, byBytes, ok := all.stable(k, a); ok {
			c.notice("%s", a.Notice(" of all clients", rate, byBytes))
			c.endPhase()
			return
		}
	}
}

// allReported reports whether all connected clients have reported a second. It visits each client once: one that reconnects
// later is not waited for again.
func (c *coordinator) allReported(s *rateSum) bool {
	for ; s.checked < len(c.members); s.checked++ {
		m := c.members[s.checked]
		if !s.reported[m] && m.connected && m.report == nil {
			return false
		}
	}
	return true
}

// stable reports whether the throughput of all clients has settled.
func (s *rateSum) stable(second int, a *bench.Autoterm) (rate float64, byBytes, ok bool) {
	rates := s.objects
	if s.byBytes {
		rates = s.bytes
	}
	slice := time.Duration(second) * time.Second / aggregate.StableSlices
	for i := range rates {
		rates[i] /= slice.Seconds()
	}
	return rates[0], s.byBytes, aggregate.Settled(rates[:], slice, a.MinDuration, a.Percent)
}

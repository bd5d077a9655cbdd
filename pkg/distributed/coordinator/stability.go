package coordinator

import (
	"maps"
	"time"

	"warp/pkg/aggregate/live"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
)

// stability is how the throughput of a phase changes. The coordinator's lock guards it.
type stability struct {
	autoterm *bench.Autoterm  // nil: the phase does not end when its throughput is stable
	members  []*member        // that take part in the phase
	rates    map[int]*rateSum // by second of the phase; nil: no phase has begun
	checked  int              // seconds of the phase that were checked
}

// rateSum is the throughput of all clients up to a second of the phase, added up as messages arrive: with many clients there
// is no time to visit all of them for each message.
type rateSum struct {
	bytes, objects [live.StableKept]float64
	byBytes        bool
	reported       map[*member]bool
	checked        int // number of clients, from the first one, that have reported or were not waited for
}

// maxAhead is how many seconds the points of a client may be ahead of another's.
const maxAhead = 120

// begin begins a phase.
func (s *stability) begin(ph *bench.Phase, members []*member) {
	*s = stability{autoterm: ph.Autoterm, rates: make(map[int]*rateSum)}
	for _, m := range members {
		if bench.OnClient(&ph.Stream, uint64(m.index)) {
			s.members = append(s.members, m)
		}
	}
}

// add adds the points of a client. A second that it reports twice counts once.
func (s *stability) add(m *member, news []protocol.Rates) error {
	for i := range news {
		if p := &news[i]; len(p.Bytes) != live.StableKept || len(p.Objects) != live.StableKept {
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
	for i := range live.StableKept {
		sum.bytes[i] += p.Bytes[i]
		sum.objects[i] += p.Objects[i]
	}
}

// reached returns the throughput of all clients together if it is stable in one of these seconds.
func (s *stability) reached(news []protocol.Rates) (now live.Settled, ok bool) {
	if s.autoterm == nil {
		return now, false
	}
	for i := range news {
		k := news[i].Second
		all := s.rates[k]
		if all == nil || !all.complete(s.members) {
			continue
		}
		s.checked = max(s.checked, k)
		maps.DeleteFunc(s.rates, func(second int, _ *rateSum) bool { return second <= s.checked })
		if now, ok = all.stable(k, s.autoterm); ok {
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
		if !s.reported[m] && m.connected && m.progress.done == nil {
			return false
		}
	}
	return true
}

// stable reports whether the throughput of all clients has settled.
func (s *rateSum) stable(second int, a *bench.Autoterm) (now live.Settled, ok bool) {
	moved := s.objects
	if s.byBytes {
		moved = s.bytes
	}
	return live.Stability(*a).Settle(moved[:], time.Duration(second)*time.Second/live.StableSlices, s.byBytes)
}

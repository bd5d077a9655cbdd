package coordinator

import (
	"fmt"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/search"
)

// searches are the searches of a run. The coordinator's lock guards them.
type searches struct {
	all     []*bench.Searching
	current *bench.Searching // of the latest phase; nil: the phase is no search
}

// begin begins a phase.
func (s *searches) begin(plan *bench.Compiled, phase, clients int) {
	s.current = bench.NewSearching(plan, phase, clients)
	if s.current != nil {
		s.all = append(s.all, s.current)
	}
}

// check returns an error unless a client may send this part of a trial now. waiting: it waits at a barrier.
func (s *searches) check(m *member, k *protocol.Arrival, waiting bool) error {
	if k.Stage != bench.StageTrial {
		return nil
	}
	if s.current == nil || waiting {
		return transport.Violationf("sent a part of a trial that is not under way")
	}
	if err := s.current.Check(partOf(m, k)); err != nil {
		return transport.Violationf("sent %s", err)
	}
	return nil
}

// partOf returns the part that a client has of a trial; nil if it sent none.
func partOf(m *member, k *protocol.Arrival) *bench.TrialPart {
	if k.Part == nil {
		return nil
	}
	p := k.Part.TrialPart
	if k.Part.Limit != "" {
		p.Limit = fmt.Sprintf("client %s: %s", m.addr, k.Part.Limit)
	}
	if k.Part.Ended != "" {
		p.Ended = fmt.Sprintf("of client %s: %s", m.addr, k.Part.Ended)
	}
	return &p
}

// next ends a trial, and returns what follows. The error is why the search ends before its time.
func (s *searches) next(members []*member, arrived map[*member]protocol.Arrival) (bench.TrialStep, error) {
	var parts []*bench.TrialPart
	for _, m := range members {
		if k, here := arrived[m]; here {
			parts = append(parts, partOf(m, &k))
			continue
		}
		status := "lost" // its share of the load is missing from the trial, and from all that would follow
		if m.progress.measured {
			status = "interrupted"
		}
		parts = append(parts, &bench.TrialPart{Ended: fmt.Sprintf("client %s was %s", m.addr, status)})
	}
	return s.current.Next(parts)
}

// maxGroups is how many kinds of operations a client may report, counted in each stream, trial and the preparation.
func (s *searches) maxGroups(plan *bench.Compiled) int {
	streams := 1
	for _, one := range s.all {
		streams += one.Number()
	}
	for i := range plan.Phases {
		streams += len(plan.Phases[i].Names())
	}
	return aggregate.MaxKinds * streams
}

// records returns what the searches found.
func (s *searches) records() (list []search.Record) {
	for _, one := range s.all {
		list = append(list, one.Record)
	}
	return list
}

package runinfo

import (
	"slices"

	"warp/pkg/aggregate"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/search"
)

// Shares returns the own parts of clients, all of them if none is named, of what a snapshot has measured: by phase and kind of operations.
// Trials of searches are left out: they are judged by themselves, against what is asked for.
func Shares(s *aggregate.Snapshot, searches []search.Record, clients ...string) (list []observe.Share) {
	if s == nil {
		return nil
	}
	phases := map[string]bool{}
	for _, g := range s.Groups {
		phases[g.Phase] = true
	}
	delete(phases, op.PhasePrepare)
	for _, g := range s.Groups {
		if g.Phase == op.PhasePrepare || g.Kind.IsComposite() ||
			slices.ContainsFunc(searches, func(r search.Record) bool { return slices.Contains(r.Phases, g.Phase) }) {
			continue
		}
		name := string(g.Kind)
		if len(phases) > 1 {
			name = g.Name()
		}
		parts := []*aggregate.Part{&g.Part}
		if len(clients) > 0 {
			parts = parts[:0]
			for _, c := range clients {
				if p := g.ByClient[c]; p != nil {
					parts = append(parts, p)
				}
			}
		}
		for _, p := range parts {
			if sh, ok := aggregate.ShareOf(name, p.Latency, &p.Own); ok {
				list = append(list, sh)
			}
		}
	}
	return list
}

// findLimits finds how the clients were the bottleneck.
func findLimits(i *Info, s *aggregate.Snapshot) {
	own := func(of *observe.Summary, client string, shares []observe.Share) {
		for _, l := range of.Limits(shares...) {
			l.Client = client
			i.Limits = append(i.Limits, l)
			text := l.String()
			if client != "" {
				text = Prefixed(client, []string{text})[0]
			}
			i.Warnings = append(i.Warnings, text)
		}
	}
	for k := range i.Clients {
		i.Limits = append(i.Limits, i.Clients[k].Limits...) // the end of the recording has the warnings
	}
	if i.Self != nil {
		own(&i.Self.Summary, "", Shares(s, i.Searches))
		return
	}
	named := len(i.Clients) > 0
	for k := range i.Parts {
		p := &i.Parts[k]
		var shares []observe.Share
		if len(p.Clients) > 0 {
			shares, named = Shares(s, i.Searches, p.Clients...), true
		}
		own(&p.Self, p.Recording, shares)
	}
	if !named { // which client had which part of the latencies is not known
		own(&observe.Summary{}, "", Shares(s, i.Searches))
	}
}

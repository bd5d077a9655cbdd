package cli

import (
	"encoding/json"
	"time"

	"warp/pkg/bench"
	"warp/pkg/distributed"
	"warp/pkg/observe"
)

// part is how the client of one of several recordings did, for a report on all of them together.
type part struct {
	Recording string          `json:"recording"` // its name
	Self      observe.Summary `json:"self"`
}

// parts are the clients of a recording that is one of several, summed up over the time that all of them have in common. One
// that was merged has those of its own parts.
func (e *runEnd) parts(name string, from, to time.Time) []part {
	if len(e.Client) == 0 || to.IsZero() {
		return e.Parts
	}
	return append([]part{{name, observe.Summarize(e.Client, from, to)}}, e.Parts...)
}

// line is the client in one line; empty if nothing is known.
func (p *part) line() string { return clientLine(p.Recording, &p.Self) }

// warnings say whether the client was the limit.
func (p *part) warnings() []string { return prefixed(p.Recording, p.Self.Verdict()) }

// clientsJSON are several clients for a report; nothing if none is known.
func clientsJSON(clients []distributed.ClientReport, parts []part) (json.RawMessage, error) {
	var list []any
	for i := range clients {
		list = append(list, &clients[i])
	}
	for i := range parts {
		list = append(list, &parts[i])
	}
	if list == nil {
		return nil, nil
	}
	return json.Marshal(list)
}

// sumOf is the connections of both.
func sumOf(a, b bench.Connections) bench.Connections {
	return bench.Connections{Made: a.Made + b.Made, Spent: a.Spent + b.Spent, Longest: max(a.Longest, b.Longest)}
}

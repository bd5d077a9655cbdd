package runinfo

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/bench/work"
	"warp/pkg/observe"
	"warp/pkg/units"
)

// Clock is how far the clock of a client is ahead of the coordinator's.
type Clock struct {
	At     time.Time     `json:"at"`        // when that was measured, on the coordinator's clock
	Offset time.Duration `json:"offset_ns"` // positive: the client's is ahead
	RTT    time.Duration `json:"rtt_ns"`    // of the fastest probe; the offset is known to within half of it

	Wall time.Duration `json:"-"` // offset of the systems' clocks, which people set
}

// Outage is a time without a connection to a client.
type Outage struct {
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`
	Final bool      `json:"final,omitempty"` // it did not come back
}

// ClientReport is what is known about one client of a distributed run.
type ClientReport struct {
	Addr       string    `json:"addr"`
	ID         string    `json:"id"` // in recordings
	Host       string    `json:"host"`
	Version    string    `json:"version"`
	Clock      Clock     `json:"clock"`               // at the start
	ClockEnd   *Clock    `json:"clock_end,omitempty"` // when it had measured; its times are corrected by what lies between the two
	First      time.Time `json:"first"`               // start of its first operation, on the coordinator's clock
	Operations int64     `json:"operations"`          // in its snapshot
	InResult   bool      `json:"in_result"`
	Cut        string    `json:"cut,omitempty"` // why it measured or recorded only a part of what it was to; empty: all of it
	Outages    []Outage  `json:"outages,omitempty"`

	Connections work.Connections `json:"connections,omitzero"`
	Engine      string           `json:"engine,omitempty"` // what sent its requests
	Self        *observe.Summary `json:"self,omitempty"`   // how the client itself did while it measured; nil: not known
	Limits      []observe.Limit  `json:"limits,omitempty"` // ways it was the bottleneck

	Recording string `json:"recording,omitempty"` // where the client keeps its own
	Err       string `json:"error,omitempty"`     // why it was dropped, or what went wrong on it
}

// Engines names what sent the requests of several clients: one name if they agree, else how many had which.
func Engines(clients []ClientReport) string {
	count := map[string]int{}
	for i := range clients {
		if name := clients[i].Engine; name != "" {
			count[name]++
		}
	}
	names := slices.Sorted(maps.Keys(count))
	if len(names) == 1 {
		return names[0]
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (%s)", name, units.Plural(int64(count[name]), "client"))
	}
	return strings.Join(names, ", ")
}

// SelfStats is how the client that made a recording did.
type SelfStats struct {
	Summary observe.Summary  `json:"summary"`
	Samples []observe.Sample `json:"samples"`
}

// selfStats sums up samples over the benchmark of a snapshot; nil if there are none.
func selfStats(samples []observe.Sample, s *aggregate.Snapshot) *SelfStats {
	from, to := s.Benchmark()
	if len(samples) == 0 || to.IsZero() {
		return nil
	}
	return &SelfStats{observe.Summarize(samples, from, to), samples}
}

// PartStats is how the client of one of several recordings did, for a report on all of them together.
type PartStats struct {
	Recording string          `json:"recording"` // its name
	Self      observe.Summary `json:"self"`
	Clients   []string        `json:"clients,omitempty"` // names of its clients in the figures; in recordings of before they are not known
}

// ClientLines returns a line for each client that made one of the recordings.
func (i *Info) ClientLines() (lines []string) {
	if i.Self != nil {
		if line := i.Self.Summary.Line(); line != "" {
			lines = append(lines, line)
		}
	}
	for k := range i.Parts {
		lines = appendLine(lines, i.Parts[k].Recording, &i.Parts[k].Self)
	}
	return lines
}

// ReportLines returns a line for each client of a distributed run.
func (i *Info) ReportLines() (lines []string) {
	for _, r := range i.Clients {
		if r.Self != nil {
			lines = appendLine(lines, fmt.Sprintf("%s (%s)", r.Addr, r.ID), r.Self)
		}
	}
	return lines
}

// appendLine adds the line of one client of several, if anything is known of it.
func appendLine(lines []string, name string, self *observe.Summary) []string {
	if text, known := strings.CutPrefix(self.Line(), "Client: "); known {
		return append(lines, "Client "+name+": "+text)
	}
	return lines
}

// AllClients returns the clients of several recordings or of a distributed run, for a JSON report; nil if none is known.
func (i *Info) AllClients() (list []any) {
	for k := range i.Clients {
		list = append(list, &i.Clients[k])
	}
	for k := range i.Parts {
		list = append(list, &i.Parts[k])
	}
	return list
}

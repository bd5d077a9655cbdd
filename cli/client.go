package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"warp/pkg/aggregate"
	"warp/pkg/distributed"
	"warp/pkg/observe"
)

// client is how the client itself did, for a report.
type client struct {
	Summary observe.Summary  `json:"summary"`
	Samples []observe.Sample `json:"samples"`
}

// observed sums up the samples of a run over its benchmark: from the first window to the end of the last.
func observed(samples []observe.Sample, s *aggregate.Snapshot) *client {
	from, to := s.Benchmark()
	if len(samples) == 0 || to.IsZero() {
		return nil
	}
	return &client{observe.Summarize(samples, from, to), samples}
}

// json is the client's part of a report; nothing if it is not known.
func (c *client) json() (json.RawMessage, error) {
	if c == nil {
		return nil, nil
	}
	return json.Marshal(c)
}

// line is the client in one line; empty if it is not known.
func (c *client) line() string {
	if c == nil {
		return ""
	}
	return c.Summary.Line()
}

// clientLines are the clients of a run, in a line each, as far as they are known.
func clientLines(reports []distributed.ClientReport) (lines []string) {
	for _, r := range reports {
		if r.Self == nil {
			continue
		}
		if line := clientLine(fmt.Sprintf("%s (%s)", r.Addr, r.ID), r.Self); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// clientLine is one client of several in one line; empty if nothing is known.
func clientLine(name string, self *observe.Summary) string {
	text, known := strings.CutPrefix(self.Line(), "Client: ")
	if !known {
		return ""
	}
	return "Client " + name + ": " + text
}

// warnings say whether the client was the limit.
func (c *client) warnings() []string {
	if c == nil {
		return nil
	}
	return c.Summary.Verdict()
}

package coordinator

import (
	"fmt"
	"strings"
)

// incomplete is what the result lacks because of clients; c.mu is held. The figures alone do not show it.
func (c *coordinator) incomplete() string {
	var missing, cut, unrecorded, lost, failed int
	for _, m := range c.members {
		switch {
		case !m.inResult:
			missing++
		case m.cut != "":
			cut++
		case m.unrecorded:
			unrecorded++
		case m.err != nil:
			lost++
		case m.report != nil && m.report.Err != "" && !m.report.Stopped:
			failed++
		}
	}
	var parts []string
	if missing > 0 {
		parts = append(parts, fmt.Sprintf("the result covers %d of %d clients", len(c.members)-missing, len(c.members)))
	}
	for _, p := range []struct {
		clients int
		did     string
	}{
		{cut, "measured only a part of the benchmark"},
		{unrecorded, "are missing in the merged recording, at least in part"},
		{lost, "were lost after the benchmark, before the end of the clean-up"},
		{failed, "failed after the benchmark"},
	} {
		if p.clients > 0 {
			parts = append(parts, fmt.Sprintf("%d of %d clients %s", p.clients, len(c.members), p.did))
		}
	}
	return strings.Join(parts, "; ")
}

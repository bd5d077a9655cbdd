package coordinator

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/pkg/bench"
	"warp/pkg/runinfo"
)

const (
	maxDrift    = 50 * time.Millisecond // how far clocks may drift apart during a run without a warning
	maxOutages  = 10                    // how many outages of a client are listed
	maxPrefixes = 32                    // how many prefixes of a client's objects are listed
)

// condition is a text that applies if the condition holds.
type condition struct {
	holds bool
	text  string
}

// firstOf returns the text of the first condition that holds; empty: none does.
func firstOf(list []condition) string {
	for _, c := range list {
		if c.holds {
			return c.text
		}
	}
	return ""
}

// warningsOf returns what a reader of a result must know about its clients.
func warningsOf(members []*member, r *Result, phases int) (w []string) {
	add := func(text string) {
		if text != "" {
			w = append(w, text)
		}
	}
	if r.InResult < len(members) {
		add(fmt.Sprintf("the result covers %d of %d clients; the operations of the others are missing, although the store served them",
			r.InResult, len(members)))
	}
	for _, m := range members {
		for i := range m.outages {
			add(outageWarning(m, i, r.Start))
		}
		add(partWarning(m, phases))
		for _, text := range m.contribution.end.Warnings {
			add(fmt.Sprintf("client %s: %s", m.addr, text))
		}
	}
	for i := range r.Clients {
		for _, l := range r.Clients[i].Limits {
			add(fmt.Sprintf("client %s: %s", l.Client, l))
		}
	}
	return w
}

// outageWarning describes an outage of a client.
func outageWarning(m *member, i int, start time.Time) string {
	o, inResult := &m.outages[i], m.contribution.inResult
	when := outageText(o, start)
	return firstOf([]condition{
		{o.Final && inResult, fmt.Sprintf("client %s was lost after the handover of its results: %v", m.addr, m.err)},
		{o.Final, fmt.Sprintf("client %s is missing from the result: the connection was lost %s (%v)", m.addr, when, m.err)},
		{!inResult || i > maxOutages, ""}, // its absence is reported already
		{i == maxOutages, fmt.Sprintf("the connection to client %s was lost %d more times", m.addr, len(m.outages)-i)},
		{true, fmt.Sprintf("the connection to client %s was lost %s; it went on measuring, and nothing is missing", m.addr, when)},
	})
}

// outageText says which part of the benchmark an outage affected.
func outageText(o *runinfo.Outage, start time.Time) string {
	at := func(t time.Time) int { return max(0, int(t.Sub(start).Seconds())) }
	if o.Final {
		return fmt.Sprintf("from second %d on", at(o.From))
	}
	return fmt.Sprintf("from second %d to %d", at(o.From), at(o.To))
}

// partWarning says which part of a client's measurement the result lacks; empty: none, or its loss is reported elsewhere.
func partWarning(m *member, phases int) string {
	c := &m.contribution
	return firstOf([]condition{
		{c.leftOut, fmt.Sprintf("client %s is left out of the result, because it measured only a part of the benchmark: %s. "+
			"The result covers the time when the others were measuring; its own recording has its measurements", m.addr, c.cut)},
		{c.finished > 0 && c.inResult, fmt.Sprintf("client %s finished %d of %d phases: %s. "+
			"The result has no operations of it in later ones, which its own recording has", m.addr, c.finished, phases, c.cut)},
		{c.cut != "" && c.inResult, fmt.Sprintf("client %s measured only a part of the benchmark: %s. "+
			"The active window ends where it ended", m.addr, c.cut)},
		{m.err == nil && !c.inResult, fmt.Sprintf("client %s handed over no results", m.addr)},
	})
}

// drift says how far the clock of a client moved during the run; empty: hardly.
func drift(m *member) string {
	end := m.contribution.endClock
	if end == nil {
		return ""
	}
	moved := end.Offset - m.clock.Offset
	if moved.Abs() <= maxDrift+end.RTT/2+m.clock.RTT/2 {
		return ""
	}
	return fmt.Sprintf("the clock of client %s moved by %v against this machine's during the run; "+
		"its times are corrected as if it moved evenly",
		m.addr, moved.Round(time.Millisecond))
}

// leftoverWarnings lists where objects may be left: below the prefixes of clients that were lost before they reported their clean-up.
func leftoverWarnings(members []*member, plan *bench.Compiled, stage string) (w []string) {
	alive := slices.ContainsFunc(members, func(m *member) bool { return m.err == nil })
	willDelete := alive && plan.SharedData && stage != bench.StageCleanup
	for _, m := range members {
		if m.err == nil || m.progress.done != nil || hasSuccessor(m, willDelete) {
			continue
		}
		prefixes, more := plan.Prefixes(uint64(m.index)), ""
		if len(prefixes) == 0 {
			continue
		}
		if n := len(prefixes); n > maxPrefixes {
			prefixes, more = prefixes[:maxPrefixes], fmt.Sprintf(" and %d more", n-maxPrefixes)
		}
		const left = "client %s was lost before its clean-up: unless it still runs and cleans up by itself, " +
			"its objects are left in bucket %q, below %q%s"
		w = append(w, fmt.Sprintf(left, m.addr, plan.Target.OfClient(uint64(m.index)).Bucket, prefixes, more))
	}
	return w
}

// hasSuccessor reports whether another client deletes the lost one's part of shared data. willDelete: one will if none does yet.
func hasSuccessor(m *member, willDelete bool) bool {
	if s := m.successor; s != nil {
		return s.err == nil || s.progress.done != nil
	}
	return willDelete
}

// incomplete says what the result lacks because of clients. The figures alone do not show it.
func incomplete(members []*member) string {
	var missing, cut, unrecorded, lost, failed int
	for _, m := range members {
		c, done := &m.contribution, m.progress.done
		switch {
		case !c.inResult:
			missing++
		case c.cut != "":
			cut++
		case c.unrecorded:
			unrecorded++
		case m.err != nil:
			lost++
		case done != nil && done.Err != "" && !done.Stopped:
			failed++
		}
	}
	var parts []string
	for _, p := range []struct {
		clients int
		text    string
	}{
		{missing, fmt.Sprintf("the result covers %d of %d clients", len(members)-missing, len(members))},
		{cut, fmt.Sprintf("%d of %d clients measured only a part of the benchmark", cut, len(members))},
		{unrecorded, fmt.Sprintf("%d of %d clients are missing in the merged recording, at least in part", unrecorded, len(members))},
		{lost, fmt.Sprintf("%d of %d clients were lost after the benchmark, before the end of the clean-up", lost, len(members))},
		{failed, fmt.Sprintf("%d of %d clients failed after the benchmark", failed, len(members))},
	} {
		if p.clients > 0 {
			parts = append(parts, p.text)
		}
	}
	return strings.Join(parts, "; ")
}

package coordinator

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/runinfo"
	"warp/pkg/search"
	"warp/pkg/trace"
)

// Result is the result of a distributed run.
type Result struct {
	Snapshot    *aggregate.Snapshot    `json:"snapshot"` // of all clients that handed over, exactly
	Clients     []runinfo.ClientReport `json:"clients"`  // in the order in which they were named
	InResult    int                    `json:"in_result"`
	Operations  int64                  `json:"operations"` // in the merged recording
	Start       time.Time              `json:"start"`      // common to all clients
	Skew        time.Duration          `json:"skew_ns"`    // from the first client's first operation to the last client's
	Interrupted bool                   `json:"interrupted,omitempty"`
	Stable      bool                   `json:"stable,omitempty"`
	Warnings    []string               `json:"warnings,omitempty"`
	Notes       []string               `json:"notes,omitempty"`     // what workloads say of their run on each client
	Schedules   []bench.ScheduleStats  `json:"schedules,omitempty"` // of open loops, of all clients together
	Contents    []bench.ContentStats   `json:"contents,omitempty"`
	Replays     []trace.Replayed       `json:"replays,omitempty"`
	Searches    []search.Record        `json:"searches,omitempty"`   // of phases that look for the highest load
	Incomplete  string                 `json:"incomplete,omitempty"` // what the result lacks; empty: nothing
	Left        bool                   `json:"left,omitempty"`       // of clients that were lost, or could not remove all objects
}

// maxDrift is how far clocks may drift apart during a run without a warning.
const maxDrift = 50 * time.Millisecond

// describe fills in the client reports; c.mu is held.
func describe(c *coordinator) {
	r := c.result
	r.Start, r.Clients, r.Notes, r.Schedules, r.Contents, r.InResult, r.Operations = c.start, nil, slices.Clone(c.notes), nil, nil, 0, 0
	r.Searches, r.Replays = nil, nil
	for _, s := range c.searches {
		r.Searches = append(r.Searches, s.Record)
	}
	var first, last time.Time
	for _, m := range c.members {
		p := runinfo.ClientReport{
			Addr: m.addr, ID: m.id, Host: string(m.greeting.Host), Version: string(m.greeting.Version), Clock: m.clock, ClockEnd: m.endClock,
			First: m.first, Operations: m.requests, InResult: m.inResult, Cut: m.cut, Outages: m.outages,
			Connections: m.end.Connections, Engine: string(m.end.Engine), Self: m.end.Client,
		}
		if p.Self != nil && p.InResult {
			for _, l := range c.opts.Limits(p.Self, runinfo.Shares(r.Snapshot, r.Searches, m.id)...) {
				l.Client = m.addr
				p.Limits = append(p.Limits, l)
			}
		}
		p.Connections.TLS = nil
		for _, text := range m.end.TLS {
			p.Connections.TLS = append(p.Connections.TLS, string(text))
		}
		for _, text := range m.end.Notes {
			r.Notes = append(r.Notes, fmt.Sprintf("client %s: %s", m.addr, text))
		}
		for _, s := range m.schedules() {
			s.ScheduleStats.Stream = string(s.Stream)
			r.Schedules = bench.AddSchedules(r.Schedules, []bench.ScheduleStats{s.ScheduleStats})
		}
		for _, s := range m.end.Contents {
			s.ContentStats.Set = string(s.Set)
			r.Contents = bench.AddContents(r.Contents, []bench.ContentStats{s.ContentStats})
		}
		r.Replays = trace.AddReplayed(r.Replays, replaysOf(c, m))
		r.Operations += m.handed
		r.Interrupted = r.Interrupted || m.end.Interrupted && !m.leftOut && m.finished == 0 // the others went on
		if m.inResult {
			r.InResult++
		}
		if m.report != nil {
			p.Recording, p.Err = string(m.report.Recording), string(m.report.Err)
		}
		if m.err != nil {
			p.Err = m.err.Error()
		}
		if !m.first.IsZero() {
			if first.IsZero() || m.first.Before(first) {
				first = m.first
			}
			if m.first.After(last) {
				last = m.first
			}
		}
		r.Clients = append(r.Clients, p)
	}
	r.Skew, r.Stable = last.Sub(first), c.stable
	r.Interrupted = r.Interrupted || c.stopping && !r.Stable
	r.Incomplete = incomplete(c.members)
}

// outageText says which part of the benchmark an outage affected.
func outageText(o runinfo.Outage, start time.Time) string {
	at := func(t time.Time) int { return max(0, int(t.Sub(start).Seconds())) }
	if o.Final {
		return fmt.Sprintf("from second %d on", at(o.From))
	}
	return fmt.Sprintf("from second %d to %d", at(o.From), at(o.To))
}

// warnings are what a reader of the result must know; c.mu is held.
func warnings(c *coordinator) []string {
	var w []string
	w = append(w, c.cut...)
	add := func(format string, args ...any) { w = append(w, fmt.Sprintf(format, args...)) }
	if c.result.InResult < len(c.members) {
		add("the result covers %d of %d clients; the operations of the others are missing, although the store served them", c.result.InResult, len(c.members))
	}
	for _, m := range c.members {
		for i, o := range m.outages {
			switch {
			case o.Final && m.inResult:
				add("client %s was lost after the handover of its results: %v", m.addr, m.err)
			case o.Final:
				add("client %s is missing from the result: the connection was lost %s (%v)", m.addr, outageText(o, c.start), m.err)
			case !m.inResult: // its absence is reported already
			case i == maxOutages:
				add("the connection to client %s was lost %d more times", m.addr, len(m.outages)-i)
			case i < maxOutages:
				add("the connection to client %s was lost %s; it went on measuring, and nothing is missing", m.addr, outageText(o, c.start))
			}
		}
		switch {
		case m.leftOut:
			add("client %s is left out of the result, because it measured only a part of the benchmark: %s. The result covers the time in which the others were at work; its own recording has its measurements", m.addr, m.cut)
		case m.finished > 0 && m.inResult:
			add("client %s finished %d of %d phases: %s. The result has no operations of it in later ones, which its own recording has", m.addr, m.finished, len(c.plan.Phases), m.cut)
		case m.cut != "" && m.inResult:
			add("client %s measured only a part of the benchmark: %s. The active window ends where it ended", m.addr, m.cut)
		case m.err == nil && !m.inResult:
			add("client %s handed over no results", m.addr)
		}
		for _, text := range m.end.Warnings {
			add("client %s: %s", m.addr, text)
		}
	}
	for i := range c.result.Clients {
		for _, l := range c.result.Clients[i].Limits {
			add("client %s: %s", l.Client, l)
		}
	}
	return append(w, leftBehind(c)...)
}

// maxOutages is how many outages of a client are listed.
const maxOutages = 10

// maxTraces is how many prefixes of a client's objects are listed.
const maxTraces = 32

// leftBehind lists where objects may be left: those of clients that were lost before they reported their clean-up; c.mu is
// held.
func leftBehind(c *coordinator) (w []string) {
	for _, m := range c.members {
		if m.err == nil || m.report != nil || hasSuccessor(c, m) {
			continue
		}
		traces, more := c.plan.Prefixes(uint64(m.index)), ""
		if len(traces) == 0 {
			continue
		}
		if n := len(traces); n > maxTraces {
			traces, more = traces[:maxTraces], fmt.Sprintf(" and %d more", n-maxTraces)
		}
		const left = "client %s was lost before its clean-up: unless it still runs and cleans up by itself, " +
			"its objects are left in bucket %q, below %q%s"
		w = append(w, fmt.Sprintf(left, m.addr, c.plan.Target.Bucket, traces, more))
	}
	return w
}

// hasSuccessor reports whether another client deletes the lost one's part of shared data, or will do so.
func hasSuccessor(c *coordinator, m *member) bool {
	if h := m.successor; h != nil {
		return h.err == nil || h.report != nil
	}
	alive := func(other *member) bool { return other.err == nil }
	return c.plan.SharedData && c.stage != bench.StageCleanup && slices.ContainsFunc(c.members, alive)
}

// partialResult is the result before the clean-up; c.mu is held.
func partialResult(c *coordinator) *Result {
	describe(c)
	r := *c.result
	r.Warnings = append(warnings(c), r.Warnings...)
	return &r
}

// completeResult completes the result at the end of the run; c.mu is held.
func completeResult(c *coordinator) {
	r := partialResult(c)
	c.result = r
	r.Left = len(leftBehind(c)) > 0 || slices.ContainsFunc(c.members, func(m *member) bool { return m.report != nil && m.report.Left })
	add := func(format string, args ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...)) }
	for _, m := range c.members {
		if m.report != nil && m.report.Err != "" {
			add("client %s: %s", m.addr, m.report.Err)
		}
		if m.endClock == nil {
			continue
		}
		if drift := m.endClock.Offset - m.clock.Offset; drift.Abs() > maxDrift+m.endClock.RTT/2+m.clock.RTT/2 {
			add("the clock of client %s moved by %v against this machine's during the run; its times are corrected as if it moved evenly", m.addr, drift.Round(time.Millisecond))
		}
	}
}

// verdict is why there is no result; nil if there is one.
func verdict(c *coordinator) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.aborted != nil:
		err := c.aborted
		for _, text := range leftBehind(c) {
			err = errors.Join(err, fmt.Errorf("%s; \"warp clean\" with its own recording removes them", text))
		}
		return err
	case !c.begun:
		return c.startErrors(&barrier{}) // no client reached the first barrier
	case c.result.InResult > 0:
		return nil
	}
	return fmt.Errorf("no client handed over results:\n%s", strings.Join(c.result.Warnings, "\n"))
}

// incomplete is what the result lacks because of clients. The figures alone do not show it.
func incomplete(members []*member) string {
	var missing, cut, unrecorded, lost, failed int
	for _, m := range members {
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
		parts = append(parts, fmt.Sprintf("the result covers %d of %d clients", len(members)-missing, len(members)))
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
			parts = append(parts, fmt.Sprintf("%d of %d clients %s", p.clients, len(members), p.did))
		}
	}
	return strings.Join(parts, "; ")
}

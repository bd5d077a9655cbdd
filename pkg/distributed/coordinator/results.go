package coordinator

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/bench/replay/parts"
	"warp/pkg/distributed/transport"
	"warp/pkg/runinfo"
	"warp/pkg/trace"
)

// results collects the parts of the result that are not contributions of clients. The coordinator's lock guards it.
type results struct {
	opts     *Options
	plan     *bench.Compiled
	snapshot *aggregate.Snapshot // of the clients in the result; nil: there are none
	cut      []string            // warnings of phases that were interrupted
	notes    []string            // of phases that ended because their throughput was stable
	stable   bool                // a phase did
	warnings []string            // of the coordinator itself
	aborted  error               // why the benchmark did not begin
}

// warn adds a warning of the coordinator itself.
func (r *results) warn(format string, args ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
}

// abort records why the phase after a number of phases does not begin. What was measured before is reported. failure is the error of a
// program, if one failed.
func (r *results) abort(why, failure error, p *phases, after int) {
	switch {
	case !p.begun || failure != nil && !p.measuring:
		r.aborted = why
	case failure != nil:
		r.cut = append(r.cut, fmt.Sprintf("the run ended after phase %d of %d: %v", after, len(r.plan.Phases), why))
	}
}

// add adds the statistics of a client.
func (r *results) add(s *aggregate.Snapshot) error {
	if r.snapshot == nil {
		r.snapshot = &aggregate.Snapshot{Order: r.opts.Statistics.Order}
	}
	if len(r.opts.Clients) > 1 && r.plan.Common() {
		// Its first read of an object need not be the first of all clients; that takes the merged recording.
		for _, g := range s.Groups {
			g.FirstAccess, g.FirstAccessTTFB, g.LastAccess, g.LastAccessTTFB = nil, nil, nil, nil
		}
	}
	if err := r.snapshot.Merge(s); err != nil {
		return transport.Violationf("%s", err.Error())
	}
	return nil
}

// partial returns the result before the clean-up.
func (r *results) partial(members []*member, p *phases, s *searches) *Result {
	x := &Result{
		Snapshot:   r.snapshot,
		Start:      p.start,
		Skew:       skew(members),
		Stable:     r.stable,
		Notes:      slices.Clone(r.notes),
		Searches:   s.records(),
		Incomplete: incomplete(members),
	}
	for _, m := range members {
		r.addClient(x, m)
	}
	x.Interrupted = x.Interrupted || p.stopping && !x.Stable
	x.Warnings = slices.Concat(r.cut, warningsOf(members, x, len(r.plan.Phases)), leftoverWarnings(members, r.plan, p.stage), r.warnings)
	return x
}

// addClient adds the contribution of a client to a result.
func (r *results) addClient(x *Result, m *member) {
	c, report := &m.contribution, m.report()
	if c.end.Client != nil && c.inResult {
		for _, l := range r.opts.Limits(c.end.Client, runinfo.Shares(x.Snapshot, x.Searches, m.id)...) {
			l.Client = m.addr
			report.Limits = append(report.Limits, l)
		}
	}
	for _, text := range c.end.Notes {
		x.Notes = append(x.Notes, fmt.Sprintf("client %s: %s", m.addr, text))
	}
	for _, s := range c.schedules() {
		s.ScheduleStats.Stream = string(s.Stream)
		x.Schedules = bench.AddSchedules(x.Schedules, []bench.ScheduleStats{s.ScheduleStats})
	}
	for _, s := range c.end.Contents {
		s.ContentStats.Set = string(s.Set)
		x.Contents = bench.AddContents(x.Contents, []bench.ContentStats{s.ContentStats})
	}
	x.Replays = trace.AddReplayed(x.Replays, r.replays(m))
	x.Operations += c.recorded
	x.Interrupted = x.Interrupted || c.end.Interrupted && !c.leftOut && c.finished == 0 // the others went on
	if c.inResult {
		x.InResult++
	}
	x.Clients = append(x.Clients, report)
}

// replays returns how a client replayed its parts of traces. What is not in the result counts as in the trace, and not as sent.
func (r *results) replays(m *member) (list []trace.Replayed) {
	c := &m.contribution
	if c.inResult {
		for _, d := range c.end.Replays {
			d.Replayed.Stream = string(d.Stream)
			list = append(list, d.Replayed)
		}
	}
	if c.inResult && c.finished == 0 {
		return list
	}
	for _, d := range parts.Unreplayed(r.plan, traces(r.opts.Traces).parts(m.index)) {
		if !slices.ContainsFunc(list, func(has trace.Replayed) bool { return has.Stream == d.Stream }) {
			list = append(list, d)
		}
	}
	return list
}

// skew is the time from the first client's first operation to the last client's.
func skew(members []*member) time.Duration {
	var first, last time.Time
	for _, m := range members {
		at := m.contribution.first
		if at.IsZero() {
			continue
		}
		if first.IsZero() || at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
	}
	return last.Sub(first)
}

// complete returns the result at the end of the run.
func (r *results) complete(members []*member, p *phases, s *searches) *Result {
	x := r.partial(members, p, s)
	x.Left = len(leftoverWarnings(members, r.plan, p.stage)) > 0
	for _, m := range members {
		if done := m.progress.done; done != nil {
			x.Left = x.Left || done.Left
			if done.Err != "" {
				x.Warnings = append(x.Warnings, fmt.Sprintf("client %s: %s", m.addr, done.Err))
			}
		}
		if text := drift(m); text != "" {
			x.Warnings = append(x.Warnings, text)
		}
	}
	return x
}

// verdict returns why there is no result; nil if there is one. start is the error of the first phase, if none began.
func (r *results) verdict(x *Result, members []*member, p *phases, start error) error {
	switch {
	case r.aborted != nil:
		err := r.aborted
		for _, text := range leftoverWarnings(members, r.plan, p.stage) {
			err = errors.Join(err, fmt.Errorf("%s; \"warp clean\" with its own recording removes them", text))
		}
		return err
	case !p.begun:
		return start // no client reached the first barrier
	case x.InResult > 0:
		return nil
	}
	return fmt.Errorf("no client handed over results:\n%s", strings.Join(x.Warnings, "\n"))
}

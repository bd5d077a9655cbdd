package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/compare"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/search"
	"warp/pkg/units"
)

// Search prints a search for people: what it found, and each trial. The snapshot has the figures of the trials; it may be nil.
func Search(w io.Writer, rec *search.Record, s *aggregate.Snapshot, o TextOptions) error {
	r := &searchReport{printer: newPrinter(o.Color, o.Width), Record: rec, result: rec.Result(), s: s}
	r.emit(r.head, rule)
	r.line(r.head, r.headline())
	r.blank()
	for _, text := range r.findings() {
		r.line(nil, text)
	}
	if len(rec.Trials) > 0 {
		r.blank()
		r.trialsTable()
	}
	_, err := w.Write(r.buf.Bytes())
	return err
}

// searchReport is a search being printed.
type searchReport struct {
	*printer
	*search.Record
	result search.Result
	s      *aggregate.Snapshot
}

// headline describes the search.
func (r *searchReport) headline() string {
	varied := "operations per second (open loop)"
	if r.Config.Control == search.Threads {
		varied = "threads (closed loop)"
	}
	return fmt.Sprintf("%s. Varied: %s. At most %d at a time.", searchTitle(r.Stream, r.Objectives()), varied, r.Config.MaxInflight)
}

// load writes a load of the kind that was varied.
func (r *searchReport) load(v float64) string { return Load(r.Config.Control, v) }

// findings are the sentences about the result.
func (r *searchReport) findings() (list []string) {
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	res, b := &r.result, &r.result.Boundary
	if i := r.HeldTrial(); i >= 0 {
		say("Held %s for %s: %s.", r.load(b.Held), units.Span(r.Trials[i].Duration), r.shareText(i, r.Worst(i)))
	}
	if i, confirmed := r.Confirmation(); confirmed {
		say("Confirmed by %s for %s: %s.", r.load(r.Trials[i].Level()), units.Span(r.Trials[i].Duration), r.shareText(i, r.Worst(i)))
	}
	switch res.Status {
	case search.ClientLimited:
		if b.Held == 0 {
			r.incomplete(say)
		}
		say("The client was the bottleneck at %s and above (%s), so the store may be able to do more: use more clients, or a client with "+
			"more CPU.", r.load(res.ClientLimit), r.limitText())
	case search.Unlimited:
		say("That is the most that --max-inflight allows; the store may be able to do more.")
	case search.Infeasible:
		last := r.lastOf(search.Floor)
		say("No load meets the objectives: at %s, %s.", r.load(r.Trials[last].Level()), r.shareText(last, r.Worst(last)))
	case search.Incomplete:
		switch {
		case b.Held == 0:
			r.incomplete(say)
		case b.Infeasible > 0:
			say("No boundary: there was too little time to confirm it. Use a longer --budget.")
		default:
			say("No higher load failed: there was too little time to try more. The store may be able to do more: use a longer --budget.")
		}
	}
	list = append(list, doubts(res)...)
	if i, _ := r.Confirmation(); res.Status == search.Unconfirmed {
		say("No boundary: %s, the low end of its interval, does not confirm it: in %s, %s.", r.load(r.Trials[i].Level()),
			units.Span(r.Trials[i].Duration), r.shareText(i, r.Worst(i)))
	}
	if b.Infeasible > 0 {
		say("Fails from %s.", r.load(b.Infeasible))
	}
	if len(b.CI) == 2 {
		say("Boundary: %s to %s (95%% interval of the estimate). %s", r.load(b.CI[0]), r.load(b.CI[1]), r.typeText())
	}
	if len(r.Config.Objectives) > 1 && res.Binding != "" {
		say("Fails first: %s.", res.Binding)
	}
	if res.Hysteresis {
		say("Hysteresis: a load that passed before the first failure does not pass any more. The store did not recover from overload.")
	}
	if res.Unseen > 0 {
		say("A bad period that comes less often than every %s may have been missed.", units.Span(res.Unseen))
	}
	say("%s in %s.", units.Plural(int64(len(r.Trials)), "trial"), units.Span(res.Spent.Round(time.Second)))
	return list
}

// doubts are the sentences about what speaks against a boundary.
func doubts(res *search.Result) (list []string) {
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if res.Status == search.NearTail {
		interval := ""
		if len(res.TailCI) == 2 {
			interval = fmt.Sprintf(" (95%% interval %s to %s)", percent(res.TailCI[0]), percent(res.TailCI[1]))
		}
		say("No boundary: the objective %s is too near to the store's own tail, or not shown to be far from it. At low loads %s of "+
			"operations are bad%s. Use a longer limit, one that allows more, or a longer --trial.", res.Binding, percent(res.Tail), interval)
	}
	if res.Drift != 0 {
		way := map[bool]string{true: "slower", false: "faster"}[res.Drift < 0]
		say("No boundary: the store got %s during the search, by about %s in a minute. What was held before need not be held later.", way,
			percent(math.Abs(res.Drift)))
	}
	if res.Status == search.Unsteady {
		number := make([]string, len(res.BadPeriods))
		for i, trial := range res.BadPeriods {
			number[i] = fmt.Sprint(trial + 1)
		}
		name := map[bool]string{true: "trial", false: "trials"}[len(number) == 1]
		say("No boundary: in %s %s a bad period made far more operations bad than the other trials let expect. How often such periods come "+
			"is not known; with them the store does less.", name, strings.Join(number, ", "))
	}
	return list
}

// incomplete describes what a search without a result has found.
func (r *searchReport) incomplete(say func(string, ...any)) {
	i := r.lastOf(search.Hold)
	switch {
	case i >= 0 && !r.Trials[i].ClientLimited:
		say("Not held: %s failed, and there was no time for less: %s.", r.load(r.Trials[i].Level()), r.shareText(i, r.Worst(i)))
	case r.result.Passed > 0:
		say("Nothing was held. The highest load that passed is %s.", r.load(r.result.Passed))
	default:
		say("Nothing was held, and no load passed.")
	}
	if c := r.lastOf(search.Capacity); c >= 0 && i < 0 {
		say("Capacity of a closed loop: %s op/s.", units.PerSecond(r.Trials[c].Achieved))
	}
}

// lastOf returns the index of the last trial of a purpose, or -1.
func (r *searchReport) lastOf(p search.Purpose) int {
	for i := len(r.Trials) - 1; i >= 0; i-- {
		if r.Trials[i].Purpose == p {
			return i
		}
	}
	return -1
}

// limitText returns by what the client was limited.
func (r *searchReport) limitText() string {
	for i := range r.Trials {
		if r.Trials[i].ClientLimited && r.Trials[i].Purpose != search.Capacity {
			return strings.TrimPrefix(r.Trials[i].Limit, observe.Prefix) // recordings of before had it
		}
	}
	return "as its own figures show"
}

// typeText describes the boundary.
func (r *searchReport) typeText() string {
	switch r.result.Boundary.Type {
	case search.Cliff:
		return "It is a cliff: a little above it, operations fail or are late by far; a little less load is safe."
	case search.Smooth:
		return "It is smooth: the share of bad operations rises gradually with the load."
	}
	return ""
}

// shareText describes the share of operations of a trial that were bad for an objective.
func (r *searchReport) shareText(trial, objective int) string {
	share, low, high, ok := r.Share(trial, objective)
	if !ok {
		return "no operation was counted"
	}
	o := r.Config.Objectives[objective]
	text := fmt.Sprintf("%s of operations %s, %s allowed (95%% interval %s to %s)", percent(share), badText(&o), percent(o.Allowed),
		percent(low), percent(high))
	if v, ok := r.metric(trial, &o); ok {
		text += fmt.Sprintf("; %s %s", o.Rule.Metric, units.Duration(v))
	}
	return text
}

// badText describes the operations that are bad for an objective.
func badText(o *search.Objective) string {
	kind := ""
	if o.Kind != "" {
		kind = " (" + o.Kind + ")"
	}
	switch {
	case o.Limit == 0:
		return "failed" + kind
	case o.FirstByte:
		return "had their first byte after " + units.Duration(o.Limit) + kind
	}
	return "took over " + units.Duration(o.Limit) + kind
}

// metric returns the percentile of an objective in a trial.
func (r *searchReport) metric(trial int, o *search.Objective) (time.Duration, bool) {
	g := r.group(trial, o)
	m, known := compare.Lookup(o.Rule.Metric)
	if g == nil || !known || o.Limit == 0 {
		return 0, false
	}
	v, enough, ok := m.Of(g, r.s.Segment)
	return time.Duration(v), enough && ok
}

// group returns the figures of a trial for the kind of operation of an objective; nil if there are none.
func (r *searchReport) group(trial int, o *search.Objective) (found *aggregate.Group) {
	if r.s == nil || trial >= len(r.Phases) || r.Phases[trial] == "" {
		return nil
	}
	for _, g := range r.s.Groups {
		if g.Phase != r.Phases[trial] || g.Phase == op.PhasePrepare || !o.Covers(string(g.Kind.Base())) {
			continue
		}
		if found != nil {
			return nil // the objective is about several kinds together
		}
		found = g
	}
	return found
}

// trialsTable prints a line for each trial.
func (r *searchReport) trialsTable() {
	latency := ""
	for i := range r.Config.Objectives {
		if o := &r.Config.Objectives[i]; o.Limit > 0 && latency == "" {
			latency = o.Rule.Metric
		}
	}
	rows := [][]string{{"trial", "load", "achieved/s", "operations", "bad", "95% interval", latency, "took", "result"}}
	for i := range r.Trials {
		rows = append(rows, r.row(i))
	}
	dropEmpty(rows, latency)
	last := len(rows[0]) - 1
	r.table(rows, func(column int) bool { return column == 0 || column == last })
}

// holds reports whether a trial is the one that held the load, or that confirmed the boundary.
func (r *searchReport) holds(trial int) bool {
	i, confirmed := r.Confirmation()
	return trial == r.HeldTrial() || confirmed && trial == i
}

// row returns the cells of a trial.
func (r *searchReport) row(i int) []string {
	o := &r.Trials[i]
	load := units.PerSecond(o.Rate) + "/s"
	if o.Rate == 0 {
		load = units.Plural(int64(o.Threads), "thread")
	}
	bad, interval, latency := "", "", ""
	worst := r.Worst(i)
	if share, low, high, ok := r.Share(i, worst); ok {
		bad, interval = percent(share), percent(low)+" to "+percent(high)
	}
	if v, ok := r.metric(i, &r.Config.Objectives[worst]); ok {
		latency = units.Duration(v)
	}
	verdict := string(r.result.Trials[i].Verdict)
	switch {
	case o.Purpose == search.Capacity:
		verdict, bad, interval = "", "", "" // it is to overload
	case o.ClientLimited:
		verdict += ": client-limited"
	case o.Aborted:
		verdict += ": backlog"
	case r.result.Trials[i].Verdict == search.Undecided && r.holds(i):
		verdict = "held"
	}
	return []string{
		fmt.Sprintf("%2d %s", i+1, o.Purpose), load, units.PerSecond(o.Achieved), fmt.Sprint(o.Operations()), bad, interval,
		latency, units.Span(o.Spent.Round(100 * time.Millisecond)), verdict,
	}
}

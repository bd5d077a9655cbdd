package cli

import (
	"encoding/json"
	"errors"
	"fmt"

	"warp/pkg/aggregate"
	"warp/pkg/aggregate/live"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/gate"
	"warp/pkg/op"
	"warp/pkg/recording"
	"warp/pkg/report"
	"warp/pkg/runinfo"
	"warp/pkg/units"
)

// reporter reports on a run and judges it.
type reporter struct {
	printer
	gate    gateFlags
	rules   rulesOfRun
	expect  []runinfo.Rule
	watches *ruleWatches // nil: no rule is about sliding windows
	budget  budget
}

// report ends the recording, prints its report and judges it.
func (r *reporter) report(rec *runFile, end *runinfo.End, live *live.State, watch *watcher) error {
	lost := rec.finish(end)
	opts, err := r.analyze.options()
	if err != nil {
		return err
	}
	if rec.count.total == 0 && len(end.Searches) == 0 {
		return errors.Join(lost, errors.New("no operation was over when the benchmark ended, so there is nothing to report; use a longer --duration"))
	}
	var v *reportView
	if lost == nil && !rec.none {
		v, lost = r.recorded(rec, end, opts)
	}
	if v == nil || lost != nil {
		if v, err = r.unrecorded(rec, end, live, opts, lost); err != nil {
			return errors.Join(lost, err)
		}
	} else {
		defer watch.inform(fmt.Sprintf("Operations are recorded in %s. %s", rec.path, reportAgain(rec.path)))
	}
	return errors.Join(lost, r.conclude(v, rec.count))
}

// conclude prints the report of a run, on this machine or by clients, and judges it.
func (r *reporter) conclude(v *reportView, count tally) error {
	v.expected = judge(r.expect, v.snapshot, v.watches)
	rulings := r.rules.judge(v.snapshot, v.Searches)
	v.rulings = rulings.reported(v.expected)
	tooMany := fmt.Errorf("%d of %d operations failed; --max-errors allows %s", count.failed, count.total, r.out.maxErrors)
	exceeded, verdict := r.budget.broken(count.failed, count.total), gate.Held
	if exceeded {
		verdict = gate.Broken
	}
	if exceeded || r.out.maxErrors != "0" { // the default goes without saying: an analysis of the recording does not know it
		v.rulings = append(v.rulings, report.Ruling{
			Source:  report.MaxErrors,
			Rule:    r.out.maxErrors,
			Verdict: verdict,
			Found:   fmt.Sprintf("%d of %d operations failed", count.failed, count.total),
		})
	}
	if err := r.print(v); err != nil {
		return err
	}
	err := errors.Join(rulings.err(), unmet(v.expected), r.rules.unanswered(v.Searches))
	if exceeded {
		err = errors.Join(err, withCode(exitErrors, tooMany))
	}
	return err
}

// newRecording makes the recording of a run, which says at once when it cannot be written any more.
func newRecording(base string, o *outputFlags, h recording.Header, opts aggregate.Options, watch *watcher) (*runFile, error) {
	if o.stress {
		return &runFile{header: h, none: true}, nil
	}
	rec, err := createRecording(base, o.overwrite, h, opts.Rule)
	if err != nil {
		return nil, err
	}
	rec.onFail = func(err error) {
		watch.Notice(fmt.Sprintf("Warning: the recording %s cannot be written any more: %v. The run goes on; its report will be of the live statistics.", rec.path, withoutPath(err)))
	}
	return rec, nil
}

// recorded is the report of the recording. The error says what it lacks, if it is not what was written.
func (r *reporter) recorded(rec *runFile, end *runinfo.End, opts aggregate.Options) (*reportView, error) {
	if err := rec.checkFile(); err != nil {
		return nil, err
	}
	src, err := openInputs(r.env, r.out.quiet, rec.path)
	if err != nil {
		return nil, err
	}
	defer src.close()
	v, err := readReport(opts, src.list...)
	if err != nil {
		return nil, fmt.Errorf("recording %s: it cannot be read any more, so it was probably changed while the run went on: %w", rec.path, err)
	}
	return v, rec.checkCount(v.operations)
}

// unrecorded is the report of the live statistics, because the recording lacks what lost says; with nil there is no recording.
func (r *reporter) unrecorded(rec *runFile, end *runinfo.End, live *live.State, opts aggregate.Options, lost error) (*reportView, error) {
	text, err := json.Marshal(end)
	if err != nil {
		return nil, fmt.Errorf("encode the end of the run: %w", err)
	}
	v := &reportView{snapshot: live.Overall(), live: true, watches: r.watches}
	v.only(opts.Op)
	what := "the figures are live statistics: latencies of all operations, rates from the first start until the first thread had nothing left to do"
	about := &aggregate.Inputs{Headers: []recording.Header{rec.header}, Ends: []json.RawMessage{text}}
	if lost == nil {
		v.extra = []string{"No recording (--stress): " + what}
	} else {
		what += ": " + lost.Error()
		if flags := r.analyze.needRecording(); flags != "" {
			what += "; not available without the recording: " + flags
		}
		about.Incomplete = []string{what}
	}
	v.Info = *runinfo.Describe([]recording.Input{{Name: rec.path}}, about, v.snapshot)
	return v, nil
}

// reportClients prints the report on all clients together, and judges it.
func (r *reporter) reportClients(res *coordinator.Result, head *runinfo.Head, marks []runinfo.Mark) error {
	plan, err := json.Marshal(head.Plan)
	if err != nil {
		return err
	}
	head.Engine = runinfo.Engines(res.Clients)
	v := &reportView{snapshot: res.Snapshot, watches: r.watches, Info: runinfo.Info{Marks: marks, Head: *head, Plan: plan, Warnings: res.Warnings, Notes: res.Notes, Schedules: res.Schedules, Contents: res.Contents, Replays: res.Replays, Searches: res.Searches, Clients: res.Clients, Incomplete: incompleteReasons(res)}}
	v.WarnIncomplete()
	for i := range res.Clients {
		v.Limits = append(v.Limits, res.Clients[i].Limits...)
	}
	v.addSteps()
	v.extra = []string{fmt.Sprintf("Clients: %d of %d, start skew %s", res.InResult, len(res.Clients), units.Duration(res.Skew))}
	var c tally
	for _, g := range res.Snapshot.Groups {
		if g.Phase != op.PhasePrepare && !g.Kind.Whole() {
			c.failed, c.total = c.failed+g.Errors, c.total+g.Requests
		}
	}
	return r.conclude(v, c)
}

// incompleteError is an error if clients were lost, stopped early or failed.
func incompleteError(r *coordinator.Result) error {
	if r == nil || r.Incomplete == "" {
		return nil
	}
	return withCode(exitIncomplete, errors.New(r.Incomplete))
}

// incompleteReasons says why a run is incomplete.
func incompleteReasons(r *coordinator.Result) []string {
	switch {
	case r.Incomplete != "":
		return []string{r.Incomplete}
	case r.Interrupted:
		return []string{runinfo.StoppedEarly}
	}
	return nil
}

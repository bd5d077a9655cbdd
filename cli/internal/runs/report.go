package runs

import (
	"encoding/json"
	"errors"
	"fmt"

	"warp/cli/internal/files"
	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/progress"
	"warp/cli/internal/reports"
	"warp/cli/internal/rules"
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
	reports.Printer
	Gate    rules.Flags
	rules   rules.Rules
	Expect  []runinfo.Rule
	watches *rules.Watches // nil: no rule is about sliding windows
	budget  flags.Budget
	results results
}

// report ends the recording, prints its report and judges it.
func (r *reporter) report(rec *runFile, end *runinfo.End, live *live.State, watch *progress.Watcher) error {
	lost := rec.finish(end)
	opts, err := r.Analyze.Options()
	if err != nil {
		return err
	}
	if rec.count.total == 0 && len(end.Searches) == 0 {
		return errors.Join(lost,
			errors.New("no operation was over when the benchmark ended, so there is nothing to report; use a longer --duration"))
	}
	var v *reports.Report
	if lost == nil && !rec.none {
		v, lost = r.recorded(rec, end, opts)
	}
	if v == nil || lost != nil {
		if v, err = r.unrecorded(rec, end, live, opts, lost); err != nil {
			return errors.Join(lost, err)
		}
	} else {
		defer watch.Inform(fmt.Sprintf("Operations are recorded in %s.", rec.path))
	}
	path := rec.path
	if lost != nil || rec.none {
		path = ""
	}
	return errors.Join(lost, r.conclude(v, rec.count), r.writeResults(path, watch.Notice))
}

// conclude prints the report of a run, on this machine or by clients, and judges it.
func (r *reporter) conclude(v *reports.Report, count tally) error {
	v.Expected = rules.Judge(r.Expect, v.Snapshot, v.Watches)
	if r.Env.OnReport != nil {
		r.Env.OnReport(v.Snapshot)
	}
	rulings := r.rules.Judge(v.Snapshot, v.Searches)
	v.Rulings = rulings.Reported(v.Expected)
	tooMany := fmt.Errorf("%d of %d operations failed; --max-errors allows %s", count.failed, count.total, r.Out.MaxErrors)
	exceeded, verdict := r.budget.Broken(count.failed, count.total), gate.Held
	if exceeded {
		verdict = gate.Broken
	}
	if exceeded || r.Out.MaxErrors != "0" { // the default goes without saying: an analysis of the recording does not know it
		v.Rulings = append(v.Rulings, report.Ruling{
			Source:  report.MaxErrors,
			Rule:    r.Out.MaxErrors,
			Verdict: verdict,
			Found:   fmt.Sprintf("%d of %d operations failed", count.failed, count.total),
		})
	}
	if err := r.Print(v); err != nil {
		return err
	}
	err := errors.Join(rulings.Err(), rules.Unmet(v.Expected), r.rules.Unanswered(v.Searches))
	if exceeded {
		err = errors.Join(err, process.WithCode(process.ExitErrors, tooMany))
	}
	return err
}

// newRecording makes the recording of a run, which says at once when it cannot be written any more.
func newRecording(base string, o *flags.Output, h recording.Header, opts aggregate.Options, watch *progress.Watcher) (*runFile, error) {
	if o.Stress {
		return &runFile{header: h, none: true}, nil
	}
	rec, err := createRecording(base, o.Overwrite, h, opts.Rule)
	if err != nil {
		return nil, err
	}
	rec.onFail = func(err error) {
		watch.Notice(fmt.Sprintf("Warning: the recording %s cannot be written any more: %v. The run goes on; its report will "+
			"be of the live statistics.", rec.path, files.WithoutPath(err)))
	}
	return rec, nil
}

// recorded is the report of the recording. The error says what it lacks, if it is not what was written.
func (r *reporter) recorded(rec *runFile, end *runinfo.End, opts aggregate.Options) (*reports.Report, error) {
	if err := rec.checkFile(); err != nil {
		return nil, err
	}
	src, err := files.Open(r.Env, r.Out.Quiet, rec.path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	v, err := reports.Read(opts, src.List...)
	if err != nil {
		return nil, fmt.Errorf("recording %s: it cannot be read any more, so it was probably changed while the run went on: %w", rec.path, err)
	}
	return v, rec.checkCount(v.Operations)
}

// unrecorded is the report of the live statistics, because the recording lacks what lost says; with nil there is no recording.
func (r *reporter) unrecorded(rec *runFile, end *runinfo.End, live *live.State, opts aggregate.Options, lost error) (*reports.Report,
	error,
) {
	text, err := json.Marshal(end)
	if err != nil {
		return nil, fmt.Errorf("encode the end of the run: %w", err)
	}
	v := &reports.Report{Snapshot: live.Overall(), Live: true, Watches: r.watches}
	v.Only(opts.Op)
	what := "the figures are live statistics: latencies of all operations, rates from the first start until the first " +
		"thread had nothing left to do"
	about := &aggregate.Inputs{Headers: []recording.Header{rec.header}, Ends: []json.RawMessage{text}}
	if lost == nil {
		v.Extra = []string{"No recording (--stress): " + what}
	} else {
		what += ": " + lost.Error()
		if flags := r.Analyze.NeedRecording(); flags != "" {
			what += "; not available without the recording: " + flags
		}
		about.Incomplete = []string{what}
	}
	v.Info = *runinfo.Describe([]recording.Input{{Name: rec.path}}, about, v.Snapshot)
	return v, nil
}

// reportClients prints the report on all clients together, and judges it.
func (r *reporter) reportClients(res *coordinator.Result, head *runinfo.Header, marks []runinfo.Mark) error {
	plan, err := json.Marshal(head.Plan)
	if err != nil {
		return err
	}
	head.Engine = runinfo.Engines(res.Clients)
	v := &reports.Report{Snapshot: res.Snapshot, Watches: r.watches, Info: runinfo.Info{
		Marks:      marks,
		Head:       *head,
		Plan:       plan,
		Warnings:   res.Warnings,
		Notes:      res.Notes,
		Schedules:  res.Schedules,
		Contents:   res.Contents,
		Replays:    res.Replays,
		Searches:   res.Searches,
		Clients:    res.Clients,
		Incomplete: incompleteReasons(res),
	}}
	v.WarnIncomplete()
	for i := range res.Clients {
		v.Limits = append(v.Limits, res.Clients[i].Limits...)
	}
	v.AddSteps()
	v.Extra = []string{fmt.Sprintf("Clients: %d of %d, start skew %s", res.InResult, len(res.Clients), units.Duration(res.Skew))}
	var c tally
	for _, g := range res.Snapshot.Groups {
		if g.Phase != op.PhasePrepare && !g.Kind.IsComposite() {
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
	return process.WithCode(process.ExitIncomplete, errors.New(r.Incomplete))
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

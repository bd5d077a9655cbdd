package runs

import (
	"context"
	"errors"
	"fmt"
	"io"

	"warp/cli/internal/files"
	"warp/cli/internal/process"
	"warp/cli/internal/progress"
	"warp/cli/internal/reports"
	"warp/pkg/bench"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/recording"
	"warp/pkg/runinfo"
)

// coordinate has the clients perform the plan, and prints the report on all of them.
func (r *run) coordinate(ctx context.Context) error {
	token, err := r.Clients.Mesh.Token(r.Env, r.watch.Notice)
	if err != nil {
		return process.UsageErrors(err)
	}
	opts, err := r.Analyze.Options()
	if err != nil {
		return err
	}
	opts.AllTime, opts.Pauses = bench.AllTime(&r.Plan), bench.Pauses(&r.Plan)
	opts.SegmentTimes = opts.SegmentTimes || reports.NeedSteps(opts) || len(r.Sweeps) > 0
	head := r.head()
	header, err := head.Header(r.Env.CommandLine())
	if err != nil {
		return err
	}
	if err := r.Views.Show(head, nil); err != nil {
		return err
	}
	traces, release, err := divideTraces(ctx, r.Benchmark, r.watch.Inform)
	if err != nil {
		return err
	}
	defer release()
	return r.byClients(ctx, head, header, coordinator.Options{
		Clients:     r.Remote,
		Wait:        r.Clients.Wait,
		Token:       token,
		TLS:         r.Clients.Mesh.Files(),
		Version:     process.Version(),
		StartAt:     r.start,
		EndPhase:    r.endPhase,
		Exec:        r.programs(),
		Watches:     r.watches.Windows(),
		Counts:      r.watch.Counts(),
		Traces:      traces,
		Config:      header.Config,
		CommandLine: header.CommandLine,
		Statistics:  opts,
	})
}

// byClients coordinates the clients. It completes the options with what shows the run and where it is recorded.
func (r *run) byClients(ctx context.Context, head *runinfo.Header, header recording.Header, o coordinator.Options) (err error) {
	path := r.base + runinfo.Suffix
	var file *files.Atomic
	if !r.Out.Stress { // else the recordings of the clients are not collected
		if file, err = files.Create("benchdata", "recording", path, r.Out.Overwrite); err != nil {
			return err
		}
		defer file.Discard()
		o.Recording = file
	}
	var reportErr error
	merged := false
	observer := r.watch.ForClients(r.watches, func(res *coordinator.Result) {
		r.watch.Pause()
		reportErr = r.reportClients(res, head, r.watch.Marked())
	})
	o.Observer, o.Merge = observer, mergeFiles(header, r.watch, &merged)
	res, err := coordinator.Run(ctx, &r.Plan, r.Plan.Target.Keys(), o)
	err = errors.Join(incompleteError(res), err, reportErr) // first: what else is wrong may come of it
	if res == nil || res.InResult == 0 {
		return err
	}
	if merged {
		err = errors.Join(err, file.Commit(), r.writeResults(path, r.watch.Notice))
	} else {
		err = errors.Join(err, r.writeResults("", r.watch.Notice))
	}
	observer.Warn(res.Warnings)
	r.watch.Inform(recordedAt(path, merged, r.Out.Stress))
	return errors.Join(err, uncleanedClientsError(res, path, merged))
}

// recordedAt says where the operations of clients are.
func recordedAt(path string, merged, stress bool) string {
	switch {
	case merged:
		const text = "The operations of all clients are recorded in %s; each client keeps its own recording too. %s"
		return fmt.Sprintf(text, path, process.ReportCommand(path))
	case stress:
		return "Operations are recorded by each client itself; \"warp merge\" puts their recordings together."
	}
	return fmt.Sprintf("Operations are recorded by each client itself; \"warp merge\" puts their recordings together. There is no %s.", path)
}

// mergeFiles puts the recordings of the clients together, in the order of time. At its end the merged one says all that the
// report says about the clients. Merged is set when it is complete.
func mergeFiles(h recording.Header, watch *progress.Watcher, merged *bool) coordinator.MergeFunc {
	return func(ctx context.Context, w io.Writer, paths []string, r *coordinator.Result) error {
		var inputs []recording.Input
		for _, f := range paths {
			inputs = append(inputs, files.Input(f))
		}
		end := &runinfo.End{
			Marks:       watch.Marked(),
			Interrupted: r.Interrupted,
			Stable:      r.Stable,
			Warnings:    r.Warnings,
			Notes:       r.Notes,
			Schedules:   r.Schedules,
			Contents:    r.Contents,
			Replays:     r.Replays,
			Searches:    r.Searches,
			Clients:     r.Clients,
			Incomplete:  incompleteReasons(r),
		}
		_, err := recording.MergeRun(ctx, w, h, inputs, runinfo.NewMergeTee(inputs, end))
		*merged = err == nil
		return err
	}
}

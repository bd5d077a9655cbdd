package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"warp/pkg/bench"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/recording"
	"warp/pkg/runinfo"
	"warp/pkg/s3/target"
)

// coordinate has the clients perform the plan, and prints the report on all of them.
func (b *benchmark) coordinate(ctx context.Context, watch *watcher) (err error) {
	token, err := b.clients.mesh.token(b.env, watch.Notice)
	if err != nil {
		return usageErrors(err)
	}
	opts, err := b.analyze.options()
	if err != nil {
		return err
	}
	opts.AllTime, opts.Pauses = bench.AllTime(&b.plan), bench.Pauses(&b.plan)
	opts.SegmentTimes = opts.SegmentTimes || needSteps(opts) || len(b.sweeps) > 0
	head := b.head()
	header, err := head.Header(b.env.Args)
	if err != nil {
		return err
	}
	if err := b.views.begin(head, nil); err != nil {
		return err
	}
	traces, release, err := divideTraces(ctx, b, watch.inform)
	if err != nil {
		return err
	}
	defer release()
	path := b.base + runinfo.Suffix
	var file *atomicFile
	var into io.Writer // nil: the recordings of the clients are not collected
	if !b.out.stress {
		if file, err = createAtomic("benchdata", "recording", path, b.out.overwrite); err != nil {
			return err
		}
		defer file.discard()
		into = file
	}
	t := b.plan.Target
	observer := &clientsWatcher{watcher: watch, rules: b.watches}
	var reportErr error
	merged := false
	observer.measured = func(r *coordinator.Result) {
		watch.pause()
		reportErr = b.reportClients(r, head, watch.marked())
	}
	r, err := coordinator.Run(ctx, &b.plan, target.Credentials{AccessKey: t.AccessKey, SecretKey: t.SecretKey, SessionToken: t.SessionToken, Others: t.OtherKeys},
		coordinator.Options{
			Clients: b.remote, Wait: b.clients.wait, Token: token, TLS: b.clients.mesh.files(), Version: Version(), Observer: observer,
			StartAt: b.start, EndPhase: b.endPhase, Exec: b.programs(watch), Watches: b.watches.windows(), Counts: watch.counts(), Traces: traces, Config: header.Config, CommandLine: header.CommandLine, Statistics: opts, Recording: into, Merge: mergeFiles(header, watch, &merged),
		})
	err = errors.Join(incompleteError(r), err, reportErr) // first: what else is wrong may come of it
	if r == nil || r.InResult == 0 {
		return err
	}
	if merged {
		err = errors.Join(err, file.commit())
	}
	observer.warn(r.Warnings)
	watch.inform(whereRecorded(path, merged, b.out.stress))
	return errors.Join(err, howToCleanAll(r, path, merged))
}

// whereRecorded says where the operations of clients are.
func whereRecorded(path string, merged, stress bool) string {
	switch {
	case merged:
		const text = "The operations of all clients are recorded in %s; each client keeps its own recording too. %s"
		return fmt.Sprintf(text, path, reportAgain(path))
	case stress:
		return "Operations are recorded by each client itself; \"warp merge\" puts their recordings together."
	}
	return fmt.Sprintf("Operations are recorded by each client itself; \"warp merge\" puts their recordings together. There is no %s.", path)
}

// mergeFiles puts the recordings of the clients together, in the order of time. At its end the merged one says all that the
// report says about the clients. Merged is set when it is complete.
func mergeFiles(h recording.Header, watch *watcher, merged *bool) coordinator.MergeFunc {
	return func(ctx context.Context, w io.Writer, files []string, r *coordinator.Result) error {
		var inputs []recording.Input
		for _, f := range files {
			inputs = append(inputs, fileInput(f))
		}
		end := &runinfo.End{Marks: watch.marked(), Interrupted: r.Interrupted, Stable: r.Stable, Warnings: r.Warnings, Notes: r.Notes, Schedules: r.Schedules, Contents: r.Contents, Replays: r.Replays, Searches: r.Searches, Clients: r.Clients, Incomplete: incompleteReasons(r)}
		_, err := recording.MergeRun(ctx, w, h, inputs, runinfo.NewMergeTee(inputs, end))
		*merged = err == nil
		return err
	}
}

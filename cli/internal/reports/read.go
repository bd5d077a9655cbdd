package reports

import (
	"errors"
	"fmt"

	"warp/cli/internal/files"
	"warp/cli/internal/process"
	"warp/cli/internal/rules"
	"warp/internal/option"
	"warp/pkg/aggregate"
	"warp/pkg/aggregate/legacy"
	"warp/pkg/recording"
	"warp/pkg/runinfo"
)

// Read computes the report of recordings, together as one run.
func Read(opts aggregate.Options, inputs ...recording.Input) (*Report, error) {
	var headers []recording.Header
	for _, in := range inputs {
		// Report a file that is no recording here, without the layers of the analysis around the error.
		r, err := in.Reader()
		if errors.Is(err, recording.ErrAggregated) && len(inputs) == 1 {
			return readAggregated(opts, in)
		}
		if err != nil {
			return nil, err
		}
		headers = append(headers, r.Header())
		if err := r.Close(); err != nil {
			return nil, err
		}
	}
	defer files.LimitGarbage()()
	snapshot, about, err := aggregate.AnalyzeAll(reportOptions(opts, headers...), inputs...)
	if err != nil {
		return nil, err
	}
	return fromSnapshot(snapshot, about, inputs)
}

// reportOptions completes the options of a report on recordings with what they say about their runs.
func reportOptions(opts aggregate.Options, headers ...recording.Header) aggregate.Options {
	opts = runinfo.WithPlans(opts, headers...)
	opts.SegmentTimes = opts.SegmentTimes || NeedSteps(opts) || runinfo.HasSweep(headers...)
	return opts
}

// fromSnapshot makes the report of recordings with these statistics.
func fromSnapshot(s *aggregate.Snapshot, about *aggregate.Inputs, inputs []recording.Input) (v *Report, err error) {
	v = &Report{Snapshot: s, Operations: about.Operations, Info: *runinfo.Describe(inputs, about, s)}
	v.AddSteps()
	for _, in := range inputs {
		v.Names = append(v.Names, in.Name)
	}
	v.Watches, err = rules.WatchRecordings(v.Head.Expect, inputs)
	return v, err
}

// readAggregated makes the report of a recording that holds statistics instead of operations.
func readAggregated(opts aggregate.Options, in recording.Input) (_ *Report, err error) {
	if opts.Host != "" || opts.Skip > 0 || opts.Segment > 0 {
		return nil, process.UsageErrors(option.Errorf("analyze.host, analyze.skip, analyze.dur",
			"%s holds statistics, not operations, so they cannot be computed anew", in.Name))
	}
	src, err := in.Open()
	if err != nil {
		return nil, fmt.Errorf("no recording: %w", err)
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	a, err := legacy.Read(src)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	v := &Report{
		Snapshot: a.Snapshot,
		Names:    []string{in.Name},
		Info:     runinfo.Info{Runs: []runinfo.Run{runinfo.NewRun(in.Name, nil, a.CommandLine)}, Warnings: a.Warnings},
	}
	v.Only(opts.Op)
	return v, nil
}

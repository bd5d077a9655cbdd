package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"

	"github.com/urfave/cli/v3"

	"warp/internal/option"
	"warp/pkg/aggregate"
	"warp/pkg/aggregate/legacy"
	"warp/pkg/recording"
	"warp/pkg/report"
	"warp/pkg/runinfo"
)

// analysis is the command that prints reports of recordings.
type analysis struct {
	printer
	each   bool
	format string
	table  string // file of operations
	gate   gateFlags
	http   httpFlags
}

func analyzeCommand(e *Env) *cli.Command {
	c := &analysis{printer: printer{env: e}}
	flags := append(append(c.out.common(), c.out.overwriteFlag()), c.analyze.flags()...)
	flags = append(append(flags, c.gate.flags()...), c.http.flags()...)
	flags = append(flags, categorize(catReport, []cli.Flag{
		&cli.BoolFlag{Name: "each", Destination: &c.each, Usage: "report on each recording separately"},
		&cli.StringFlag{Name: "parquet", Destination: &c.table, Usage: "`FILE` write all operations as a Parquet table, a row each, for DuckDB, pandas and the like"},
		&cli.StringFlag{Name: "format", Destination: &c.format, Usage: "`TOOL` print the report of another tool: hsbench (CSV, or with --json JSON), osb (object-store-bench) or s3bench"},
	})...)
	return &cli.Command{
		Name:      "analyze",
		Usage:     "print the report of a recording again",
		ArgsUsage: "FILE...",
		Description: "Reads a recording (.csv.zst, or CSV that is plain or compressed with gzip or xz) of this warp " +
			"or of MinIO warp (https://github.com/minio/warp), and prints its " +
			"report; of an aggregated one (.json.zst) what it still holds. Several recordings are reported on as one run of several clients; only the time in which all of them ran " +
			"counts. \"-\" reads from standard input.",
		UsageText: "warp analyze --analyze.op=GET --analyze.v warp-mixed-2026-11-21-101500-Xk3f.csv.zst",
		Flags:     flags,
		Action:    c.action,
	}
}

func (c *analysis) action(_ context.Context, cmd *cli.Command) error {
	files := cmd.Args().Slice()
	if len(files) == 0 {
		return usageError("analyze: want a recording, as in \"warp analyze warp-get-....csv.zst\", or - for standard input")
	}
	if c.each && len(files) > 1 && (c.analyze.out != "" || c.analyze.html != "" || c.analyze.summary != (summaryFlags{}) || c.out.json) {
		return usageErrors(option.Errorf("each", "--analyze.out, --html, --summary-md, --junit and --json hold one report; analyze the recordings one by one"))
	}
	if c.each && len(files) > 1 && c.http.addr != "" {
		return usageErrors(option.Errorf("each", "--http serves one report; analyze the recordings one by one"))
	}
	c.analyze.charts = c.http.addr != ""
	opts, err := c.analyze.options()
	if err := usageErrors(err, c.http.check(), c.analyze.checkOut(&c.out, files...), c.checkTable(files), c.checkFormat()); err != nil {
		return err
	}
	rules, err := c.gate.rulesOfOne()
	if err != nil {
		return err
	}
	if !c.each {
		if a, b, found := findDuplicate(files); found {
			return usageError("analyze: %s and %s are the same recording, which would count twice; give it once, or use --each", a, b)
		}
	}
	if c.views, err = openViews(c.env, &c.http, &pushFlags{}, c.out.quiet, "warp analyze"); err != nil {
		return err
	}
	leave := sync.OnceFunc(leaveOnInterrupt(c.env))
	defer leave()
	src, err := openInputs(c.env, c.out.quiet, files...)
	if err != nil {
		c.views.close()
		return err
	}
	defer src.close()
	if err := c.writeTable(src); err != nil {
		return err
	}
	if c.views != nil {
		return c.serve(src, leave, func() error { return c.report(rules, opts, src.list...) })
	}
	if !c.each {
		return c.report(rules, opts, src.list...)
	}
	return c.reportEach(rules, opts, src.list)
}

// reportEach prints the report of each recording by itself.
func (c *analysis) reportEach(rules rulesOfRun, opts aggregate.Options, list []recording.Input) error {
	var errs []error
	for _, in := range list {
		fmt.Fprintf(c.env.Stdout, "\n%s\n", in.Name)
		if err := c.report(rules, opts, in); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", in.Name, err))
		}
	}
	return errors.Join(errs...)
}

// serve serves a report from when the recordings are opened until an interrupt, which is its proper end.
func (c *analysis) serve(src *inputs, leave func(), report func() error) error {
	defer c.views.close()
	c.views.read(src.progress)
	err := report()
	leave()
	if err == nil && c.http.linger == 0 {
		c.views.untilInterrupt()
	}
	return err
}

// checkTable is checkNew for the table of operations.
func (c *analysis) checkTable(files []string) error {
	if c.table == "" {
		return nil
	}
	return checkNew("parquet", c.table, c.out.overwrite, files...)
}

// writeTable writes the table of operations, if there is to be one.
func (c *analysis) writeTable(src *inputs) error {
	if c.table == "" {
		return nil
	}
	defer debug.SetGCPercent(debug.SetGCPercent(analysisGC))
	return writeFile("parquet", c.table, c.out.overwrite, func(to io.Writer) error { return report.Parquet(to, src.list) })
}

// report prints the report of recordings, together.
func (c *analysis) report(rules rulesOfRun, opts aggregate.Options, inputs ...recording.Input) error {
	opts.Partial = c.views.partial()
	v, err := readReport(opts, inputs...)
	if err != nil {
		return err
	}
	v.Head.Command = cmp.Or(v.Head.Command, "analyze")
	v.judge(opts)
	rulings := rules.judge(v)
	v.rulings = rulings.reported(v.expected)
	if c.format != "" {
		err = c.printForeign(v, opts, inputs)
	} else {
		err = c.print(v)
	}
	if err != nil {
		return err
	}
	return rulings.err()
}

// analysisGC is how much garbage an analysis may pile up, in percent of what it needs: it makes little, and a recording of
// any size should fit into little memory.
const analysisGC = 15

// readReport computes the report of recordings, together as one run.
func readReport(opts aggregate.Options, inputs ...recording.Input) (*reportView, error) {
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
	defer debug.SetGCPercent(debug.SetGCPercent(analysisGC))
	snapshot, about, err := aggregate.AnalyzeAll(reportOptions(opts, headers...), inputs...)
	if err != nil {
		return nil, err
	}
	return newReport(snapshot, about, inputs)
}

// reportOptions completes the options of a report on recordings with what they say about their runs.
func reportOptions(opts aggregate.Options, headers ...recording.Header) aggregate.Options {
	opts = runinfo.WithPlans(opts, headers...)
	opts.SegmentTimes = opts.SegmentTimes || needSteps(opts) || runinfo.HasSweep(headers...)
	return opts
}

// newReport makes the report of recordings with these statistics.
func newReport(s *aggregate.Snapshot, about *aggregate.Inputs, inputs []recording.Input) (v *reportView, err error) {
	v = &reportView{snapshot: s, operations: about.Operations, Info: *runinfo.Describe(inputs, about, s)}
	v.addSteps()
	v.watches, err = watchRecordings(v.Head.Expect, inputs)
	return v, err
}

// readAggregated makes the report of a recording that holds statistics instead of operations.
func readAggregated(opts aggregate.Options, in recording.Input) (_ *reportView, err error) {
	if opts.Host != "" || opts.Skip > 0 || opts.Segment > 0 {
		return nil, usageErrors(option.Errorf("analyze.host, analyze.skip, analyze.dur", "%s holds statistics, not operations, so they cannot be computed anew", in.Name))
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
	v := &reportView{snapshot: a.Snapshot, Info: runinfo.Info{Runs: []runinfo.Run{runinfo.NewRun(in.Name, nil, a.CommandLine)}, Warnings: a.Warnings}}
	v.only(opts.Op)
	return v, nil
}

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/files"
	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/progress"
	"warp/cli/internal/reports"
	"warp/cli/internal/rules"
	"warp/internal/option"
	"warp/pkg/aggregate"
	"warp/pkg/recording"
	"warp/pkg/report"
)

// analysis is the command that prints reports of recordings.
type analysis struct {
	reports.Printer
	each   bool
	format string
	table  string // file of operations
	gate   rules.Flags
	http   flags.HTTP
}

func analyzeCommand(e *process.Env) *cli.Command {
	c := &analysis{Printer: reports.Printer{Env: e}}
	list := append(append(c.Out.Common(), c.Out.OverwriteFlag()), c.Analyze.Flags()...)
	list = append(append(list, c.gate.Flags()...), c.http.Flags()...)
	list = append(list, c.Analyze.Compat.Flags(flags.CatReport,
		"`TOOL` write --analyze.out like another tool: minio (MinIO warp)")...)
	list = append(list, flags.Categorize(flags.CatReport, []cli.Flag{
		&cli.BoolFlag{Name: "each", Destination: &c.each, Usage: "report on each recording separately"},
		&cli.StringFlag{
			Name:        "parquet",
			Destination: &c.table,
			Usage:       "`FILE` write all operations as a Parquet table",
		},
		&flags.Choice{Values: report.Formats, StringFlag: cli.StringFlag{
			Name:        "format",
			Destination: &c.format,
			Usage:       "`TOOL` print the report of another tool: hsbench, hsbench-log, osb or s3bench",
		}},
	})...)
	return &cli.Command{
		Name:      "analyze",
		Usage:     "print the report of a recording again",
		ArgsUsage: "FILE...",
		Description: "Reads a recording (.csv.zst, or CSV that is plain or compressed with gzip or xz) of this warp or of MinIO warp " +
			"(https://github.com/minio/warp), and prints its report. An aggregated recording (.json.zst) has fewer figures. Several " +
			"recordings count as one run of several clients; only the time when all of them ran counts. \"-\" is standard input.",
		UsageText: "warp analyze --analyze.op=GET --analyze.v warp-mixed-2026-11-21-101500-Xk3f.csv.zst",
		Flags:     list,
		Action:    c.action,
	}
}

func (c *analysis) action(_ context.Context, cmd *cli.Command) error {
	paths := cmd.Args().Slice()
	if len(paths) == 0 {
		return process.UsageError("analyze: want a recording, as in \"warp analyze warp-get-....csv.zst\", or - for standard input")
	}
	if c.each && len(paths) > 1 && (c.Analyze.Out != "" || c.Analyze.HTML != "" || c.Analyze.Summary != (flags.Summary{}) || c.Out.JSON) {
		return process.UsageErrors(option.Errorf("each",
			"--analyze.out, --html, --summary-md, --junit and --json hold one report; analyze the recordings one by one"))
	}
	if c.each && len(paths) > 1 && c.http.Addr != "" {
		return process.UsageErrors(option.Errorf("each", "--http serves one report; analyze the recordings one by one"))
	}
	c.Analyze.Charts = c.http.Addr != ""
	opts, err := c.Analyze.Options()
	if err := process.UsageErrors(err, c.http.Check(), c.Analyze.Compat.Check(), c.Analyze.CheckOutputs(&c.Out, paths...),
		c.checkTable(paths), c.checkFormat()); err != nil {
		return err
	}
	rules, err := c.gate.OfOne()
	if err != nil {
		return err
	}
	if !c.each {
		if a, b, found := files.Duplicate(paths); found {
			return process.UsageError("analyze: %s and %s are the same recording, which would count twice; give it once, or use --each", a, b)
		}
	}
	if c.Views, err = progress.OpenViews(c.Env, &c.http, &flags.Push{}, c.Out.Quiet, "warp analyze"); err != nil {
		return err
	}
	leave := sync.OnceFunc(c.Env.LeaveOnInterrupt())
	defer leave()
	src, err := files.Open(c.Env, c.Out.Quiet, paths...)
	if err != nil {
		c.Views.Close()
		return err
	}
	defer src.Close()
	if err := c.writeTable(src); err != nil {
		return err
	}
	if c.Views != nil {
		return c.serve(src, leave, func() error { return c.report(rules, opts, src.List...) })
	}
	if !c.each {
		return c.report(rules, opts, src.List...)
	}
	return c.reportEach(rules, opts, src.List)
}

// reportEach prints the report of each recording by itself.
func (c *analysis) reportEach(rules rules.Rules, opts aggregate.Options, list []recording.Input) error {
	var errs []error
	for _, in := range list {
		fmt.Fprintf(c.Env.Stdout, "\n%s\n", in.Name)
		if err := c.report(rules, opts, in); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", in.Name, err))
		}
	}
	return errors.Join(errs...)
}

// serve serves a report from when the recordings are opened until an interrupt, which is its proper end.
func (c *analysis) serve(src *files.Inputs, leave func(), report func() error) error {
	defer c.Views.Close()
	c.Views.Read(src.Progress.Bytes)
	err := report()
	leave()
	if err == nil && c.http.Linger == 0 {
		c.Views.UntilInterrupt()
	}
	return err
}

// checkTable is files.CheckNew for the table of operations.
func (c *analysis) checkTable(paths []string) error {
	if c.table == "" {
		return nil
	}
	return files.CheckNew("parquet", c.table, c.Out.Overwrite, paths...)
}

// writeTable writes the table of operations, if there is to be one.
func (c *analysis) writeTable(src *files.Inputs) error {
	if c.table == "" {
		return nil
	}
	defer files.LimitGarbage()()
	return files.Write("parquet", c.table, c.Out.Overwrite, func(to io.Writer) error { return report.Parquet(to, src.List) })
}

// report prints the report of recordings, together.
func (c *analysis) report(rules rules.Rules, opts aggregate.Options, inputs ...recording.Input) error {
	opts.Partial = c.Views.Partial()
	v, err := reports.Read(opts, inputs...)
	if err != nil {
		return err
	}
	v.Head.Command = cmp.Or(v.Head.Command, "analyze")
	v.Judge(opts)
	rulings := rules.Judge(v.Snapshot, v.Searches)
	v.Rulings = rulings.Reported(v.Expected)
	if c.format != "" {
		err = c.printForeign(v, opts, inputs)
	} else {
		err = c.Print(v)
	}
	if err != nil {
		return err
	}
	return rulings.Err()
}

// checkFormat checks the format of another tool, which replaces everything that is made of a report.
func (c *analysis) checkFormat() error {
	if c.format == "" {
		return nil
	}
	if err := option.OneOf("format", c.format, report.Formats()...); err != nil {
		return err
	}
	switch {
	case c.Out.JSON && c.format != "hsbench":
		return option.Errorf("format, json", "%s prints no JSON", c.format)
	case c.Analyze.Out != "" || c.Analyze.HTML != "" || c.Analyze.Summary != (flags.Summary{}):
		return option.Errorf("format", "can't be combined with --analyze.out, --html, --summary-md or --junit")
	case c.Analyze.Skip > 0:
		return option.Errorf("format, analyze.skip", "%s counts the whole run", c.format)
	}
	return nil
}

// printForeign prints recordings in the format of another tool.
func (c *analysis) printForeign(v *reports.Report, opts aggregate.Options, inputs []recording.Input) error {
	left, err := v.WriteAs(c.Env.Stdout, c.format, c.Out.JSON, c.Analyze.Verbose, opts, inputs...)
	if err != nil {
		return err
	}
	if left != "" {
		_, err = fmt.Fprintln(c.Env.Stderr, "warp: "+left)
	}
	return err
}

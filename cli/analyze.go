package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v3"

	"warp/internal/option"
	"warp/pkg/aggregate"
	"warp/pkg/op"
	"warp/pkg/recording"
	"warp/pkg/report"
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
	leave := sync.OnceFunc(c.env.leaveOnInterrupt())
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
	c.views.read(src.progress.bytes)
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
	defer littleGarbage()()
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
	rulings := rules.judge(v.snapshot, v.Searches)
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

// checkFormat checks the format of another tool, which replaces everything that is made of a report.
func (c *analysis) checkFormat() error {
	if c.format == "" {
		return nil
	}
	if err := option.OneOf("format", c.format, report.Formats()...); err != nil {
		return err
	}
	switch {
	case c.out.json && c.format != "hsbench":
		return option.Errorf("format, json", "%s prints no JSON", c.format)
	case c.analyze.out != "" || c.analyze.html != "" || c.analyze.summary != (summaryFlags{}):
		return option.Errorf("format", "want no --analyze.out, --html, --summary-md or --junit beside it, which are made of the usual report")
	case c.analyze.skip > 0:
		return option.Errorf("format, analyze.skip", "%s counts the whole run", c.format)
	}
	return nil
}

// printForeign prints recordings in the format of another tool.
func (c *analysis) printForeign(v *reportView, opts aggregate.Options, inputs []recording.Input) error {
	if !v.entire() {
		return fmt.Errorf("--format: %s holds statistics, not operations", inputs[0].Name)
	}
	kinds, interval, err := aggregate.AnalyzeEntire(opts, inputs...)
	if err != nil {
		return err
	}
	run := &report.ToolRun{Interval: interval, Plan: v.toolPlan()}
	run.Kinds = slices.DeleteFunc(kinds, func(e *aggregate.Entire) bool { return e.Phase == op.PhasePrepare })
	if left := report.LeftOut(c.format, run); len(left) > 0 {
		fmt.Fprintf(c.env.Stderr, "warp: %s has no results for %s; they are left out\n", c.format, strings.Join(left, ", "))
	}
	return report.As(c.env.Stdout, c.format, c.out.json, run)
}

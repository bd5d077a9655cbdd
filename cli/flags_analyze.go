package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"warp/internal/option"
	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/report"
	"warp/pkg/s3"
)

// analyzeFlags say how a report is computed.
type analyzeFlags struct {
	dur, skip time.Duration
	op, host  string
	window    string
	out, html string
	charts    bool // are shown
	verbose   bool
	summary   summaryFlags
}

func (a *analyzeFlags) flags() []cli.Flag {
	return append(a.selection(), categorize(catReport, []cli.Flag{
		&cli.StringFlag{Name: "analyze.out", Destination: &a.out, Usage: "`FILE` write a time series, one row per segment: .csv, .tsv or .jsonl (JSON lines), or tab separated without an extension; - prints it in place of the report"},
	})...)
}

// selection are those that say which operations count, and how closely to look at them.
func (a *analyzeFlags) selection() []cli.Flag {
	return categorize(catReport, []cli.Flag{
		&cli.DurationFlag{Name: "analyze.dur", Destination: &a.dur, Usage: "`DURATION` length of a segment", DefaultText: "1s, longer for long runs"},
		&cli.DurationFlag{Name: "analyze.skip", Destination: &a.skip, Usage: "`DURATION` skip this much time at the start of each kind of operation"},
		&cli.StringFlag{Name: "analyze.window", Destination: &a.window, Value: string(aggregate.Active), Usage: "`RULE` where the active window ends: active, or classic, as in MinIO warp"},
		&cli.StringFlag{Name: "analyze.op", Destination: &a.op, Usage: "`KIND` only operations of this kind: " + option.List(bench.Kinds()...)},
		&cli.StringFlag{Name: "analyze.host", Destination: &a.host, Usage: "`HOST` only operations on this host"},
		&cli.BoolFlag{Name: "analyze.v", Destination: &a.verbose, Usage: "print more: requests by host, client and bucket"},
		htmlFlag(&a.html),
		&cli.StringFlag{Name: "summary-md", Destination: &a.summary.markdown, Usage: "`FILE` write a summary in Markdown, for a pull request or the summary of a CI job; - prints it in place of the report"},
		&cli.StringFlag{Name: "junit", Destination: &a.summary.junit, Usage: "`FILE` write the verdict on each rule as a JUnit test report"},
		&cli.BoolFlag{Name: "analyze.hostdetails", Destination: &a.verbose, Hidden: true}, // in earlier versions of MinIO warp
	})
}

func (a *analyzeFlags) options() (aggregate.Options, error) {
	var errs []error
	if a.dur < 0 {
		errs = append(errs, option.Invalid("analyze.dur", a.dur, "0 or more"))
	}
	if a.skip < 0 {
		errs = append(errs, option.Invalid("analyze.skip", a.skip, "0 or more"))
	}
	rules := []aggregate.Rule{aggregate.Active, aggregate.Classic}
	errs = append(errs, option.OneOf("analyze.window", cmp.Or(aggregate.Rule(a.window), aggregate.Active), rules...))
	return aggregate.Options{
		Rule: aggregate.Rule(a.window), Segment: a.dur, Skip: a.skip, Op: op.Kind(strings.ToUpper(a.op)), Host: a.host,
		HostSegments: a.verbose || a.html != "" || a.charts, HostCounts: a.out == "" || !a.verbose, SegmentTimes: a.out != "" || a.html != "" || a.charts,
	}, errors.Join(errs...)
}

// checkStress rejects flags that need the recording that --stress leaves out.
func (a *analyzeFlags) checkStress(o *outputFlags) error {
	if !o.stress {
		return nil
	}
	flags := a.needRecording()
	if o.benchdata != "" {
		flags = strings.TrimPrefix(flags+", --benchdata", ", ")
	}
	if flags == "" {
		return nil
	}
	return option.Errorf("stress", "makes no recording; leave out %s", flags)
}

// needRecording names the flags that were given and need a recording.
func (a *analyzeFlags) needRecording() string {
	var flags []string
	for flag, given := range map[string]bool{"--analyze.dur": a.dur > 0, "--analyze.host": a.host != "", "--analyze.out": a.out != "", "--analyze.skip": a.skip > 0, "--analyze.window": a.window == string(aggregate.Classic)} {
		if given {
			flags = append(flags, flag)
		}
	}
	slices.Sort(flags)
	return strings.Join(flags, ", ")
}

// checkKind rejects a kind that no benchmark performs, so that there would be nothing to report.
func (a *analyzeFlags) checkKind() error {
	if a.op == "" {
		return nil
	}
	return option.OneOf("analyze.op", op.Kind(strings.ToUpper(a.op)).Base(), bench.Kinds()...)
}

// checkHost rejects a host that the run does not use. What --resolve-host makes of names is not known yet.
func (a *analyzeFlags) checkHost(c *s3.Config, resolved bool) error {
	if a.host == "" || len(c.Hosts) == 0 || resolved {
		return nil
	}
	urls := c.HostURLs()
	if slices.Contains(urls, a.host) {
		return nil
	}
	return option.Invalid("analyze.host", a.host, "a host of the run, as in "+urls[0])
}

// unmatched says that nothing fits --analyze.op and --analyze.host.
func (a *analyzeFlags) unmatched() error {
	var flags, wanted []string
	if a.op != "" {
		flags, wanted = append(flags, "analyze.op"), append(wanted, fmt.Sprintf("of kind %q", strings.ToUpper(a.op)))
	}
	if a.host != "" {
		flags, wanted = append(flags, "analyze.host"), append(wanted, fmt.Sprintf("on host %q", a.host))
	}
	return usageErrors(option.Errorf(strings.Join(flags, ", "), "no operation in the recording is %s", strings.Join(wanted, " ")))
}

// checkOut is checkNew for the time series, the page and the summaries.
func (a *analyzeFlags) checkOut(o *outputFlags, others ...string) error {
	var errs []error
	overwrite := o.overwrite
	var printed []string
	for flag, given := range map[string]bool{"analyze.out": a.out == onStdout, "json": o.json, "summary-md": a.summary.replacesReport()} {
		if given {
			printed = append(printed, flag)
		}
	}
	if slices.Sort(printed); len(printed) > 1 {
		errs = append(errs, option.Errorf(strings.Join(printed, ", "), "only one can print to standard output (want files for the others)"))
	}
	if a.out != "" && a.out != onStdout {
		errs = append(errs, checkSeries(a.out, overwrite, others...))
		others = append(slices.Clone(others), a.out)
	}
	if a.html != "" {
		errs = append(errs, checkNew("html", a.html, overwrite, others...))
		others = append(slices.Clone(others), a.html)
	}
	errs = append(errs, a.summary.check(overwrite, others...))
	return errors.Join(errs...)
}

// checkSeries is checkNew for a time series, whose format the extension says.
func checkSeries(path string, overwrite bool, others ...string) error {
	if err := checkNew("analyze.out", path, overwrite, others...); err != nil {
		return err
	}
	if _, ok := report.SeriesFormatOf(path); !ok {
		return option.Invalid("analyze.out", path, "a name that ends in .csv, .tsv or .jsonl, or - for standard output")
	}
	return nil
}

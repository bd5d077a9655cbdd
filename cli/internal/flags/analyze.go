package flags

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/files"
	"warp/cli/internal/process"
	"warp/internal/option"
	"warp/pkg/aggregate"
	"warp/pkg/bench/work"
	"warp/pkg/op"
	"warp/pkg/report"
	"warp/pkg/s3"
)

// Analysis say how a report is computed.
type Analysis struct {
	dur, Skip time.Duration
	Op, Host  string
	window    string
	Out, HTML string
	form      string
	Histogram bool
	requests  bool // of a classic report: latencies too
	Charts    bool // are shown
	Verbose   bool
	Summary   Summary
	Compat    Compat // MinIO warp's: the time series is separated by tabs and replaces a file, whatever its name
}

// Flags are all flags about a report.
func (a *Analysis) Flags() []cli.Flag {
	return append(a.Selection(), Categorize(CatReport, []cli.Flag{
		&cli.StringFlag{
			Name:        "analyze.out",
			Destination: &a.Out,
			Usage:       "`FILE` write a time series (.csv, .tsv, .jsonl); -: print it instead of the report",
		},
	})...)
}

// Selection are those that say which operations count, and how closely to look at them.
func (a *Analysis) Selection() []cli.Flag {
	return Categorize(CatReport, []cli.Flag{
		&cli.DurationFlag{
			Name:        "analyze.dur",
			Destination: &a.dur,
			Usage:       "`DURATION` length of a segment",
			DefaultText: "1s, longer for long runs",
		},
		&cli.DurationFlag{
			Name:        "analyze.skip",
			Destination: &a.Skip,
			Usage:       "`DURATION` leave out this much at the start",
		},
		&Choice{Values: Offered(aggregate.Rules...), StringFlag: cli.StringFlag{
			Name:        "analyze.window",
			Destination: &a.window,
			Value:       string(aggregate.Active),
			Usage:       "`RULE` where the active window ends: active, or classic (as in MinIO warp)",
		}},
		&Choice{Values: kindNames, StringFlag: cli.StringFlag{
			Name:        "analyze.op",
			Destination: &a.Op,
			Usage:       "`KIND` only operations of this kind, as in GET",
		}},
		&cli.StringFlag{Name: "analyze.host", Destination: &a.Host, Usage: "`HOST` only operations on this host"},
		&cli.BoolFlag{Name: "analyze.v", Destination: &a.Verbose, Usage: "print more: requests by host, client and bucket"},
		&Choice{Values: Offered(report.Forms...), StringFlag: cli.StringFlag{
			Name:        "report",
			Destination: &a.form,
			Value:       string(report.Auto),
			Usage:       "`FORM` of the text: brief, full, classic (MinIO warp's), or auto (brief on a terminal)",
		}},
		&cli.BoolFlag{Name: "histogram", Destination: &a.Histogram, Usage: "print a histogram of latencies"},
		HTMLFlag(&a.HTML),
		&cli.StringFlag{
			Name:        "summary-md",
			Destination: &a.Summary.Markdown,
			Usage:       "`FILE` write a summary in Markdown, for CI; -: print it instead of the report",
		},
		&cli.StringFlag{Name: "junit", Destination: &a.Summary.JUnit, Usage: "`FILE` write the verdicts of rules as a JUnit report"},
		&cli.BoolFlag{Name: "requests", Destination: &a.requests, Hidden: true},           // of MinIO warp
		&cli.BoolFlag{Name: "analyze.hostdetails", Destination: &a.Verbose, Hidden: true}, // in earlier versions of MinIO warp
	})
}

// Options returns how the report is computed, with all that is wrong with the flags.
func (a *Analysis) Options() (aggregate.Options, error) {
	var errs []error
	if a.dur < 0 {
		errs = append(errs, option.Invalid("analyze.dur", a.dur, "0 or more"))
	}
	if a.Skip < 0 {
		errs = append(errs, option.Invalid("analyze.skip", a.Skip, "0 or more"))
	}
	errs = append(errs, option.OneOf("analyze.window", cmp.Or(aggregate.Rule(a.window), aggregate.Active), aggregate.Rules...))
	errs = append(errs, option.OneOf("report", cmp.Or(report.Form(a.form), report.Auto), report.Forms...))
	return aggregate.Options{
		Rule:         aggregate.Rule(a.window),
		Segment:      a.dur,
		Skip:         a.Skip,
		Op:           op.Kind(strings.ToUpper(a.Op)),
		Host:         a.Host,
		HostSegments: a.Verbose || a.HTML != "" || a.Charts,
		HostCounts:   a.Out == "" || !a.Verbose,
		SegmentTimes: a.Out != "" || a.HTML != "" || a.Charts,
	}, errors.Join(errs...)
}

// Form returns the form of the text report on a terminal, or elsewhere.
func (a *Analysis) Form(terminal bool) report.Form {
	switch form := report.Form(a.form); {
	case form != "" && form != report.Auto:
		return form
	case terminal && !a.Verbose:
		return report.Brief
	}
	return report.Full
}

// Requests reports whether a classic report has latencies.
func (a *Analysis) Requests() bool { return a.requests || a.Verbose }

// CheckStress rejects flags that need the recording that --stress leaves out.
func (a *Analysis) CheckStress(o *Output) error {
	if !o.Stress {
		return nil
	}
	flags := a.NeedRecording()
	if o.Benchdata != "" {
		flags = strings.TrimPrefix(flags+", --benchdata", ", ")
	}
	if flags == "" {
		return nil
	}
	return option.Errorf("stress", "makes no recording; leave out %s", flags)
}

// NeedRecording names the flags that were given and need a recording.
func (a *Analysis) NeedRecording() string {
	var flags []string
	for flag, given := range map[string]bool{
		"--analyze.dur":    a.dur > 0,
		"--analyze.host":   a.Host != "",
		"--analyze.out":    a.Out != "",
		"--analyze.skip":   a.Skip > 0,
		"--analyze.window": a.window == string(aggregate.Classic),
	} {
		if given {
			flags = append(flags, flag)
		}
	}
	slices.Sort(flags)
	return strings.Join(flags, ", ")
}

// kindNames returns the kinds that benchmarks perform.
func kindNames() []string { return Offered(work.Kinds()...)() }

// CheckKind rejects a kind that no benchmark performs, so that there would be nothing to report.
func (a *Analysis) CheckKind() error {
	if a.Op == "" {
		return nil
	}
	return option.OneOf("analyze.op", op.Kind(strings.ToUpper(a.Op)).Base(), work.Kinds()...)
}

// CheckHost rejects a host that the run does not use. What --resolve-host makes of names is not known yet.
func (a *Analysis) CheckHost(c *s3.Config, resolved bool) error {
	if a.Host == "" || len(c.Hosts) == 0 || resolved {
		return nil
	}
	urls := c.HostURLs()
	if slices.Contains(urls, a.Host) {
		return nil
	}
	return option.Invalid("analyze.host", a.Host, "a host of the run, as in "+urls[0])
}

// Unmatched says that nothing fits --analyze.op and --analyze.host.
func (a *Analysis) Unmatched() error {
	var flags, wanted []string
	if a.Op != "" {
		flags, wanted = append(flags, "analyze.op"), append(wanted, fmt.Sprintf("of kind %q", strings.ToUpper(a.Op)))
	}
	if a.Host != "" {
		flags, wanted = append(flags, "analyze.host"), append(wanted, fmt.Sprintf("on host %q", a.Host))
	}
	return process.UsageErrors(option.Errorf(strings.Join(flags, ", "), "no operation in the recording is %s", strings.Join(wanted, " ")))
}

// CheckOutputs is files.CheckNew for the time series, the page and the summaries.
func (a *Analysis) CheckOutputs(o *Output, others ...string) error {
	var errs []error
	overwrite := o.Overwrite
	var printed []string
	for flag, given := range map[string]bool{"analyze.out": a.Out == files.Stdout, "json": o.JSON, "summary-md": a.Summary.ReplacesReport()} {
		if given {
			printed = append(printed, flag)
		}
	}
	if slices.Sort(printed); len(printed) > 1 {
		errs = append(errs, option.Errorf(strings.Join(printed, ", "), "only one can print to standard output (want files for the others)"))
	}
	if a.Out != "" && a.Out != files.Stdout {
		errs = append(errs, a.checkSeries(overwrite, others...))
		others = append(slices.Clone(others), a.Out)
	}
	if a.HTML != "" {
		errs = append(errs, files.CheckNew("html", a.HTML, overwrite, others...))
		others = append(slices.Clone(others), a.HTML)
	}
	errs = append(errs, a.Summary.check(overwrite, others...))
	return errors.Join(errs...)
}

// checkSeries is files.CheckNew for a time series.
func (a *Analysis) checkSeries(overwrite bool, others ...string) error {
	if err := files.CheckNew("analyze.out", a.Out, overwrite || a.Compat.MinIO(), others...); err != nil {
		return err
	}
	if _, ok := a.SeriesFormat(); !ok {
		return option.Invalid("analyze.out", a.Out, "a name that ends in .csv, .tsv or .jsonl, or - for standard output")
	}
	return nil
}

// SeriesFormat returns the format of the time series, which the extension of its file says; ok is false if it says none.
func (a *Analysis) SeriesFormat() (format report.SeriesFormat, ok bool) {
	if a.Compat.MinIO() {
		return report.TSV, true
	}
	return report.SeriesFormatOf(a.Out)
}

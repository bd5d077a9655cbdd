package cli

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/files"
	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/reports"
	"warp/internal/option"
	"warp/pkg/report"
	"warp/pkg/trace"
	"warp/pkg/trace/formats"
	"warp/view/page"
)

// describing is the command that describes a trace.
type describing struct {
	reports.Printer
	flags.Trace
	file  string // of the compact form
	names string // that it holds
	html  string // file of the page
}

// keptNames are the names of objects that the compact form may have.
var keptNames = []trace.Names{trace.OriginalNames, trace.HashedNames}

func traceCommand(e *process.Env) *cli.Command {
	d := &describing{Printer: reports.Printer{Env: e}}
	list := slices.Concat(d.Trace.Flags(), d.Out.Common(), []cli.Flag{d.Out.OverwriteFlag()}, flags.Categorize(flags.CatOutput, []cli.Flag{
		&cli.StringFlag{
			Name:        "out",
			Destination: &d.file,
			Usage:       "`FILE` write the trace in a compact form, without names",
		},
		&flags.Choice{Values: flags.Offered(keptNames...), StringFlag: cli.StringFlag{
			Name:        "names",
			Destination: &d.names,
			Usage:       "`NAMES` with --out: names of objects to include: keep or hash-dirs",
			DefaultText: "no names",
		}},
	}))
	list = append(list, flags.Categorize(flags.CatReport, []cli.Flag{flags.HTMLFlag(&d.html)})...)
	return &cli.Command{
		Name:      "trace",
		Usage:     "describe real traffic: an access log, audit log or trace",
		ArgsUsage: "[FORMAT] FILE...",
		Description: "Reads files, compressed or not (gzip, zstd, xz), and prints their operations, rates, sizes, skew, working set, " +
			"objects that are read before they are written, and clients. \"-\" is standard input. The format is recognized, or named: " +
			formatList() + ". Lines need no order.",
		UsageText: "warp trace --out=monday.trace access.log.gz",
		Flags:     list,
		Action:    d.action,
	}
}

// formatList explains the names of formats.
func formatList() string {
	var list []string
	for _, f := range formats.All() {
		list = append(list, f.Name+" ("+f.About+")")
	}
	return strings.Join(list, ", ")
}

func (d *describing) action(ctx context.Context, c *cli.Command) error {
	paths := d.TakeFormat(c.Args().Slice())
	if len(paths) == 0 {
		return process.UsageError("trace: want a file, as in \"warp trace access.log\", or - for standard input")
	}
	options, err := d.Options()
	selection, selectionErr := d.Selection()
	if err := process.UsageErrors(err, selectionErr, d.checkNames()); err != nil {
		return err
	}
	selection.Names = trace.Names(d.names)
	if err := d.checkFiles(paths); err != nil {
		return err
	}
	ctx, stop := d.Env.CancelOnInterrupt(ctx)
	defer stop()
	summary, err := d.index(ctx, options, selection, paths)
	if err != nil {
		if errors.Is(context.Cause(ctx), process.ErrInterrupt) {
			return process.WithCode(process.ExitInterrupted, errors.New("interrupted before the trace was read"))
		}
		return err
	}
	if d.html != "" {
		if err := files.Write("html", d.html, d.Out.Overwrite,
			func(to io.Writer) error { return page.WriteTrace(to, summary, process.Version()) }); err != nil {
			return err
		}
	}
	if d.Out.JSON {
		return report.TraceJSON(d.Env.Stdout, summary, process.Version())
	}
	return report.Trace(d.Env.Stdout, summary, d.TextOptions(nil, nil))
}

// checkFiles refuses to write over what exists, or what is read.
func (d *describing) checkFiles(paths []string) error {
	var errs []error
	if d.file != "" {
		errs = append(errs, files.CheckNew("out", d.file, d.Out.Overwrite, paths...))
		paths = append(slices.Clone(paths), d.file)
	}
	if d.html != "" {
		errs = append(errs, files.CheckNew("html", d.html, d.Out.Overwrite, paths...))
	}
	return errors.Join(errs...)
}

// checkNames returns what is wrong with --names.
func (d *describing) checkNames() error {
	switch {
	case d.names == "":
		return nil
	case d.file == "":
		return option.Errorf("names", "want --out, which they are written to")
	}
	return option.OneOf("names", trace.Names(d.names), keptNames...)
}

// index reads and describes files, and writes the compact form if that is wanted.
func (d *describing) index(ctx context.Context, o formats.Options, s trace.Selection, paths []string) (summary *trace.Summary, err error) {
	if d.file == "" {
		return files.ReadTrace(ctx, d.Env, d.Out.Quiet, o, s, paths, nil)
	}
	err = files.Write("out", d.file, d.Out.Overwrite, func(to io.Writer) (err error) {
		summary, err = files.ReadTrace(ctx, d.Env, d.Out.Quiet, o, s, paths, to)
		return err
	})
	return summary, err
}

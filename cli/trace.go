package cli

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/internal/option"
	"warp/pkg/report"
	"warp/pkg/trace"
	"warp/pkg/trace/formats"
	"warp/view/page"
)

// describing is the command that describes a trace.
type describing struct {
	printer
	traceFlags
	file  string // of the compact form
	names string // that it holds
	html  string // file of the page
}

func traceCommand(e *Env) *cli.Command {
	d := &describing{printer: printer{env: e}}
	flags := slices.Concat(d.traceFlags.flags(), d.out.common(), []cli.Flag{d.out.overwriteFlag()}, categorize(catOutput, []cli.Flag{
		&cli.StringFlag{Name: "out", Destination: &d.file, Usage: "`FILE` write the trace to this file in a compact form, about 20 bytes for each operation, which holds no names"},
		&cli.StringFlag{Name: "names", Destination: &d.names, Usage: "`NAMES` with --out: write the names of objects too, for \"warp replay --keys\": keep (as they are), or hash-dirs (each part between slashes is hashed, with a secret that is forgotten)", DefaultText: "no names"},
	}))
	flags = append(flags, categorize(catReport, []cli.Flag{htmlFlag(&d.html)})...)
	return &cli.Command{
		Name:      "trace",
		Usage:     "describe a record of real traffic: an access log, an audit log, a trace or a recording",
		ArgsUsage: "[FORMAT] FILE...",
		Description: "Reads files, compressed or not (gzip, zstd, xz), and prints what is in them: operations, rates, sizes, skew, working set, objects that are read before they are written, clients. " +
			"\"-\" reads from standard input. The format is recognized, or named: " + formatList() + ". Lines need no order.",
		UsageText: "warp trace --out=monday.trace access.log.gz",
		Flags:     flags,
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
	files := d.takeFormat(c.Args().Slice())
	if len(files) == 0 {
		return usageError("trace: want a file, as in \"warp trace access.log\", or - for standard input")
	}
	options, err := d.options()
	selection, selectionErr := d.selection()
	if err := usageErrors(err, selectionErr, d.checkNames()); err != nil {
		return err
	}
	selection.Names = trace.Names(d.names)
	if err := d.checkFiles(files); err != nil {
		return err
	}
	ctx, stop := d.env.cancelOnInterrupt(ctx)
	defer stop()
	summary, err := d.index(ctx, options, selection, files)
	if err != nil {
		if errors.Is(context.Cause(ctx), errInterrupt) {
			return withCode(exitInterrupted, errors.New("interrupted before the trace was read"))
		}
		return err
	}
	if d.html != "" {
		if err := writeFile("html", d.html, d.out.overwrite, func(to io.Writer) error { return page.WriteTrace(to, summary, Version()) }); err != nil {
			return err
		}
	}
	if d.out.json {
		return report.TraceJSON(d.env.Stdout, summary, Version())
	}
	return report.Trace(d.env.Stdout, summary, d.textOptions(nil, nil))
}

// checkFiles refuses to write over what exists, or what is read.
func (d *describing) checkFiles(files []string) error {
	var errs []error
	if d.file != "" {
		errs = append(errs, checkNew("out", d.file, d.out.overwrite, files...))
		files = append(slices.Clone(files), d.file)
	}
	if d.html != "" {
		errs = append(errs, checkNew("html", d.html, d.out.overwrite, files...))
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
	return option.OneOf("names", trace.Names(d.names), trace.KeptNames, trace.HashedNames)
}

// index reads and describes files, and writes the compact form if that is wanted.
func (d *describing) index(ctx context.Context, o formats.Options, s trace.Selection, files []string) (summary *trace.Summary, err error) {
	if d.file == "" {
		return readTrace(ctx, d.env, d.out.quiet, o, s, files, nil)
	}
	err = writeFile("out", d.file, d.out.overwrite, func(to io.Writer) (err error) {
		summary, err = readTrace(ctx, d.env, d.out.quiet, o, s, files, to)
		return err
	})
	return summary, err
}

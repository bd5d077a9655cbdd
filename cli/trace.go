package cli

import (
	"context"
	"errors"
	"io"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"warp/internal/option"
	"warp/pkg/op"
	"warp/pkg/recording"
	"warp/pkg/report"
	"warp/pkg/trace"
	"warp/pkg/trace/formats"
	"warp/pkg/trace/index"
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

// traceFlags say how a trace is read, and what of it counts.
type traceFlags struct {
	format, columns, maxBad, only, share string
	buckets                              []string
	from, to, idle                       time.Duration
}

const catTrace = "Trace"

func (t *traceFlags) flags() []cli.Flag {
	return categorize(catTrace, []cli.Flag{
		&cli.StringFlag{Name: "columns", Destination: &t.columns, Usage: "`NAME=PATH,...` where the fields of a log are, by path in JSON, number or name of a column: time or end, request (or method and uri), bucket, key, op, client, status, size, sent, received, range, latency (with :s, :ms, :us or :ns)"},
		&cli.StringFlag{Name: "max-bad", Destination: &t.maxBad, Value: "1%", Usage: "`LIMIT` fail if more records cannot be read: a number, or a percentage", DefaultText: "1%"},
		&cli.StringFlag{Name: "only", Destination: &t.only, Usage: "`KIND,...` only operations of these kinds: " + option.List(trace.Kinds...) + "; MULTIPART stands for all kinds of uploads in parts"},
		&cli.GenericFlag{Name: "of-bucket", Value: value{(*texts)(&t.buckets)}, Usage: "`BUCKET` only operations on this bucket of the trace; may be repeated"},
		&cli.DurationFlag{Name: "from", Destination: &t.from, Usage: "`TIME` leave out what is before, counted from the first operation"},
		&cli.DurationFlag{Name: "to", Destination: &t.to, Usage: "`TIME` leave out what is from then on", DefaultText: "the end"},
		&cli.StringFlag{Name: "scale", Destination: &t.share, Usage: "`PERCENT` of the objects, with all of their operations, so that skew stays as it is: 10%", DefaultText: "100%"},
		&cli.DurationFlag{Name: "compress-idle", Destination: &t.idle, Usage: "`TIME` shorten longer pauses between operations to this", DefaultText: "they stay"},
	})
}

// onlyUploads stands for all kinds of uploads in parts.
const onlyUploads op.Kind = "MULTIPART"

// onlyNames are the values of --only.
func onlyNames() []op.Kind { return append(slices.Clone(trace.Kinds), onlyUploads) }

// selection returns what of a trace counts.
func (t *traceFlags) selection() (s trace.Selection, err error) {
	var errs []error
	s.Buckets, s.From, s.To, s.CompressIdle = t.buckets, t.from, t.to, t.idle
	for name := range strings.SplitSeq(t.only, ",") {
		if t.only == "" {
			break
		}
		kind := op.Kind(strings.ToUpper(strings.TrimSpace(name)))
		switch {
		case kind == onlyUploads:
			s.Kinds = append(s.Kinds, trace.UploadKinds...)
		case slices.Contains(trace.Kinds, kind):
			s.Kinds = append(s.Kinds, kind)
		default:
			errs = append(errs, option.Invalid("only", name, option.List(onlyNames()...)))
		}
	}
	if t.share != "" {
		number, ok := strings.CutSuffix(t.share, "%")
		percent, parseErr := strconv.ParseFloat(number, 64)
		if !ok || parseErr != nil || !(percent > 0 && percent <= 100) {
			errs = append(errs, option.Invalid("scale", t.share, "a percentage above 0, at most 100%, as in 10%"))
		}
		s.Share = percent / 100
	}
	for _, f := range []struct {
		flag  string
		value time.Duration
	}{{"from", t.from}, {"to", t.to}, {"compress-idle", t.idle}} {
		if f.value < 0 {
			errs = append(errs, option.Invalid(f.flag, f.value, "0 or more"))
		}
	}
	if t.to > 0 && t.to <= t.from {
		errs = append(errs, option.Errorf("from, to", "%v is not before %v", t.from, t.to))
	}
	return s, errors.Join(errs...)
}

// options returns how the trace is read.
func (t *traceFlags) options() (o formats.Options, err error) {
	var errs []error
	o.Format = t.format
	limit, err := parseBudget(t.maxBad)
	if err != nil || limit.over > 0 {
		errs = append(errs, option.Invalid("max-bad", t.maxBad, "a number such as 10, or a percentage such as 0.1%"))
	}
	o.MaxBad = formats.Limit{Number: limit.number, Percent: limit.percent}
	if t.columns != "" {
		if o.Columns, err = formats.ParseColumns(t.columns); err != nil {
			errs = append(errs, option.Wrap("columns", err))
		}
	}
	return o, errors.Join(errs...)
}

// takeFormat takes the name of a format off the arguments, if they begin with one.
func (t *traceFlags) takeFormat(args []string) (files []string) {
	if len(args) > 1 && slices.Contains(formats.Names(), args[0]) {
		t.format, args = args[0], args[1:]
	}
	return args
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
	ctx, stop := cancelOnInterrupt(ctx, d.env)
	defer stop()
	summary, err := d.index(ctx, options, selection, files)
	if err != nil {
		if errors.Is(context.Cause(ctx), errInterrupt) {
			return &codedError{exitInterrupted, errors.New("interrupted before the trace was read")}
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

// readTrace reads and describes files, and writes the compact form to out, which may be nil.
func readTrace(ctx context.Context, e *Env, quiet bool, o formats.Options, s trace.Selection, files []string, out io.Writer) (*trace.Summary, error) {
	inputs, done, err := traceInputs(e, quiet, files)
	if err != nil {
		return nil, err
	}
	defer done()
	defer debug.SetGCPercent(debug.SetGCPercent(analysisGC))
	r, err := formats.NewReader(o, inputs...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	return index.Build(ctx, r, s, out)
}

// traceInputs prepares files for reading, with progress; "-" is standard input, which is read only once.
func traceInputs(e *Env, quiet bool, files []string) (list []recording.Input, done func(), err error) {
	progress := newReadProgress(e, quiet)
	stdin := false
	for _, path := range files {
		if path != "-" {
			list = append(list, recording.Input{Name: path, Open: func() (io.ReadCloser, error) { return progress.open(path) }})
			continue
		}
		if stdin {
			progress.close()
			return nil, nil, usageError("\"-\" is given twice, but stands for the one standard input")
		}
		stdin = true
		list = append(list, recording.Input{Name: "standard input", Open: func() (io.ReadCloser, error) { return io.NopCloser(e.Stdin), nil }})
	}
	return list, progress.close, nil
}

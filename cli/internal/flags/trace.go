package flags

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/process"
	"warp/internal/option"
	"warp/pkg/op"
	"warp/pkg/trace"
	"warp/pkg/trace/formats"
)

// Trace say how a trace is read, and what of it counts.
type Trace struct {
	format, columns, maxBad, only, share string
	buckets                              []string
	from, to, idle                       time.Duration
}

// Flags are those about a trace.
func (t *Trace) Flags() []cli.Flag {
	return Categorize(CatTrace, []cli.Flag{
		&cli.StringFlag{
			Name:        "columns",
			Destination: &t.columns,
			Usage:       "`NAME=PATH,...` fields of a log (see \"warp help columns\")",
		},
		&cli.StringFlag{
			Name:        "max-bad",
			Destination: &t.maxBad,
			Value:       "1%",
			Usage:       "`LIMIT` fail if more records can't be read: a number or a percentage",
			DefaultText: "1%",
		},
		&Choice{Values: func() []string { return Offered(onlyNames()...)() }, Several: true, StringFlag: cli.StringFlag{
			Name:        "only",
			Destination: &t.only,
			Usage:       "`KIND,...` only these kinds of operations, as in GET,PUT",
		}},
		&cli.GenericFlag{
			Name:  "of-bucket",
			Value: Repeated(&t.buckets),
			Usage: "`BUCKET` only operations on this bucket of the trace; repeatable",
		},
		&cli.DurationFlag{
			Name:        "from",
			Destination: &t.from,
			Sources:     process.CommandLineOnly(), // --from of run is a tool
			Usage:       "`TIME` skip operations before this time of the trace",
		},
		&cli.DurationFlag{Name: "to", Destination: &t.to, Usage: "`TIME` skip operations from this time on", DefaultText: "the end"},
		&cli.StringFlag{
			Name:        "scale",
			Destination: &t.share,
			Usage:       "`PERCENT` share of the objects to use, with all their operations: 10%",
			DefaultText: "100%",
		},
		&cli.DurationFlag{
			Name:        "compress-idle",
			Destination: &t.idle,
			Usage:       "`TIME` shorten longer pauses between operations to this",
			DefaultText: "they stay",
		},
	})
}

// Selection returns what of a trace counts.
func (t *Trace) Selection() (s trace.Selection, err error) {
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

// Options returns how the trace is read.
func (t *Trace) Options() (o formats.Options, err error) {
	var errs []error
	o.Format = t.format
	limit, err := ParseBudget(t.maxBad)
	if err != nil || limit.Over > 0 {
		errs = append(errs, option.Invalid("max-bad", t.maxBad, "a number such as 10, or a percentage such as 0.1%"))
	}
	o.MaxMalformed = formats.Limit{Number: limit.number, Percent: limit.Percent}
	if t.columns != "" {
		if o.Columns, err = formats.ParseColumns(t.columns); err != nil {
			errs = append(errs, option.Wrap("columns", err))
		}
	}
	return o, errors.Join(errs...)
}

// TakeFormat takes the name of a format off the arguments, if they begin with one.
func (t *Trace) TakeFormat(args []string) (files []string) {
	if len(args) > 1 && slices.Contains(formats.Names(), args[0]) {
		t.format, args = args[0], args[1:]
	}
	return args
}

// onlyUploads stands for all kinds of uploads in parts.
const onlyUploads op.Kind = "MULTIPART"

// onlyNames are the values of --only.
func onlyNames() []op.Kind { return append(slices.Clone(trace.Kinds), onlyUploads) }

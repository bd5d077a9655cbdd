package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/files"
	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/reports"
	"warp/cli/internal/runs"
	"warp/internal/clock"
	"warp/internal/option"
	"warp/pkg/bench"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/units"
)

// verifying is the command that compares what runs left with what they uploaded.
type verifying struct {
	runs.Revisit
	json       bool
	sample     flags.Percent
	from       uint64
	concurrent int
}

func verifyCommand(e *process.Env) *cli.Command {
	v := &verifying{Revisit: runs.Revisit{Env: e}, sample: 100}
	list := v.Revisit.Flags()
	list = append(list, flags.Categorize(flags.CatData, []cli.Flag{
		flags.PercentFlag("sample", "`PERCENT` share of the objects to read", &v.sample),
		&cli.Uint64Flag{
			Name:        "from",
			Destination: &v.from,
			Sources:     process.CommandLineOnly(), // --from of run is a tool
			Usage:       "`N` skip the first N objects, to continue an interrupted verification",
		},
	})...)
	list = append(list, flags.Categorize(flags.CatLoad, []cli.Flag{
		&cli.IntFlag{
			Name:        "concurrent",
			Destination: &v.concurrent,
			Sources:     process.CommandLineOnly(), // that of benchmarks may change over time
			Value:       20,
			Usage:       "`THREADS` number of threads that read",
		},
	})...)
	list = append(list, flags.Categorize(flags.CatOutput, []cli.Flag{
		&cli.BoolFlag{Name: "json", Destination: &v.json, Usage: "print the result as JSON, alone on standard output"},
	})...)
	return &cli.Command{
		Name:      "verify",
		Usage:     "compare what a run left in its bucket with what it uploaded",
		ArgsUsage: "RECORDING...",
		Description: "Reads the objects of a run that kept its data (--keep-data), and compares every byte with what the run " +
			"uploaded. The recording says which objects must exist, its seed what they contain. Prints a line for each object that " +
			"is missing, wrong or unreadable, and then exits with 6. Host and bucket come from the recording; credentials are in no " +
			"recording.",
		UsageText: "warp verify --sample=10 warp-put-2026-11-21-101500-Xk3f.csv.zst",
		Flags:     list,
		Action:    v.action,
	}
}

func (v *verifying) action(ctx context.Context, cmd *cli.Command) error {
	files := cmd.Args().Slice()
	switch {
	case len(files) == 0:
		return process.UsageError("verify: want the recording of the run, as in \"warp verify warp-put-....csv.zst\"")
	case len(files) > 1 && v.from > 0:
		return process.UsageErrors(option.Errorf("from", "is for one recording; verify the others separately"))
	case !(v.sample > 0 && v.sample <= 100):
		return process.UsageErrors(option.Invalid("sample", float64(v.sample), "a percentage above 0, up to 100"))
	case v.concurrent < 1 || v.concurrent > bench.MaxThreads:
		return process.UsageErrors(option.Invalid("concurrent", v.concurrent, fmt.Sprintf("1 to %d", bench.MaxThreads)))
	}
	ctx, stop := v.Env.CancelOnInterrupt(ctx)
	defer stop()
	var errs []error
	verdicts := []reports.Verdict{}
	var problems uint64
	for _, path := range files {
		all, err := v.verify(ctx, cmd, path)
		for _, d := range all {
			problems += d.Verified.Problems()
		}
		verdicts = append(verdicts, all...)
		errs = append(errs, runs.ErrorOf(path, err))
	}
	if v.json {
		out := json.NewEncoder(v.Env.Stdout)
		out.SetIndent("", "  ")
		errs = append(errs, out.Encode(verdicts))
	}
	if problems > 0 {
		errs = append(errs, process.WithCode(process.ExitDiffers, fmt.Errorf("%s not as uploaded", units.Plural(int64(problems), "object"))))
	}
	err := errors.Join(errs...)
	if errors.Is(context.Cause(ctx), process.ErrInterrupt) {
		return process.WithCode(process.ExitInterrupted, errors.Join(err, errors.New("interrupted")))
	}
	return err
}

// verify verifies the runs that a recording is of.
func (v *verifying) verify(ctx context.Context, cmd *cli.Command, path string) (verdicts []reports.Verdict, err error) {
	runs, err := runs.Headers(path)
	if err != nil {
		return nil, err
	}
	if len(runs) > 1 && v.from > 0 {
		return nil, process.UsageErrors(option.Errorf("from", "the recording is of %d runs; verify their own recordings", len(runs)))
	}
	var all []*bench.Verification
	for _, run := range runs {
		if run.Embedded && v.Target.Host == "" {
			return nil, errors.New("the run had a server of its own, which is gone with all objects; use --host with --keep-data")
		}
		plan, err := bench.Decode(run.Plan)
		if err != nil {
			return nil, fmt.Errorf("its plan is not one of this version: %w", err)
		}
		clients, client := run.Clients, (*uint64)(nil)
		if run.Client != nil {
			clients, client = run.Client.Total, &run.Client.Index
		}
		one, err := bench.NewVerification(plan, clients, client)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	if err := addOperations(path, all); err != nil {
		return nil, err
	}
	for _, one := range all {
		d, err := v.compare(ctx, cmd, path, one)
		if d != nil {
			verdicts = append(verdicts, *d)
		}
		if err != nil {
			return verdicts, err
		}
	}
	return verdicts, nil
}

// addOperations reads what the runs did.
func addOperations(path string, all []*bench.Verification) (err error) {
	r, err := files.Input(path).Reader()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for r.Scan() {
		for _, v := range all {
			if v.Add(r.Op()) {
				break
			}
		}
	}
	return r.Err()
}

// compare compares what one run left.
func (v *verifying) compare(ctx context.Context, cmd *cli.Command, path string, one *bench.Verification) (*reports.Verdict, error) {
	cfg, err := v.Config(ctx, cmd, one.Plan.Target, v.concurrent)
	if err != nil {
		return nil, err
	}
	store, err := connect.New(cfg)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	watch := v.Watcher(v.Quiet)
	defer watch.Close()
	if err := runs.Reachable(ctx, store); err != nil {
		return nil, err
	}
	d := &reports.Verdict{Recording: path, Problems: []bench.Problem{}}
	one.Store, one.Threads, one.From, one.Sample, one.Observer = store, v.concurrent, v.from, float64(v.sample)/100, watch
	one.Found = func(p bench.Problem) {
		if v.json {
			d.Problems = append(d.Problems, p)
		} else {
			fmt.Fprintln(v.Env.Stdout, strings.TrimRight(strings.Join([]string{p.Kind, p.Key, p.Detail}, "\t"), "\t"))
		}
	}
	began := clock.Now()
	res, err := one.Run(ctx)
	taken := clock.Now().Sub(began)
	d.Verified, d.Seconds = *res, taken.Seconds()
	watch.Close()
	v.Inform(fmt.Sprintf("%s: %s.", path, verdictText(res, &cfg, taken)))
	return d, err
}

// verdictText says in a line what was found.
func verdictText(r *bench.Verified, c *s3.Config, taken time.Duration) string {
	text := fmt.Sprintf("read %s (%s) of %s in %s: ", units.Plural(int64(r.Objects), "object"), units.Size(r.Bytes), runs.BucketsOf(c),
		units.Duration(taken))
	var parts []string
	for _, k := range []struct {
		n    uint64
		name string
	}{{r.Missing, "missing"}, {r.Wrong, "wrong"}, {r.Unreadable, "unreadable"}} {
		if k.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", k.n, k.name))
		}
	}
	switch {
	case len(parts) > 0:
		text += strings.Join(parts, ", ")
	case r.Objects == 0 && r.Total > 0:
		text += fmt.Sprintf("none of %d was to be read, or is there", r.Total)
	case r.Objects == 0:
		text += "the recording has no uploads"
	case r.Objects == r.Rewritten:
		text += "all are there; what they hold depends on which upload came last, and was not compared"
	case r.Rewritten > 0:
		text += fmt.Sprintf("all as uploaded but %d that the run overwrote (only their size was compared)", r.Rewritten)
	default:
		text += "all as uploaded"
	}
	if !r.Complete {
		text += fmt.Sprintf("; go on with --from=%d", r.Next)
	}
	return text
}

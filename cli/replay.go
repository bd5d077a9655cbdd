package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/internal/option"
	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/trace"
)

// replaying is the command that replays a trace.
type replaying struct {
	*benchmark
	traceFlags
	speed   string
	missing string
	loop    bool
}

// replayLoad are the flags about load that a replay has too; the trace says the rest.
var replayLoad = []string{"duration", "max-inflight", "max-late", "ok", "syncstart"}

// notReplayed are other flags of benchmarks that make no sense here.
var notReplayed = []string{"obj.size", "obj.randsize", "print-scenario", "warp-client", "warp-client-token", "shared-data"}

func replayCommand(e *Env) *cli.Command {
	r := &replaying{benchmark: newBenchmark(e, bench.ReplayInfo)}
	c := r.benchmark.command()
	c.Usage, c.ArgsUsage = "perform the operations of a trace when they were performed then", "[FORMAT] FILE..."
	c.Description = "Reads records of real traffic as \"warp trace\" does, and sends GET, PUT, HEAD and DELETE requests at their times, whether earlier ones have finished or not (open loop), on objects of its own. " +
		"What is read before it is written is uploaded first, at its size. Operations on an object keep their order. Only objects that the replay made are deleted."
	c.UsageText = "warp replay --host=s3.example.com:9000 --speed=2 monday.trace"
	c.Action = r.action
	c.Flags = slices.DeleteFunc(c.Flags, func(f cli.Flag) bool {
		name := f.Names()[0]
		return categoryOf(f) == catLoad && !slices.Contains(replayLoad, name) || categoryOf(f) == catClients || slices.Contains(notReplayed, name)
	})
	for _, f := range c.Flags {
		switch d := f.(type) {
		case *cli.IntFlag:
			if d.Name == "max-inflight" {
				d.Usage, d.DefaultText = "`N` at most this many operations at a time; those due beyond are late", fmt.Sprintf("%d for each host", inflightPerHost)
			}
		case *cli.DurationFlag:
			switch d.Name {
			case "duration":
				d.Value, d.Usage, d.DefaultText = 0, "`DURATION` end after this time", "the end of the trace"
			case "max-late":
				d.Usage = "`DURATION` an operation that is later than this is not sent, and reported as unsent; 0: all are sent in the end"
			}
		}
	}
	c.Flags = slices.Concat(r.traceFlags.flags(), categorize(catTrace, []cli.Flag{
		&cli.StringFlag{Name: "speed", Destination: &r.speed, Value: "1", Usage: "`FACTOR` times as fast as it was: 2, 0.5 or 2x", DefaultText: "1"},
		&cli.BoolFlag{Name: "loop", Destination: &r.loop, Usage: "begin again at the end, until --duration is over"},
		&cli.StringFlag{Name: "missing", Destination: &r.missing, Value: bench.MissingCreate, Usage: "`POLICY` for objects that are read before they are written: create them first, skip these reads, or expect 404", DefaultText: bench.MissingCreate},
	}), c.Flags)
	return c
}

// action performs the command.
func (r *replaying) action(ctx context.Context, c *cli.Command) error {
	files := r.takeFormat(c.Args().Slice())
	if len(files) == 0 {
		return usageError("replay: want a file, as in \"warp replay access.log\", or - for standard input")
	}
	workload, err := r.replay(files)
	options, optionsErr := r.traceFlags.options()
	selection, selectionErr := r.selection()
	if err := usageErrors(err, optionsErr, selectionErr); err != nil {
		return err
	}
	if len(selection.Kinds) == 0 {
		selection.Kinds = append(slices.Clone(bench.ReplayInfo.Kinds), op.Copy)
	}
	selection.SkipMissing = r.missing == bench.MissingSkip
	file, err := r.index(ctx, options, selection, files)
	if err != nil {
		return err
	}
	defer func() { _ = file.close() }()
	workload.Summary = file.player.Summary
	r.workload = workload
	if err := r.makePlan(ctx, c.IsSet, workload); err != nil {
		return err
	}
	r.traces = func(string) (*trace.Player, error) { return file.player, nil }
	return r.measure(ctx)
}

// replay makes the workload of the flags.
func (r *replaying) replay(files []string) (*bench.Replay, error) {
	w := &bench.Replay{Trace: strings.Join(files, " "), Loop: r.loop, Missing: r.missing}
	var errs []error
	var err error
	if w.Speed, err = strconv.ParseFloat(strings.TrimSuffix(r.speed, "x"), 64); err != nil || !(w.Speed > 0 && w.Speed <= 1e6) {
		errs = append(errs, option.Invalid("speed", r.speed, "a factor above 0, as in 2 or 0.5x"))
	}
	errs = append(errs, option.OneOf("missing", r.missing, bench.MissingPolicies...))
	if r.loop && r.load.duration == 0 {
		errs = append(errs, option.Errorf("loop", "want --duration, which ends it"))
	}
	return w, errors.Join(errs...)
}

// makePlan turns the flags into a plan.
func (r *replaying) makePlan(ctx context.Context, isSet func(flag string) bool, w *bench.Replay) error {
	inflight := r.load.maxInFlight
	r.load.concurrent, r.load.maxInFlight = "1", 0 // there is no such flag; and the other is of a rate
	late := r.load.maxLate
	r.data.size = strconv.FormatInt(max(1, w.Summary.Objects.FirstBytes/max(1, w.Summary.Objects.First)), 10) // for what the data set takes
	errs := []error{r.planOfFlags(ctx, isSet)}
	ph := &r.plan.Phases[0]
	ph.Timed, ph.MaxLate = true, late
	if !r.loop {
		ph.Ops = uint64(w.Summary.Operations)
	}
	switch {
	case inflight < 0:
		errs = append(errs, option.Invalid("max-inflight", inflight, "at least 1"))
	case inflight > 0:
		ph.Concurrency = inflight
	default:
		ph.Concurrency = min(inflightPerHost*max(1, len(r.plan.Target.Hosts)), bench.MaxThreads)
	}
	var err error
	r.compiled, err = bench.Compile(&r.plan)
	return usageErrors(errors.Join(append(errs, err, r.checkRun())...))
}

// indexed is a trace in the compact form, in a file without a name.
type indexed struct {
	file   *os.File
	player *trace.Player
}

func (i *indexed) close() error {
	if i.player != nil {
		i.player.Close()
	}
	err := i.file.Close()
	_ = os.Remove(i.file.Name()) // where it could not be removed while it was open
	return err
}

// index reads files, and brings them into the compact form.
func (r *replaying) index(ctx context.Context, o trace.Options, s trace.Selection, files []string) (_ *indexed, err error) {
	ctx, stop := cancelOnInterrupt(ctx, r.env)
	defer stop()
	f, err := os.CreateTemp("", "warp-trace-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name())
	i := &indexed{file: f}
	defer func() {
		if err != nil {
			_ = i.close()
		}
	}()
	out := bufio.NewWriterSize(f, 1<<20)
	_, err = readTrace(ctx, r.env, r.out.quiet, o, s, files, out)
	if err = errors.Join(err, out.Flush()); err != nil {
		if errors.Is(context.Cause(ctx), errInterrupt) {
			err = &codedError{exitInterrupted, errors.New("interrupted before the trace was read")}
		}
		return nil, err
	}
	size, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	opened, err := trace.Open(f, size)
	if err != nil {
		return nil, err
	}
	i.player = trace.NewPlayer(opened)
	return i, nil
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/runs"
	"warp/cli/internal/scenarios"
	"warp/internal/option"
	"warp/pkg/bench"
	"warp/pkg/bench/replay"
	"warp/pkg/trace"
)

// replaying is the command that replays a trace.
type replaying struct {
	*runs.Benchmark
	flags.Trace
	part string // of the objects, as in 1/3
}

// replayLoad are the flags about load that a replay has too; the trace says the rest.
var replayLoad = []string{"duration", "max-inflight", "max-late", "ok", "syncstart"}

// notReplayed are other flags of benchmarks that make no sense here.
var notReplayed = []string{"trace", "obj.size", "obj.randsize", "print-scenario", "shared-data"}

func replayCommand(e *process.Env) *cli.Command {
	r := &replaying{Benchmark: runs.New(e, replay.Info)}
	c := r.Benchmark.Command()
	c.Usage, c.ArgsUsage = "perform the operations of a trace at their original times", "[FORMAT] FILE..."
	c.Description = "Reads records of real traffic, as \"warp trace\" does, and sends their requests (downloads, uploads in one piece " +
		"or in parts, copies, listings, HEAD and DELETE) at their times, whether earlier ones have finished or not (open loop; " +
		"--think=original is a closed one). It uses objects of its own, and deletes no others. Objects that are read before they are " +
		"written are uploaded first, at their size. Operations on an object keep their order."
	c.UsageText = "warp replay --host=s3.example.com:9000 --speed=2 monday.trace"
	c.Action = r.action
	c.Flags = slices.DeleteFunc(c.Flags, func(f cli.Flag) bool {
		name := f.Names()[0]
		return scenarios.CategoryOf(f) == flags.CatLoad && !slices.Contains(replayLoad, name) || slices.Contains(notReplayed, name)
	})
	for _, f := range c.Flags {
		switch d := f.(type) {
		case *cli.IntFlag:
			if d.Name == "max-inflight" {
				d.Usage, d.DefaultText = "`N` maximum operations at a time", fmt.Sprintf("%d for each host; %d with --think",
					flags.InflightPerHost, replay.DefaultMaxClients)
			}
		case *cli.DurationFlag:
			switch d.Name {
			case "duration":
				d.Value, d.Usage, d.DefaultText = 0, "`DURATION` end after this time", "the end of the trace"
			case "max-late":
				d.Usage = "`DURATION` leave out operations later than this; 0: send all"
			}
		}
	}
	c.Flags = slices.Concat(r.Trace.Flags(), flags.Categorize(flags.CatTrace, []cli.Flag{
		&cli.StringFlag{
			Name:        "part",
			Destination: &r.part,
			Usage:       "`I/N` replay part I of N of the objects; other machines replay the others",
			DefaultText: "all",
		},
	}), c.Flags)
	return c
}

// action performs the command.
func (r *replaying) action(ctx context.Context, c *cli.Command) error {
	files := r.TakeFormat(c.Args().Slice())
	if len(files) == 0 {
		return process.UsageError("replay: want a file, as in \"warp replay access.log\", or - for standard input")
	}
	w := r.Workload.(*replay.Replay)
	w.Trace = strings.Join(files, " ")
	options, err := r.Trace.Options()
	selection, selectionErr := r.Selection()
	partErr := r.selectPart(&selection)
	if err := process.UsageErrors(err, selectionErr, partErr, runs.CheckReplay(r.Benchmark, w, selection.Parts)); err != nil {
		return err
	}
	if err := runs.OpenTrace(ctx, r.Benchmark, w, options, selection, files); err != nil {
		return err
	}
	defer r.Traces.Close()
	if err := r.makePlan(ctx, c.IsSet); err != nil {
		return err
	}
	return r.Measure(ctx)
}

// maxParts is into how many parts a trace can be divided.
const maxParts = 1000

// selectPart selects a part of the objects, if that is wanted.
func (r *replaying) selectPart(s *trace.Selection) error {
	if r.part == "" {
		return nil
	}
	part, parts, _ := strings.Cut(r.part, "/")
	i, err := strconv.Atoi(part)
	n, err2 := strconv.Atoi(parts)
	switch {
	case err != nil || err2 != nil || i < 1 || i > n || n > maxParts:
		return option.Invalid("part", r.part, fmt.Sprintf("a part and their number, at most %d, as in 1/3", maxParts))
	case s.CompressIdle > 0:
		return option.Errorf("part, compress-idle",
			"pauses differ between parts; first shorten the pauses of the whole trace, with \"warp trace --compress-idle --out\"")
	}
	s.Part, s.Parts = i, n
	return nil
}

// makePlan turns the flags into a plan.
func (r *replaying) makePlan(ctx context.Context, isSet func(flag string) bool) error {
	inflight := r.Load.MaxInFlight
	r.Load.Concurrent, r.Load.MaxInFlight = "1", 0 // there is no such flag; and the other is of a rate
	errs := []error{r.PlanOfFlags(ctx, isSet)}
	ph := &r.Plan.Phases[0]
	switch {
	case inflight < 0:
		errs = append(errs, option.Invalid("max-inflight", inflight, "at least 1"))
	case inflight > 0:
		ph.Concurrency = inflight
	case r.Workload.(*replay.Replay).Think != "": // setTimed did
	default:
		ph.Concurrency = min(flags.InflightPerHost*max(1, len(r.Plan.Target.Hosts)), bench.MaxThreads)
	}
	var err error
	r.Compiled, err = bench.Compile(&r.Plan)
	return process.UsageErrors(errors.Join(append(errs, err, r.CheckRun())...))
}

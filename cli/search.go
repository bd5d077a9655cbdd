package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/files"
	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/runs"
	"warp/cli/internal/scenarios"
	"warp/cli/internal/usage"
	"warp/internal/option"
	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/load"
	"warp/pkg/runinfo"
	"warp/pkg/search"
)

// searchRun is the command that searches for the highest load of one operation.
type searchRun struct {
	*runs.Benchmark
	slo     []string
	control string
	strict  bool
	confirm bool
	budget  time.Duration
	trial   time.Duration
	goOn    string
}

func searchCommand(e *process.Env) *cli.Command {
	c := &cli.Command{
		Name:      "search",
		Usage:     "find the highest load at which an operation meets objectives",
		ArgsUsage: "OPERATION",
		Description: "Runs trials at different loads, choosing each from the results so far, until it has found the highest load at " +
			"which the store meets objectives such as p99<50ms; then holds that load for a minute. Takes about 15 minutes. Each trial " +
			"is a phase of the recording. Takes the flags of the operation too, except for load and length: \"warp search get --help\".",
		UsageText: "warp search get --host=s3.example.com:9000 --obj.size=1MiB --slo='p99<50ms' --slo='errors<0.1%'",
		Metadata:  usage.WithShared((&searchRun{}).flags()),
		Action:    usage.MissingOperation("search", "warp search get --slo='p99<50ms'"),
	}
	c.Commands = usage.OperationCommands(e, func(info work.Info) *cli.Command { return newSearch(e, info).command() })
	return c
}

func newSearch(e *process.Env, info work.Info) *searchRun {
	s := &searchRun{Benchmark: runs.New(e, info)}
	s.Verb = "search-" + info.Name
	return s
}

// command is the command of one operation.
func (s *searchRun) command() *cli.Command {
	c := s.Benchmark.Command()
	c.Description = "Each trial is a run of " + s.Info.Name + ": see \"warp search --help\". " + c.Description
	c.UsageText = "warp search " + s.Info.Name + " --host=s3.example.com:9000 --slo='p99<50ms'"
	c.Action = s.action
	c.Flags = slices.DeleteFunc(c.Flags, func(f cli.Flag) bool {
		name := f.Names()[0]
		return scenarios.CategoryOf(f) == flags.CatLoad && !slices.Contains(flags.SearchLoad, name) || name == "print-scenario"
	})
	for _, f := range c.Flags {
		if d, ok := f.(*cli.IntFlag); ok && d.Name == "max-inflight" {
			d.Usage, d.DefaultText = "`N` maximum operations at a time, per client", fmt.Sprintf("%d for each host", flags.InflightPerHost)
		}
		if d, ok := f.(*cli.StringFlag); ok && d.Name == "max-errors" {
			d.Value, d.DefaultText = "100%", "100%" // overload is part of a search
		}
		if d, ok := f.(*flags.Choice); ok && d.Name == "arrivals" {
			d.Usage = "`SPACING` even, or poisson (random, like independent users)"
		}
	}
	c.Flags = append(c.Flags, s.flags()...)
	return c
}

// flags returns the flags of a search, whatever the operation.
func (s *searchRun) flags() []cli.Flag {
	return flags.Categorize(flags.CatSearch, []cli.Flag{
		&cli.StringSliceFlag{
			Name:        "slo",
			Destination: &s.slo,
			Usage:       "`OBJECTIVE` what the store must meet, as in p99<50ms (see \"warp help objectives\")",
		},
		&flags.Choice{Values: flags.Offered(search.Controls...), StringFlag: cli.StringFlag{
			Name:        "control",
			Destination: &s.control,
			Value:       string(search.Rate),
			Usage:       "`LOAD` what to vary: rate (open loop) or threads (closed loop)",
		}},
		&cli.BoolFlag{Name: "strict", Destination: &s.strict, Usage: "hold the load for two minutes instead of one"},
		&cli.BoolFlag{
			Name: "confirm", Destination: &s.confirm, Value: true,
			Usage: "hold a boundary for five minutes before claiming it",
		},
		&cli.DurationFlag{
			Name: "budget", Destination: &s.budget, Value: 20 * time.Minute,
			Usage: "`DURATION` maximum time of all trials together",
		},
		&cli.DurationFlag{
			Name:        "trial",
			Destination: &s.trial,
			Value:       10 * time.Second,
			Usage:       "`DURATION` length of a trial, 100ms to 1m; short ones miss rare bad seconds",
		},
		&cli.StringFlag{
			Name:        "continue",
			Destination: &s.goOn,
			Usage:       "`FILE` continue the search of this recording, with the same flags",
		},
	})
}

func (s *searchRun) action(ctx context.Context, c *cli.Command) error {
	if c.Args().Present() {
		return usage.Unexpected(c)
	}
	if err := s.makePlan(ctx, c.IsSet); err != nil {
		return err
	}
	return s.Measure(ctx)
}

// makePlan turns the flags into a plan whose phase is a search.
func (s *searchRun) makePlan(ctx context.Context, isSet func(flag string) bool) error {
	maxInflight := s.Load.MaxInFlight
	s.Load.Concurrent = "1" // there is no such flag
	s.Load.MaxInFlight = 0  // of the stream of a plan: trials have it otherwise
	var arrivals load.Arrivals
	if s.Load.Arrivals != "even" {
		arrivals, s.Load.Arrivals = load.Arrivals(s.Load.Arrivals), "even" // of a schedule, which each trial has of its own
	}
	errs := []error{s.PlanOfFlags(ctx, isSet)}
	ph := &s.Plan.Phases[0]
	ph.Duration, ph.Search = 0, &bench.Search{Arrivals: arrivals, Config: search.Config{
		Control: search.Control(s.control),
		Strict:  s.strict,
		Budget:  s.budget,
		Trial:   s.trial,
		Seed:    s.Plan.Seed,
		Confirm: s.confirm,
	}}
	var err error
	ph.Search.Objectives, err = search.ParseObjectives(s.slo...)
	errs = append(errs, err)
	unread := err != nil
	switch {
	case maxInflight < 0:
		errs = append(errs, option.Invalid("max-inflight", maxInflight, "at least 1"))
	case maxInflight > 0:
		ph.Concurrency = maxInflight
	default:
		ph.Concurrency = min(flags.InflightPerHost*max(1, len(s.Plan.Target.Hosts)), bench.MaxThreads)
	}
	if s.goOn != "" {
		errs = append(errs, s.resumeFrom(ph.Search))
	}
	if unread { // what is wrong with objectives that could not be read is said already
		ph.Search.Objectives, _ = search.ParseObjectives("p99<1s")
	}
	s.Compiled, err = bench.Compile(&s.Plan)
	errs = append(errs, err, s.CheckRun())
	return process.UsageErrors(errors.Join(errs...))
}

// resumeFrom adds the trials of a recording to a search.
func (s *searchRun) resumeFrom(to *bench.Search) error {
	heads, err := runs.Headers(s.goOn)
	if err == nil && heads[0].Plan.Phases[0].Search == nil {
		err = errors.New("it is no recording of a search")
	}
	if err != nil {
		return option.Errorf("continue", "%s: %w", s.goOn, err)
	}
	in := files.Input(s.goOn)
	r, err := in.Reader()
	if err != nil {
		return option.Errorf("continue", "%s: %w", s.goOn, files.WithoutPath(err))
	}
	end := runinfo.ParseEnd(r.Trailer())
	if err := r.Close(); err != nil {
		return option.Errorf("continue", "%s: %w", s.goOn, err)
	}
	was := heads[0].Plan.Phases[0]
	if len(end.Searches) != 1 {
		return option.Errorf("continue", "%s: the recording has no end, so it does not say how its trials went", s.goOn)
	}
	rec := &end.Searches[0]
	if err := rec.Check(); err != nil {
		return option.Errorf("continue", "%s: %w", s.goOn, err)
	}
	ph := &s.Plan.Phases[0]
	before, now := was.Search.Config, to.Config
	for _, c := range []*search.Config{&before, &now} {
		c.Seed, c.Budget, c.Strict, c.Confirm = 0, 0, false, false
	}
	clients := max(1, len(s.Remote))
	if fmt.Sprint(before) != fmt.Sprint(now) || was.Workload != ph.Workload || string(was.Params) != string(ph.Params) ||
		rec.Config.MaxInflight != ph.Concurrency*clients {
		return option.Errorf("continue", "%s: it is of a search with other flags, whose trials say nothing about this one", s.goOn)
	}
	to.Done, to.Seed = rec.Trials, was.Search.Seed
	return nil
}

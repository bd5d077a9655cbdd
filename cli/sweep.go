package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/runs"
	"warp/cli/internal/scenarios"
	"warp/cli/internal/usage"
	"warp/internal/option"
	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/script"
	"warp/pkg/search"
)

// sweepRun is the command that measures one operation at several values of its flags.
type sweepRun struct {
	*runs.Benchmark
	over    []string
	repeats int
	shuffle bool
}

func sweepCommand(e *process.Env) *cli.Command {
	c := &cli.Command{
		Name:      "sweep",
		Usage:     "measure an operation at several loads, sizes or other values",
		ArgsUsage: "OPERATION",
		Description: "Measures an operation once for each value of a flag, or for each pair of values of two flags: threads, rate, " +
			"obj.size, part.size, range-size, batch, or any other number. Prints throughput and latency of each point, draws them, and " +
			"states the knee, how throughput scales, or how latency depends on size. Each point is a phase of the recording. Takes " +
			"the flags of the operation: \"warp sweep get --help\".",
		UsageText: "warp sweep get --host=s3.example.com:9000 --over=threads=1,2,4..256",
		Metadata:  usage.WithShared((&sweepRun{}).flags()),
		Action:    usage.MissingOperation("sweep", "warp sweep get --over=threads=1,2,4..256"),
	}
	c.Commands = usage.OperationCommands(e, func(info work.Info) *cli.Command { return newSweep(e, info).command() })
	return c
}

func newSweep(e *process.Env, info work.Info) *sweepRun {
	s := &sweepRun{Benchmark: runs.New(e, info)}
	s.Verb = "sweep-" + info.Name
	return s
}

// command is the command of one operation.
func (s *sweepRun) command() *cli.Command {
	c := s.Benchmark.Command()
	c.Description = "Each point is a run of " + s.Info.Name + ": see \"warp sweep --help\". " + c.Description
	c.UsageText = "warp sweep " + s.Info.Name + " --host=s3.example.com:9000 --over=threads=1,2,4..256"
	c.Action = s.action
	for _, f := range c.Flags {
		d, ok := f.(*cli.DurationFlag)
		switch {
		case ok && d.Name == "duration":
			d.Value, d.Usage = script.PointLength, "`DURATION` time per point"
		case ok && d.Name == "warmup":
			d.Value, d.Usage = script.PointWarmup, "`DURATION` time before measuring each point"
		}
	}
	c.Flags = append(c.Flags, s.flags()...)
	return c
}

// flags returns the flags of a sweep, whatever the operation.
func (s *sweepRun) flags() []cli.Flag {
	return flags.Categorize(flags.CatSweep, []cli.Flag{
		&cli.GenericFlag{
			Name:  "over",
			Value: flags.Repeated(&s.over),
			Usage: "`FLAG=VALUES` what to vary, as in threads=1,2,4..256; twice: a grid",
		},
		&cli.IntFlag{
			Name:        "repeats",
			Destination: &s.repeats,
			Value:       1,
			Usage:       "`N` how often to measure each point; 3 or more give intervals",
		},
		&cli.BoolFlag{
			Name:        "shuffle",
			Destination: &s.shuffle,
			Usage:       "measure points in random order, to tell drift from effect",
		},
	})
}

func (s *sweepRun) action(ctx context.Context, c *cli.Command) error {
	if c.Args().Present() {
		return usage.Unexpected(c)
	}
	if s.PrintScenario {
		return s.writeScenario(ctx, c)
	}
	if err := s.makePlan(ctx, c); err != nil {
		return err
	}
	return s.Measure(ctx)
}

// makePlan turns the flags into a plan with a phase for each point.
func (s *sweepRun) makePlan(ctx context.Context, c *cli.Command) error {
	grid, err := s.grid()
	if err != nil {
		return process.UsageErrors(err)
	}
	for i := range grid {
		if flag := grid[i].Flag(); c.IsSet(flag) && !s.Env.FromVariable(flag) {
			return process.UsageErrors(option.Errorf(flag, "varied by --over (want one of them)"))
		}
	}
	values := grid.Points()
	if len(values)*s.repeats > bench.MaxPhases {
		return process.UsageErrors(option.Errorf("over", "%d points (want at most %d, with their repeats)", len(values)*s.repeats,
			bench.MaxPhases))
	}
	given, points := s.given(c, grid), script.NewPoints("", grid)
	for _, at := range values {
		plan, err := s.pointPlan(ctx, given, grid, at)
		if err == nil {
			err = points.Add(at, plan)
		}
		if err != nil {
			return process.UsageErrors(err)
		}
	}
	points.Arrange(s.repeats, s.shuffle)
	s.Plan, s.Sweeps = points.Plan, []search.Sweep{points.Sweep}
	s.Compiled, err = bench.Compile(&s.Plan)
	return process.UsageErrors(errors.Join(err, s.CheckRun()))
}

// given returns the flags that all points have in common.
func (s *sweepRun) given(c *cli.Command, grid search.Grid) (given []scenarios.GivenFlag) {
	for _, f := range c.Flags {
		name := f.Names()[0]
		varied := slices.ContainsFunc(grid, func(a search.Over) bool { return a.Flag() == name }) // although a variable sets it
		if !varied && scenarios.InPlan(f) && (f.IsSet() || name == "duration" && !hasOtherLimit(c) || name == "warmup") {
			given = append(given, scenarios.GivenBy(f))
		}
	}
	return given
}

// hasOtherLimit reports whether something else than time ends each point.
func hasOtherLimit(c *cli.Command) bool {
	return c.IsSet("ops") || c.IsSet("bytes") || c.IsSet("passes")
}

// grid returns what is varied.
func (s *sweepRun) grid() (search.Grid, error) {
	if s.repeats < 1 {
		return nil, option.Invalid("repeats", s.repeats, "1 or more")
	}
	grid, err := search.ParseGrid(s.over)
	if err != nil {
		return nil, err
	}
	known := scenarios.NewPlanFlags(context.Background(), s.Env, s.Info.Name, nil)
	for i := range grid {
		if !known.Has(grid[i].Flag()) {
			return nil, option.Errorf("over", "%s has no flag --%s", s.Info.Name, grid[i].Name)
		}
	}
	return grid, nil
}

// pointPlan returns the plan that the flags make at one point.
func (s *sweepRun) pointPlan(
	ctx context.Context, given []scenarios.GivenFlag, grid search.Grid, values []search.Value,
) (*bench.Plan, error) {
	p := scenarios.NewPlanFlags(ctx, s.Env, s.Info.Name, given)
	for i, v := range values {
		p.Given = append(p.Given, scenarios.Given(grid[i].Flag(), v.Text))
	}
	plan, err := p.Plan()
	if err == nil {
		return plan, nil
	}
	if _, common := scenarios.NewPlanFlags(ctx, s.Env, s.Info.Name, given).Plan(); common != nil && common.Error() == err.Error() {
		return nil, err // of flags that are the same at each point
	}
	return nil, fmt.Errorf("%s: %w", grid.PointName(values), err)
}

// writeScenario prints a scenario that makes the same plan as the flags. What is wrong with them is reported first.
func (s *sweepRun) writeScenario(ctx context.Context, c *cli.Command) error {
	if err := s.makePlan(ctx, c); err != nil {
		return err
	}
	grid, err := s.grid()
	if err != nil {
		return process.UsageErrors(err)
	}
	return scenarios.WriteFlagsAsScenario(s.Benchmark, s.given(c, grid), script.SweepLoad(s.over, s.repeats, s.shuffle))
}

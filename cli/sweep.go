package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"warp/internal/option"
	"warp/pkg/bench"
	"warp/pkg/generator"
	"warp/pkg/search"
)

// Defaults of the points of a sweep.
const (
	pointLength = 10 * time.Second
	pointSettle = 3 * time.Second
)

// sweepRun is the command that measures one operation at several values of its flags.
type sweepRun struct {
	*benchmark
	over    []string
	repeats int
	shuffle bool
}

func sweepCommand(e *Env) *cli.Command {
	c := &cli.Command{
		Name: "sweep", Usage: "measure an operation at several loads, sizes or other values, and describe the curve", ArgsUsage: "OPERATION", Category: catBenchmarks,
		Description: "Measures an operation once for each value of a flag, or for each pair of values of two flags: threads, rate, obj.size, part.size, range-size, batch, any that is a number. " +
			"Prints throughput and latency of each point, draws them, and says where the knee is, how throughput scales, or what latency depends on. Each point is a phase of the recording. " +
			"Takes the flags of the operation: \"warp sweep get --help\".",
		UsageText: "warp sweep get --host=s3.example.com:9000 --over=threads=1,2,4..256",
		Action:    missingOperation("sweep", "warp sweep get --over=threads=1,2,4..256"),
	}
	c.Commands = operationCommands(e, func(info bench.Info) *cli.Command { return newSweep(e, info).command() })
	return c
}

func newSweep(e *Env, info bench.Info) *sweepRun {
	s := &sweepRun{benchmark: newBenchmark(e, info)}
	s.verb = "sweep-" + info.Name
	return s
}

// command is the command of one operation.
func (s *sweepRun) command() *cli.Command {
	c := s.benchmark.command()
	c.Usage = operationUsage(s.info)
	c.Description = "Measures this benchmark at each value of --over: see \"warp sweep --help\". " + c.Description
	c.UsageText = "warp sweep " + s.info.Name + " --host=s3.example.com:9000 --over=threads=1,2,4..256"
	c.Category, c.Action = catOperations, s.action
	c.Flags = slices.DeleteFunc(c.Flags, func(f cli.Flag) bool { return f.Names()[0] == "print-scenario" })
	for _, f := range c.Flags {
		d, ok := f.(*cli.DurationFlag)
		switch {
		case ok && d.Name == "duration":
			d.Value, d.Usage = pointLength, "`DURATION` how long to measure each point; with --ops, --bytes or --passes: no limit unless it is given"
		case ok && d.Name == "warmup":
			d.Value, d.Usage = pointSettle, "`DURATION` run so long before measuring each point"
		}
	}
	c.Flags = append(c.Flags, categorize(catSweep, []cli.Flag{
		&cli.GenericFlag{Name: "over", Value: value{(*texts)(&s.over)}, Usage: "`FLAG=VALUES` what varies: threads=1,2,4..256, rate=100,200..1000, obj.size=4KiB..64MiB, any flag of the operation that is a number. After two values, .. goes on in equal steps or factors; after one, it doubles. Given twice: a grid"},
		&cli.IntFlag{Name: "repeats", Destination: &s.repeats, Value: 1, Usage: "`N` how many times to measure each point; from 3, intervals are those of repeats"},
		&cli.BoolFlag{Name: "shuffle", Destination: &s.shuffle, Usage: "measure the points in random order, so that what changes over time is not taken for an effect of the flag; --seed decides which"},
	})...)
	return c
}

func (s *sweepRun) action(ctx context.Context, c *cli.Command) error {
	if c.Args().Present() {
		return usageError("sweep %s: unexpected argument %q", s.info.Name, c.Args().First())
	}
	if err := s.makePlan(ctx, c); err != nil {
		return err
	}
	return s.measure(ctx)
}

// makePlan turns the flags into a plan with a phase for each point.
func (s *sweepRun) makePlan(ctx context.Context, c *cli.Command) error {
	overs, err := s.axes()
	if err != nil {
		return usageErrors(err)
	}
	var given []givenFlag
	for _, f := range c.Flags {
		if name := f.Names()[0]; inPlan(f) && (f.IsSet() || name == "duration" && !endsOtherwise(c) || name == "warmup") {
			given = append(given, givenFlag{name, flagTexts(f)})
		}
	}
	points := pointsOf(overs)
	if len(points)*s.repeats > bench.MaxPhases {
		return usageErrors(option.Errorf("over", "%d points (want at most %d, with their repeats)", len(points)*s.repeats, bench.MaxPhases))
	}
	s.plan = bench.Plan{}
	for _, values := range points {
		plan, err := s.pointPlan(ctx, given, overs, values)
		if err == nil {
			err = s.addPoint(plan, overs, values)
		}
		if err != nil {
			return usageErrors(err)
		}
	}
	s.orderPoints()
	s.compiled, err = bench.Compile(&s.plan)
	return usageErrors(errors.Join(err, s.checkRun()))
}

// endsOtherwise reports whether something else than time ends each point.
func endsOtherwise(c *cli.Command) bool {
	return c.IsSet("ops") || c.IsSet("bytes") || c.IsSet("passes")
}

// axes returns what is varied.
func (s *sweepRun) axes() ([]search.Over, error) {
	if len(s.over) == 0 || len(s.over) > 2 {
		return nil, option.Errorf("over", "%d flags (want one or two, as in --over=threads=1,2,4..256)", len(s.over))
	}
	if s.repeats < 1 {
		return nil, option.Invalid("repeats", s.repeats, "1 or more")
	}
	known := newPlanFlags(context.Background(), s.env, s.info.Name, nil)
	var list []search.Over
	for _, text := range s.over {
		o, err := search.ParseOver(text)
		if err != nil {
			return nil, err
		}
		if !known.Has(flagOf(o.Name)) {
			return nil, option.Errorf("over", "%s has no flag --%s", s.info.Name, o.Name)
		}
		if len(list) > 0 && flagOf(list[0].Name) == flagOf(o.Name) {
			return nil, option.Errorf("over", "%s is there twice", o.Name)
		}
		list = append(list, o)
	}
	return list, nil
}

// flagOf returns the flag that a name of --over stands for.
func flagOf(name string) string {
	if name == "threads" {
		return "concurrent"
	}
	return name
}

// pointsOf returns the values of each point: all of the first flag for each of the second.
func pointsOf(overs []search.Over) (points [][]search.Value) {
	if len(overs) == 1 {
		overs = append(overs, search.Over{Values: []search.Value{{}}})
	}
	for _, second := range overs[1].Values {
		for _, first := range overs[0].Values {
			values := []search.Value{first, second}
			if overs[1].Name == "" {
				values = values[:1]
			}
			points = append(points, values)
		}
	}
	return points
}

// pointPlan returns the plan that the flags make at one point.
func (s *sweepRun) pointPlan(ctx context.Context, given []givenFlag, overs []search.Over, values []search.Value) (*bench.Plan, error) {
	p := newPlanFlags(ctx, s.env, s.info.Name, given)
	for i, v := range values {
		p.given = append(p.given, givenFlag{flagOf(overs[i].Name), []string{v.Text}})
	}
	plan, err := p.Plan()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pointName(overs, values), err)
	}
	return plan, nil
}

// pointName returns the name of the phase of a point: "threads=4,obj.size=1MiB".
func pointName(overs []search.Over, values []search.Value) string {
	var parts []string
	for i, v := range values {
		parts = append(parts, overs[i].Name+"="+v.Text)
	}
	return strings.Join(parts, ",")
}

// addPoint adds the phase of a point to the plan.
func (s *sweepRun) addPoint(plan *bench.Plan, overs []search.Over, values []search.Value) error {
	ph := plan.Phases[0]
	ph.Name = pointName(overs, values)
	plan.Target.Concurrency = 0 // of the run: what its points have at most
	if len(s.plan.Phases) == 0 {
		s.plan, s.sweep = *plan, &search.Sweep{}
		s.plan.Phases, s.plan.Sets = nil, map[string]generator.Spec{}
		for _, o := range overs {
			s.sweep.Over = append(s.sweep.Over, o.Name)
		}
	}
	if !reflect.DeepEqual(plan.Target, s.plan.Target) {
		return option.Errorf("over", "%s cannot vary within a run, since all requests have it in common; use several runs", strings.Join(s.sweep.Over, " or "))
	}
	s.chooseSet(&ph, plan.Data)
	s.plan.Phases = append(s.plan.Phases, ph)
	s.sweep.Points = append(s.sweep.Points, search.SweepPoint{Phase: ph.Name, Values: values})
	return nil
}

// chooseSet has points that only read work on the same data set, if it is the same. Others have one of their own.
func (s *sweepRun) chooseSet(ph *bench.Phase, data generator.Spec) {
	w, reads := bench.WorkloadOf(&ph.Stream)
	if z, ok := w.(bench.Sizer); ok && z.ObjectSize() > 0 {
		data.Sizes = generator.Sizes{Min: z.ObjectSize(), Max: z.ObjectSize()}
	}
	if !reads && reflect.DeepEqual(data, s.plan.Data) {
		return
	}
	for name, spec := range s.plan.Sets {
		if reads && reflect.DeepEqual(spec, data) {
			ph.Set = name
			return
		}
	}
	ph.Set = fmt.Sprintf("objects-%d", len(s.plan.Sets)+1)
	s.plan.Sets[ph.Set] = data
}

// orderPoints repeats the points, and shuffles each round of them.
func (s *sweepRun) orderPoints() {
	phases, points := s.plan.Phases, s.sweep.Points
	s.plan.Phases, s.sweep.Points = nil, nil
	rng := rand.New(rand.NewPCG(s.plan.Seed, uint64(len(points))))
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	for round := range s.repeats {
		if s.shuffle {
			rng.Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
		}
		for _, i := range order {
			ph, point := phases[i], points[i]
			if round > 0 {
				ph.Name = fmt.Sprintf("%s#%d", ph.Name, round+1)
				point.Phase = ph.Name
			}
			s.plan.Phases, s.sweep.Points = append(s.plan.Phases, ph), append(s.sweep.Points, point)
		}
	}
}

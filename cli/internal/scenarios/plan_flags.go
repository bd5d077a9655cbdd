package scenarios

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/runs"
	"warp/cli/internal/usage"
	"warp/internal/option"
	"warp/pkg/bench"
	"warp/pkg/bench/replay"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/script"
	"warp/pkg/trace"
	"warp/pkg/trace/formats"
)

// PlanFlags is a benchmark command whose flags a scenario sets in place of a person: what a scenario can say is what they
// can say. It is a script.Command.
type PlanFlags struct {
	ctx    context.Context
	b      *runs.Benchmark
	flags  map[string]cli.Flag // by all of their names
	names  []string
	own    map[string]bool // parameters of the workload
	Given  []GivenFlag
	files  *flags.Files // that the scenario's flags name; nil: there is no scenario
	access *Access      // of the scenario
}

// GivenFlag is a flag of "warp run". On the command line it has precedence over the file.
type GivenFlag struct {
	name     string
	values   []string
	variable bool // set by a variable of the environment, over which the file has precedence
}

// Given is a flag that is given with values.
func Given(name string, values ...string) GivenFlag { return GivenFlag{name: name, values: values} }

// GivenBy is a flag with the values that it has.
func GivenBy(f cli.Flag) GivenFlag { return Given(f.Names()[0], flagTexts(f)...) }

// flagTexts returns the values of a flag as they are written.
func flagTexts(f cli.Flag) []string {
	if texts, ok := f.Get().([]string); ok {
		return texts
	}
	return []string{fmt.Sprint(f.Get())}
}

// planCategories are the headings of flags that a plan is made of; others are about the run.
var planCategories = append([]string{flags.CatWorkload, flags.CatData, flags.CatLoad}, flags.TargetCategories...)

// otherPlanFlags are flags of other headings that are part of the plan.
var otherPlanFlags = []string{"stop-on-full", "shared-data"}

// NewPlanFlags returns the flags of an operation. Those that are given replace what is set.
func NewPlanFlags(ctx context.Context, e *process.Env, operation string, given []GivenFlag) *PlanFlags {
	info, _ := work.Lookup(operation)
	p := &PlanFlags{
		ctx:   ctx,
		b:     runs.New(e, info),
		flags: map[string]cli.Flag{},
		own:   map[string]bool{},
		Given: given,
	}
	for _, f := range p.b.Command().Flags {
		if !InPlan(f) {
			continue
		}
		_ = f.PreParse() // sets the default, and fails only for one that is invalid
		for _, name := range f.Names() {
			p.flags[name] = f
		}
		p.names = append(p.names, f.Names()[0])
	}
	set := flag.NewFlagSet("", flag.ContinueOnError)
	info.New().Flags(set)
	set.VisitAll(func(f *flag.Flag) { p.own[f.Name] = true })
	return p
}

// newScenarioFlags is NewPlanFlags with files that a scenario may read.
func newScenarioFlags(ctx context.Context, e *process.Env, operation string, given []GivenFlag, a *Access) *PlanFlags {
	p := NewPlanFlags(ctx, e, operation, given)
	p.access, p.files, p.b.Traces = a, &flags.Files{Read: a.read, Named: map[string]bool{}}, a.traces
	p.b.Target.Dry = a.dry
	p.b.Target.Files, p.b.Target.Secure.Files, p.b.Data.Files, p.b.Load.Files = p.files, p.files, p.files, p.files
	return p
}

// ScenarioOptions are what a scenario is resolved with; given are flags of the command line.
func ScenarioOptions(ctx context.Context, e *process.Env, given []GivenFlag, a *Access) script.Options {
	return script.Options{
		New:       func(operation string) script.Command { return newScenarioFlags(ctx, e, operation, given, a) },
		Variables: a.variable,
		Output:    a.write,
	}
}

// InPlan reports whether a flag is part of the plan.
func InPlan(f cli.Flag) bool {
	return slices.Contains(planCategories, CategoryOf(f)) && f.Names()[0] != "syncstart" || slices.Contains(otherPlanFlags, f.Names()[0])
}

// CategoryOf returns the heading of a flag in help.
func CategoryOf(f cli.Flag) string {
	c, _ := f.(cli.CategorizableFlag)
	return c.GetCategory()
}

// Has reports whether there is a flag.
func (p *PlanFlags) Has(name string) bool { return p.flags[name] != nil }

// OfOperation reports whether a flag is a parameter of the workload.
func (p *PlanFlags) OfOperation(name string) bool { return p.own[name] }

// OfTarget reports whether a flag is about hosts, requests or uploads.
func (p *PlanFlags) OfTarget(name string) bool {
	f := p.flags[name]
	return f != nil && slices.Contains(flags.TargetCategories, CategoryOf(f))
}

// Flags returns the names of all flags, without aliases.
func (p *PlanFlags) Flags() []string { return p.names }

// Default returns the default of a flag.
func (p *PlanFlags) Default(name string) string {
	if g, ok := p.flags[name].(*cli.GenericFlag); ok {
		return g.DefaultText
	}
	return fmt.Sprint(p.flags[name].Get())
}

// Usage returns what a flag does.
func (p *PlanFlags) Usage(name string) string {
	if d, ok := p.flags[name].(cli.DocGenerationFlag); ok {
		return d.GetUsage()
	}
	return ""
}

// Set sets a flag to what a scenario says.
func (p *PlanFlags) Set(name, value string) error {
	f := p.flags[name]
	if p.files != nil {
		p.files.Named[f.Names()[0]] = true
		for _, file := range filesIn(f.Names()[0], value) {
			if _, err := p.access.read(file); err != nil { // all mistakes at once; it is asked again when the file is read
				return err
			}
		}
	}
	return setFlag(f, value)
}

// setFlag sets a flag.
func setFlag(f cli.Flag, value string) error {
	err := f.Set(f.Names()[0], value)
	if want := usage.ExpectedValue(f); err != nil && want != "" {
		return fmt.Errorf("invalid value %q (want %s)", value, want)
	} else if err != nil {
		return fmt.Errorf("invalid value %q: %w", value, err)
	}
	return nil
}

// Plan makes the plan of the flags, and checks it.
func (p *PlanFlags) Plan() (*bench.Plan, error) {
	var errs []error
	for _, g := range p.Given {
		f := p.flags[g.name]
		if f == nil {
			continue
		}
		if g.variable && f.IsSet() {
			p.b.Env.IgnoreVariable(g.name)
			continue
		}
		if b, ok := f.(*cli.StringSliceFlag); ok {
			*b.Destination = nil
		}
		if p.files != nil {
			delete(p.files.Named, f.Names()[0])
		}
		for _, value := range g.values {
			errs = append(errs, option.Wrap(g.name, setFlag(f, value)))
		}
	}
	for _, name := range p.names {
		errs = append(errs, p.flags[name].PostParse())
	}
	if w, ok := p.b.Workload.(*replay.Replay); ok && errors.Join(errs...) == nil {
		if err := runs.CheckReplay(p.b, w, 0); err != nil {
			return nil, err
		}
		path, err := p.files.Path("trace", w.Trace)
		if err != nil {
			return nil, option.Wrap("trace", err)
		}
		w.Trace = path
		if err := runs.OpenTrace(p.ctx, p.b, w, formats.Options{MaxMalformed: formats.Limit{Percent: 1}}, trace.Selection{},
			[]string{w.Trace}); err != nil {
			return nil, err
		}
	}
	errs = append(errs, p.b.PlanOfFlags(p.ctx, func(name string) bool { return p.flags[name].IsSet() }))
	if slices.Contains(p.b.Workload.Traits().Kinds, op.Post) {
		errs = append(errs, p.b.Target.CheckKeyUse("signed forms, which are"))
	}
	if p.files.Names("host") {
		for _, host := range p.b.Plan.Target.Hosts {
			p.access.hosts = addName(p.access.hosts, host)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	whole := p.b.Plan
	whole.Phases = slices.Clone(whole.Phases)
	whole.Phases[0].Set, whole.Sets = "objects", map[string]generator.Spec{"objects": whole.Data} // what others do with it is checked later
	_, err := bench.Compile(&whole)
	if err != nil { // what is wrong with the flags alone would be said of the data set too
		if _, alone := bench.Compile(&p.b.Plan); alone != nil {
			err = alone
		}
	}
	return &p.b.Plan, err
}

var _ script.Command = (*PlanFlags)(nil)

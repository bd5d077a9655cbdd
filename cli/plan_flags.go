package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"

	"github.com/urfave/cli/v3"

	"warp/internal/option"
	"warp/pkg/bench"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/script"
	"warp/pkg/trace"
	"warp/pkg/trace/formats"
)

// planFlags is a benchmark command whose flags a scenario sets in place of a person: what a scenario can say is what they
// can say. It is a script.Command.
type planFlags struct {
	ctx    context.Context
	b      *benchmark
	flags  map[string]cli.Flag // by all of their names
	names  []string
	own    map[string]bool // parameters of the workload
	given  []givenFlag
	files  *files  // that the scenario's flags name; nil: there is no scenario
	access *access // of the scenario
}

// givenFlag is a flag on the command line of "warp run", which has precedence over the file.
type givenFlag struct {
	name   string
	values []string
}

// planCategories are the headings of flags that a plan is made of; others are about the run.
var planCategories = []string{catWorkload, catTarget, catData, catUploads, catLoad}

// alsoPlan are flags of other headings that are part of the plan.
var alsoPlan = []string{"stop-on-full", "shared-data"}

func newPlanFlags(ctx context.Context, e *Env, operation string, given []givenFlag) *planFlags {
	info, _ := bench.Lookup(operation)
	p := &planFlags{ctx: ctx, b: newBenchmark(e, info), flags: map[string]cli.Flag{}, own: map[string]bool{}, given: given}
	for _, f := range p.b.command().Flags {
		if !inPlan(f) {
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

// newScenarioFlags is newPlanFlags with files that a scenario may read.
func newScenarioFlags(ctx context.Context, e *Env, operation string, given []givenFlag, a *access) *planFlags {
	p := newPlanFlags(ctx, e, operation, given)
	p.access, p.files, p.b.traces = a, &files{read: a.read, named: map[string]bool{}}, a.traces
	p.b.target.files, p.b.target.secure.files, p.b.data.files, p.b.load.files = p.files, p.files, p.files, p.files
	return p
}

// scenarioOptions are what a scenario is resolved with; given are flags of the command line.
func scenarioOptions(ctx context.Context, e *Env, given []givenFlag, a *access) script.Options {
	return script.Options{
		New:       func(operation string) script.Command { return newScenarioFlags(ctx, e, operation, given, a) },
		Variables: a.variable,
		Output:    a.write,
	}
}

// inPlan reports whether a flag is part of the plan.
func inPlan(f cli.Flag) bool {
	return slices.Contains(planCategories, categoryOf(f)) && f.Names()[0] != "syncstart" || slices.Contains(alsoPlan, f.Names()[0])
}

func categoryOf(f cli.Flag) string {
	c, _ := f.(cli.CategorizableFlag)
	return c.GetCategory()
}

// Has reports whether there is a flag.
func (p *planFlags) Has(name string) bool { return p.flags[name] != nil }

// OfOperation reports whether a flag is a parameter of the workload.
func (p *planFlags) OfOperation(name string) bool { return p.own[name] }

// OfTarget reports whether a flag is about hosts, requests or uploads.
func (p *planFlags) OfTarget(name string) bool {
	f := p.flags[name]
	return f != nil && (categoryOf(f) == catTarget || categoryOf(f) == catUploads)
}

// Flags returns the names of all flags, without aliases.
func (p *planFlags) Flags() []string { return p.names }

// Default returns the default of a flag.
func (p *planFlags) Default(name string) string {
	if g, ok := p.flags[name].(*cli.GenericFlag); ok {
		return g.DefaultText
	}
	return fmt.Sprint(p.flags[name].Get())
}

// Usage returns what a flag does.
func (p *planFlags) Usage(name string) string {
	if d, ok := p.flags[name].(cli.DocGenerationFlag); ok {
		return d.GetUsage()
	}
	return ""
}

// Set sets a flag to what a scenario says.
func (p *planFlags) Set(name, value string) error {
	f := p.flags[name]
	if p.files != nil {
		p.files.named[f.Names()[0]] = true
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
	if want := wantOf(f); err != nil && want != "" {
		return fmt.Errorf("invalid value %q (want %s)", value, want)
	} else if err != nil {
		return fmt.Errorf("invalid value %q: %w", value, err)
	}
	return nil
}

// Plan makes the plan of the flags, and checks it.
func (p *planFlags) Plan() (*bench.Plan, error) {
	var errs []error
	for _, g := range p.given {
		f := p.flags[g.name]
		if f == nil {
			continue
		}
		if b, ok := f.(*cli.StringSliceFlag); ok {
			*b.Destination = nil
		}
		if p.files != nil {
			delete(p.files.named, f.Names()[0])
		}
		for _, value := range g.values {
			errs = append(errs, option.Wrap(g.name, setFlag(f, value)))
		}
	}
	for _, name := range p.names {
		errs = append(errs, p.flags[name].PostParse())
	}
	if w, ok := p.b.workload.(*bench.Replay); ok && errors.Join(errs...) == nil {
		if err := checkReplay(p.b, w, 0); err != nil {
			return nil, err
		}
		path, err := p.files.path("trace", w.Trace)
		if err != nil {
			return nil, option.Wrap("trace", err)
		}
		w.Trace = path
		if err := openTrace(p.ctx, p.b, w, formats.Options{MaxBad: formats.Limit{Percent: 1}}, trace.Selection{}, []string{w.Trace}); err != nil {
			return nil, err
		}
	}
	errs = append(errs, p.b.planOfFlags(p.ctx, func(name string) bool { return p.flags[name].IsSet() }))
	if slices.Contains(p.b.workload.Traits().Kinds, op.Post) {
		errs = append(errs, p.b.target.keysStay("signed forms, which are"))
	}
	if p.files.names("host") {
		for _, host := range p.b.plan.Target.Hosts {
			p.access.hosts = addName(p.access.hosts, host)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	whole := p.b.plan
	whole.Phases = slices.Clone(whole.Phases)
	whole.Phases[0].Set, whole.Sets = "objects", map[string]generator.Spec{"objects": whole.Data} // what others do with it is checked later
	_, err := bench.Compile(&whole)
	if err != nil { // what is wrong with the flags alone would be said of the data set too
		if _, alone := bench.Compile(&p.b.plan); alone != nil {
			err = alone
		}
	}
	return &p.b.plan, err
}

var _ script.Command = (*planFlags)(nil)

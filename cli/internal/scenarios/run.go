package scenarios

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/progress"
	"warp/cli/internal/rules"
	"warp/cli/internal/runs"
	"warp/internal/option"
	"warp/pkg/bench"
	"warp/pkg/script/convert/draft"
	"warp/pkg/units"
)

// Run is the command that runs scenarios.
type Run struct {
	*runs.Benchmark
	Foreign
	Set            []string
	Check, Explain bool
	Small          bool
	Prices         string
	Allow          Allowance
	all            []cli.Flag      // of the command
	typed          map[string]bool // flags on the command line
	given          []GivenFlag
	limitsErrors   bool                                            // a flag says how many are too many
	Warp           func(ctx context.Context, e *process.Env) error // performs a command line of warp in a shell script
	unread         int                                             // files whose variables are not known, as they are damaged
}

// Action runs the files that the arguments name.
func (r *Run) Action(ctx context.Context, c *cli.Command) error {
	names, args := splitArguments(c.Args().Slice(), r.Env.Args)
	names, err := r.Foreign.Names(names)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return process.UsageError("run: missing FILE (write \"warp run FILE.warp.yaml\"; \"warp script init\" prints one to start with)")
	}
	if err := r.Allow.parse(r.Env.Script); err != nil {
		return process.UsageErrors(err)
	}
	r.TakeFlags(c)
	var list []*Scenario
	var errs []error
	variables, err := VariablesOf("set", r.Set)
	if err != nil {
		return process.UsageErrors(err)
	}
	for _, name := range names {
		s, err := r.read(ctx, name, args, variables)
		if process.ExitCode(err) == process.ExitInterrupted {
			return err
		}
		list, errs = append(list, s), append(errs, err)
	}
	if r.unread == 0 {
		errs = append(errs, r.CheckVariables("set", variables, names...)...)
	}
	if err := process.UsageErrors(errs...); err != nil {
		return err
	}
	return r.Perform(ctx, list)
}

// Perform runs scenarios that passed all checks, or prints what the flags ask for instead.
func (r *Run) Perform(ctx context.Context, list []*Scenario) error {
	var errs []error
	table, err := readPrices(r.Prices)
	if err != nil {
		return err
	}
	dry := r.Check || r.Explain || r.Env.DryRun != process.NotDry
	if (len(list) > 1 || list[0].shell != nil) && !dry { // one server for all of them
		if r.Views, err = progress.OpenViews(r.Env, &r.HTTP, &r.Push, r.Out.Quiet, "warp run"); err != nil {
			return err
		}
		defer r.Views.Close()
	}
	for _, s := range list {
		switch {
		case s.shell != nil && (r.Check || r.Explain):
			if _, err := io.WriteString(r.Env.Stdout, s.shell.shown.String()); err != nil {
				return err
			}
		case s.shell != nil:
			errs = append(errs, s.shell.perform(ctx))
			if process.ExitCode(errors.Join(errs...)) == process.ExitInterrupted {
				return errors.Join(errs...)
			}
		case r.Check:
			if err := r.checkFlags(s); err != nil {
				errs = append(errs, err)
				continue
			}
			if _, err := fmt.Fprintf(r.Env.Stdout, "%s: valid, %s\n%s", s.name, units.Plural(s.measured(), "measured phase"),
				s.access.lines(s.Plan)); err != nil {
				return err
			}
		case r.Explain:
			text, err := explain(s, table, r.clientsOf(s))
			if err != nil {
				return err
			}
			if _, err := io.WriteString(r.Env.Stdout, text); err != nil {
				return err
			}
		default:
			errs = append(errs, r.runOne(ctx, s, len(list) > 1))
			if ctx.Err() != nil || process.ExitCode(errors.Join(errs...)) == process.ExitInterrupted {
				return errors.Join(errs...)
			}
		}
	}
	return errors.Join(errs...)
}

// clientsOf returns the number of clients of a run; 1 if it is on this machine, or if they are not known.
func (r *Run) clientsOf(s *Scenario) int {
	b, _ := r.withFlags(s.job) // what is wrong is reported by a run
	list, _ := b.Clients.Clients()
	return max(1, len(list))
}

// splitArguments splits the arguments of the command into files, and those behind -- that are for scripts. Without a file before it all
// are files.
func splitArguments(all, typed []string) (names, args []string) {
	behind := 0
	if i := slices.Index(typed, "--"); i >= 0 {
		behind = min(len(typed)-i-1, len(all))
	}
	if behind == len(all) {
		return all, nil
	}
	return all[:len(all)-behind], all[len(all)-behind:]
}

// read reads a file and makes its plan; the arguments are for scripts.
func (r *Run) read(ctx context.Context, name string, args []string, variables map[string]string) (*Scenario, error) {
	shown, text, err := r.Foreign.Read(r.Env, name)
	if err == nil && r.isShell(shown, text) {
		if r.Small {
			r.unread++
			return nil, noSmall(name)
		}
		return r.readShell(ctx, shown, text, args, variables)
	}
	var asked *draft.Job
	if err == nil {
		asked, err = r.parse(shown, text, usedBy(r.Env, &r.Allow, shown, variables))
	}
	if err != nil {
		r.unread++
		return nil, err
	}
	if len(args) > 0 {
		return nil, fmt.Errorf("unexpected argument %q (only shell scripts have arguments)", args[0])
	}
	return r.Resolve(ctx, name, asked, variables)
}

func noSmall(name string) error {
	return option.Errorf("small", "%s states no small size (want a scenario with small: {NAME: VALUE})", name)
}

// Resolve makes the plan of what a file asks for.
func (r *Run) Resolve(ctx context.Context, name string, asked *draft.Job, variables map[string]string) (*Scenario, error) {
	uses := NewAccess(name, &r.Allow, variables, r.Env, r.Traces)
	uses.dry = r.Check || r.Explain
	if r.Small {
		if len(asked.File.Small.Values) == 0 {
			return nil, noSmall(name)
		}
		uses.UseSmall(&asked.File.Small)
	}
	options := ScenarioOptions(ctx, r.Env, r.given, uses)
	j, flagErr := r.job(asked, uses)
	if asked.Foreign() {
		options.Flags = j.planFlags()
		fmt.Fprintf(r.notes(j), "%s: %s\n", asked.Name, strings.Join(asked.File.Comments(), "\n  "))
	}
	resolved, err := asked.File.Resolve(options)
	err = errors.Join(err, flagErr)
	r.ignoredVariables(name, uses, r.notes(j))
	switch {
	case errors.Is(context.Cause(r.Env.Halted()), process.ErrInterrupt): // and no mistake of the file
		return nil, process.WithCode(process.ExitInterrupted, errors.New("interrupted before the scenario was read"))
	case err != nil:
		return nil, err
	}
	compiled, err := bench.Compile(resolved.Plan)
	if err == nil {
		err = rules.CheckExpected(compiled, resolved.Rules)
	}
	return &Scenario{name: name, Resolved: resolved, compiled: compiled, access: uses, job: j}, err
}

// ignoredVariables says which variables of the environment have the names of a file's variables, and are not used.
func (r *Run) ignoredVariables(name string, uses *Access, to io.Writer) {
	for _, v := range uses.ignored {
		fmt.Fprintf(to, "%s: ${%s} is not taken from the environment; add --allow=env:%s if that is what you want\n", name, v, v)
	}
}

// notes is where remarks about a file go.
func (r *Run) notes(j job) io.Writer {
	if r.Out.Quiet || j.sets("quiet") {
		return io.Discard
	}
	return r.Env.Stderr
}

// runOne runs a scenario. Of several, the recording of each has its file's name too.
func (r *Run) runOne(ctx context.Context, s *Scenario, several bool) error {
	b, err := r.withFlags(s.job)
	if err != nil {
		return process.UsageErrors(err)
	}
	b.Plan, b.Compiled, b.Sweeps = *s.Plan, s.compiled, s.Sweeps
	b.Target, b.Analyze.Compat = s.Target.(*PlanFlags).b.Target, s.Target.(*PlanFlags).b.Analyze.Compat
	b.Compiled.Plan = &b.Plan
	if b.Out.Benchdata == "" && !b.Out.Stress {
		b.Out.Benchdata = s.Recording
	}
	b.Out.JSONFile, b.Analyze.Out, b.Analyze.HTML = s.JSON, cmp.Or(b.Analyze.Out, s.Series), cmp.Or(b.Analyze.HTML, s.HTML)
	b.HTTP.Addr = cmp.Or(b.HTTP.Addr, s.Metrics)
	if stem := cmp.Or(s.stem, strings.TrimSuffix(filepath.Base(s.name), ".warp.yaml")); several {
		for _, path := range b.Outputs() {
			*path = runs.AddToName(*path, stem)
		}
	}
	if s.searches() && !r.limitsErrors {
		b.Out.MaxErrors = "100%" // overload is part of a search
	}
	if err := process.UsageErrors(s.job.located(b.CheckRun())); err != nil {
		return err
	}
	if err := forClients(b, s); err != nil {
		return err
	}
	b.Expect = rules.Recorded(s.Rules, func(stream string) int { return clientsOf(b, stream) })
	if list := runs.Programs(&b.Plan); len(list) > 0 && !r.Allow.programs {
		return process.UsageError("%s: exec %s: a program would be run (add --allow-exec if that is what you want)", s.name, list[0])
	}
	b.AllowExec = r.Allow.programs
	b.WriteResults(s.job.outputs)
	return b.Measure(ctx)
}

// TakeFlags takes the flags of a plan that the command line or the environment sets.
func (r *Run) TakeFlags(c *cli.Command) {
	r.limitsErrors, r.all, r.typed = c.IsSet("max-errors"), c.Flags, map[string]bool{}
	for _, f := range c.Flags {
		r.typed[f.Names()[0]] = f.IsSet() && !r.Env.FromVariable(f.Names()[0])
		if !InPlan(f) || CategoryOf(f) == flags.CatWorkload || !f.IsSet() {
			continue
		}
		g := GivenBy(f)
		g.variable = r.Env.FromVariable(g.name)
		r.given = append(r.given, g)
	}
}

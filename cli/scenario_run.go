package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/pkg/bench"
	"warp/pkg/runinfo"
	"warp/pkg/script"
	"warp/pkg/units"
)

// scenarioRun is the command that runs scenarios.
type scenarioRun struct {
	*benchmark
	foreign
	set            []string
	check, explain bool
	prices         string
	allow          allowance
	given          []givenFlag
	unread         int // files whose variables are not known, as they are damaged
}

func (r *scenarioRun) action(ctx context.Context, c *cli.Command) error {
	names, err := r.foreign.names(c.Args().Slice())
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return usageError("run: missing FILE (write \"warp run FILE.warp.yaml\"; \"warp script init\" prints one to start with)")
	}
	if err := r.allow.parse(); err != nil {
		return usageErrors(err)
	}
	r.given = givenFlags(c.Flags, r.env.Args)
	var list []*scenario
	var errs []error
	variables, err := variablesOf("set", r.set)
	if err != nil {
		return usageErrors(err)
	}
	for _, name := range names {
		s, err := r.read(ctx, name, variables)
		if exitCode(err) == exitInterrupted {
			return err
		}
		list, errs = append(list, s), append(errs, err)
	}
	if r.unread == 0 {
		errs = append(errs, r.checkVariables("set", variables, names...)...)
	}
	if err := usageErrors(errs...); err != nil {
		return err
	}
	return r.perform(ctx, list)
}

// perform runs scenarios that passed all checks, or prints what the flags ask for instead.
func (r *scenarioRun) perform(ctx context.Context, list []*scenario) error {
	var errs []error
	table, err := readPrices(r.prices)
	if err != nil {
		return err
	}
	if len(list) > 1 && !r.check && !r.explain { // one server for all of them
		if r.views, err = openViews(r.env, &r.http, &r.push, r.out.quiet, "warp run"); err != nil {
			return err
		}
		defer r.views.close()
	}
	for _, s := range list {
		switch {
		case r.check:
			if _, err := fmt.Fprintf(r.env.Stdout, "%s: valid, %s\n%s", s.name, units.Plural(s.measured(), "measured phase"), s.access.lines(s.Plan)); err != nil {
				return err
			}
		case r.explain:
			text, err := explain(s, table, max(1, len(r.remoteClients())))
			if err != nil {
				return err
			}
			if _, err := io.WriteString(r.env.Stdout, text); err != nil {
				return err
			}
		default:
			errs = append(errs, r.runOne(ctx, s, len(list) > 1))
			if ctx.Err() != nil || exitCode(errors.Join(errs...)) == exitInterrupted {
				return errors.Join(errs...)
			}
		}
	}
	return errors.Join(errs...)
}

// remoteClients returns the clients of the run; none if it is on this machine, or if they are not known.
func (r *scenarioRun) remoteClients() []string {
	list, _ := r.clients.clients() // what is wrong is reported by a run
	return list
}

// read reads a file and makes its plan.
func (r *scenarioRun) read(ctx context.Context, name string, variables map[string]string) (*scenario, error) {
	file, err := r.file(name, variables)
	if err != nil {
		r.unread++
		return nil, err
	}
	return r.resolve(ctx, name, file, variables)
}

// resolve makes the plan of a file.
func (r *scenarioRun) resolve(ctx context.Context, name string, file *script.File, variables map[string]string) (*scenario, error) {
	uses := newAccess(name, &r.allow, variables, r.env, r.traces)
	resolved, err := file.Resolve(scenarioOptions(ctx, r.env, r.given, uses))
	r.ignoredVariables(name, uses)
	switch {
	case errors.Is(context.Cause(r.env.untilInterrupt()), errInterrupt): // and no mistake of the file
		return nil, withCode(exitInterrupted, errors.New("interrupted before the scenario was read"))
	case err != nil:
		return nil, err
	}
	compiled, err := bench.Compile(resolved.Plan)
	if err == nil {
		err = checkExpected(compiled, resolved.Rules)
	}
	return &scenario{name, resolved, compiled, uses}, err
}

// ignoredVariables says which variables of the environment have the names of a file's variables, and are not used.
func (r *scenarioRun) ignoredVariables(name string, uses *access) {
	for _, v := range uses.ignored {
		fmt.Fprintf(r.notes(), "%s: ${%s} is not taken from the environment; add --allow=env:%s if that is what you want\n", name, v, v)
	}
}

// notes is where remarks about a file go.
func (r *scenarioRun) notes() io.Writer {
	if r.out.quiet {
		return io.Discard
	}
	return r.env.Stderr
}

// file reads a scenario, or what is run as one.
func (r *scenarioRun) file(name string, variables map[string]string) (*script.File, error) {
	shown, text, err := r.foreign.read(r.env, name)
	if err != nil {
		return nil, err
	}
	return r.parse(shown, text, variables, r.notes())
}

// runOne runs a scenario. Of several, the recording of each has its file's name too.
func (r *scenarioRun) runOne(ctx context.Context, s *scenario, several bool) error {
	b := *r.benchmark
	b.plan, b.compiled, b.sweeps = *s.Plan, s.compiled, s.Sweeps
	b.target = s.Target.(*planFlags).b.target
	b.compiled.Plan = &b.plan
	if b.out.benchdata == "" && !b.out.stress {
		b.out.benchdata = s.Recording
	}
	b.out.jsonFile, b.analyze.out, b.analyze.html = s.JSON, cmp.Or(b.analyze.out, s.Series), cmp.Or(b.analyze.html, s.HTML)
	b.http.addr = cmp.Or(b.http.addr, s.Metrics)
	if stem := strings.TrimSuffix(filepath.Base(s.name), ".warp.yaml"); several {
		for _, path := range []*string{&b.out.benchdata, &b.out.jsonFile, &b.analyze.out, &b.analyze.html, &b.analyze.summary.junit, &b.analyze.summary.markdown} {
			*path = withStem(*path, stem)
		}
	}
	if s.searches() && !onCommandLine("max-errors", r.env.Args) {
		b.out.maxErrors = "100%" // overload is part of a search
	}
	if err := usageErrors(b.checkRun()); err != nil {
		return err
	}
	if err := forClients(&b, s); err != nil {
		return err
	}
	b.expect = recordedRules(s.Rules, func(stream string) int { return clientsOf(&b, stream) })
	if list := programs(&b.plan); len(list) > 0 && !r.allow.programs {
		return usageError("%s: exec %s: a program would be run (add --allow-exec if that is what you want)", s.name, list[0])
	}
	b.allowExec = r.allow.programs
	return b.measure(ctx)
}

// withStem returns the path of a file with a stem before its suffix; empty stays empty.
func withStem(path, stem string) string {
	if path == "" || path == onStdout || path == os.DevNull || strings.HasSuffix(path, "/") {
		return path
	}
	suffix := filepath.Ext(path)
	if strings.HasSuffix(path, runinfo.Suffix) {
		suffix = runinfo.Suffix
	}
	return strings.TrimSuffix(path, suffix) + "-" + stem + suffix
}

// givenFlags returns the flags of a plan that are on the command line. Those of the environment have lower precedence than a
// file, and the parser does not distinguish the two.
func givenFlags(all []cli.Flag, args []string) (list []givenFlag) {
	for _, f := range all {
		if !inPlan(f) || categoryOf(f) == catWorkload {
			continue
		}
		for _, name := range f.Names() {
			if !onCommandLine(name, args) {
				continue
			}
			list = append(list, givenFlag{name, flagTexts(f)})
			break
		}
	}
	return list
}

// onCommandLine reports whether a flag is among the arguments.
func onCommandLine(name string, args []string) bool {
	for _, arg := range args {
		if arg == "--" {
			return false
		}
		if flag, _, _ := strings.Cut(arg, "="); strings.HasPrefix(flag, "-") && strings.TrimLeft(flag, "-") == name {
			return true
		}
	}
	return false
}

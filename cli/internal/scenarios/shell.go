package scenarios

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/files"
	"warp/cli/internal/process"
	"warp/internal/option"
	"warp/internal/secret"
	"warp/pkg/script/convert"
	"warp/pkg/script/convert/draft"
	"warp/pkg/script/convert/shell"
	"warp/pkg/units"
)

// warpProgram is the name of warp in shell scripts.
const warpProgram = "warp"

// shellScript is a shell script whose command lines are run.
type shellScript struct {
	*Run
	name      string // of the file
	text      string
	script    *shell.Script
	args      []string
	variables map[string]string
	using     sync.Mutex // guards uses
	uses      *Access
	signals   *signals
	masks     masks
	common    *process.Script // of its runs
	checked   *process.Script // of their check
	dirs      directories
	table     runTable
	commands  []*cli.Command // of warp, once they are asked for

	mu      sync.Mutex // guards what follows, and the preparation of runs
	lines   int        // that were checked, or run
	failed  []failedRun
	remarks []string // of conversions, line by line
	notes   []string // with their places
	shown   strings.Builder
}

// isShell reports whether a text is a shell script to be run line by line.
func (f *Foreign) isShell(name, text string) bool {
	if f.text != "" || strings.HasPrefix(strings.TrimSpace(text), "-") { // options only
		return false
	}
	if f.from != "" {
		source, err := convert.Lookup(f.from)
		return err == nil && len(source.Programs) > 0 && shell.Runs(text, source.Programs...)
	}
	return strings.HasSuffix(name, ".sh") || shell.IsScript(text) || convert.RunsPrograms(text)
}

// readShell reads a script, and checks all of its command lines.
func (r *Run) readShell(ctx context.Context, name, text string, args []string, variables map[string]string) (*Scenario, error) {
	sc, err := shell.Parse(name, text, secretOptions(text)...)
	if err != nil {
		return nil, err
	}
	s := &shellScript{Run: r, name: name, text: text, script: sc, args: args, variables: variables, common: r.Env.Script}
	if s.common == nil {
		s.common = &process.Script{Programs: r.Allow.programs}
	}
	if r.Env.Depth > process.MaxScripts {
		return nil, process.UsageError("%s: more than %d shell scripts within shell scripts", name, process.MaxScripts)
	}
	s.uses = NewAccess(name, &r.Allow, variables, r.Env, nil)
	s.uses.foreign()
	if s.dirs.home, err = os.Getwd(); err != nil {
		return nil, err
	}
	s.uses.dir = s.dirs.home
	if err := s.checkAll(ctx); err != nil {
		r.unread++
		return nil, err
	}
	return &Scenario{name: name, shell: s}, nil
}

// world is what the script may use.
func (s *shellScript) world(check bool) *shell.World {
	dir := s.dirs.home
	w := &shell.World{
		Args:     s.args,
		Dir:      dir,
		Check:    check,
		Known:    knownProgram,
		Variable: s.variable,
		Secret:   secret.Variable,
		Access:   func(path string, write bool) error { return s.access(dir, path, write) },
		Run:      s.run,
		Stdout:   s.masked(s.Env.Stdout),
		Stderr:   s.masked(s.Env.Stderr),
	}
	if check {
		w.Run = s.check
	}
	if s.Allow.programs {
		w.Exec = func(ctx context.Context, p *shell.Program) error { return execProgram(ctx, s.Env, p) }
	}
	return w
}

// knownProgram reports whether the command lines of a program are run.
func knownProgram(name string) bool {
	_, known := convert.Program(name)
	return known || name == warpProgram
}

// variable returns a variable that the user gives to the script.
func (s *shellScript) variable(name string) (string, bool) {
	s.using.Lock()
	defer s.using.Unlock()
	value, ok, err := s.uses.variable(name)
	return value, ok && err == nil
}

// access refuses a file, which has an absolute path.
func (s *shellScript) access(dir, path string, write bool) error {
	s.using.Lock()
	defer s.using.Unlock()
	if short, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(short) {
		path = short
	}
	use := s.uses.read
	if write {
		use = s.uses.write
	}
	_, err := use(path)
	return err
}

// noLines is the error for a script without a command line that is run.
func (s *shellScript) noLines() error {
	return process.UsageError("%s: nothing to run: no command line of %s", s.name,
		option.List(append([]string{warpProgram}, programNames()...)...))
}

// checkAll checks all command lines. It says how many there are, and what is not executed.
func (s *shellScript) checkAll(ctx context.Context) error {
	s.checked = &process.Script{Programs: s.common.Programs}
	result, err := s.script.Run(ctx, s.world(true))
	s.common.Reserve(s.checked.Reserved())
	if err != nil {
		return process.UsageErrors(errors.New(s.mask(err.Error())))
	}
	if result.Lines == 0 {
		return s.noLines()
	}
	s.Foreign.variables = append(s.Foreign.variables, result.Variables...)
	for _, n := range s.notes {
		s.note("%s", n)
	}
	count := units.Plural(int64(result.Lines), "run")
	if result.More {
		count = "more than " + count + ", and maybe without end"
	}
	s.note("%s: %s", s.name, count)
	if len(result.LeftOut) > 0 {
		s.note("%s: not executed, and taken for successful: %s (--allow-exec lets the script run programs)", s.name,
			strings.Join(result.LeftOut, ", "))
	}
	for _, r := range result.Remarks {
		s.note("%s: %s", s.name, r)
	}
	return nil
}

// programNames returns the names of the programs whose command lines are run.
func programNames() (list []string) {
	for _, source := range convert.Sources() {
		list = append(list, source.Programs...)
	}
	return list
}

// note prints a line for people.
func (s *shellScript) note(format string, args ...any) {
	if !s.Out.Quiet {
		fmt.Fprintln(s.Env.Stderr, s.mask(fmt.Sprintf(format, args...)))
	}
}

// check converts a command line, and plans it.
func (s *shellScript) check(ctx context.Context, l *shell.Line) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines++
	place := fmt.Sprintf("%s:%d", s.name, l.At.Line)
	if l.Program == warpProgram {
		s.maskWarp(l)
		if err := s.checkWarpLine(ctx, l); err != nil {
			return err
		}
		fmt.Fprintf(&s.shown, "%s: %s\n", place, s.mask(l.String()))
		return nil
	}
	asked, err := s.convert(l)
	if err != nil {
		return err
	}
	fmt.Fprintf(&s.shown, "%s: %s\n", place, s.mask(l.String()))
	s.addRemarks(place, asked.File.Comments())
	one := *s.Run
	quiet := *s.Benchmark
	quiet.Env, quiet.Out.Quiet = s.Env.Part(), true
	one.Benchmark = &quiet
	plan, err := one.Resolve(ctx, place, asked, s.variables)
	if err != nil {
		return err
	}
	for _, o := range asked.Outputs {
		if o.Path != files.Stdout {
			l.Wrote(filepath.Join(l.Dir, o.Path))
		}
	}
	switch {
	case s.Run.Check:
		fmt.Fprintf(&s.shown, "  %s\n%s", units.Plural(plan.measured(), "measured phase"), plan.access.lines(plan.Plan))
	case s.Explain:
		table, err := readPrices(s.Prices)
		if err != nil {
			return err
		}
		text, err := explain(plan, table, s.clientsOf(plan))
		if err != nil {
			return err
		}
		s.shown.WriteString(text)
	}
	return nil
}

// addRemarks notes what a conversion remarks, unless the remarks of others say all of it.
func (s *shellScript) addRemarks(place string, comments []string) {
	if slices.ContainsFunc(comments, func(line string) bool { return !slices.Contains(s.remarks, line) }) {
		s.remarks = append(s.remarks, comments...)
		s.notes = append(s.notes, place+": "+strings.Join(comments, "\n  "))
	}
}

// convert makes a job of a command line.
func (s *shellScript) convert(l *shell.Line) (*draft.Job, error) {
	source, ok := convert.Program(l.Program)
	if !ok {
		return nil, fmt.Errorf("%s: unknown program %s", s.name, l.Program)
	}
	l.Text = s.text
	getenv := l.Getenv
	l.Getenv = func(name string) string {
		if value := getenv(name); value != "" || !slices.Contains(toolVariables, name) {
			return value
		}
		return s.Env.Getenv(name)
	}
	asked, err := source.ConvertCommand(s.name, &l.Command)
	if err != nil {
		return nil, err
	}
	s.exportedKeys(l, asked)
	for _, f := range asked.Flags {
		if f.Secret {
			s.addMask(f.Value)
		}
	}
	for i := range asked.Outputs {
		if o := &asked.Outputs[i]; o.Path != files.Stdout && !filepath.IsAbs(o.Path) {
			o.Path = relativePath(s.dirs.home, l.Dir, o.Path)
		}
	}
	prints := slices.ContainsFunc(asked.Outputs, func(o draft.Output) bool { return o.Path == files.Stdout })
	if source.Prints != "" && !prints && !s.Out.JSON {
		asked.Outputs = append(asked.Outputs, draft.Output{Format: source.Prints, Path: files.Stdout})
	}
	return asked, nil
}

// relativePath returns a path that is relative to dir, from here: relative below here, absolute elsewhere.
func relativePath(here, dir, path string) string {
	if here == filepath.Clean(dir) {
		return path
	}
	whole := filepath.Join(dir, path)
	if short, err := filepath.Rel(here, whole); err == nil && filepath.IsLocal(short) {
		return short
	}
	return whole
}

// toolVariables are variables of the environment that tools read by themselves.
var toolVariables = []string{"AWS_HOST", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_REGION", "AWS_DEFAULT_REGION"}

// exportedKeys has a run use the keys that the script exports, if its command line has none.
func (s *shellScript) exportedKeys(l *shell.Line, asked *draft.Job) {
	if slices.ContainsFunc(asked.Flags, func(f draft.Flag) bool { return f.Secret }) {
		return
	}
	for _, k := range [][2]string{
		{"access-key", "AWS_ACCESS_KEY_ID"}, {"secret-key", "AWS_SECRET_ACCESS_KEY"}, {"session-token", "AWS_SESSION_TOKEN"},
	} {
		for _, v := range l.Env {
			if value, ok := strings.CutPrefix(v, k[1]+"="); ok && value != "" {
				asked.Flags = append(asked.Flags, draft.Flag{Name: k[0], Value: value, At: l.At, Secret: true})
			}
		}
	}
}

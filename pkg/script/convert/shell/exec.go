package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// command is a command that the interpreter has come to.
type command struct {
	interp.HandlerContext
	in    *running
	words []draft.Word
	env   []string // of a prefix, as in env A=b
}

// javaTool is the tool whose command is java.
const javaTool = "object-store-bench"

// shells are the programs that run scripts.
var shells = []string{"bash", "sh", "dash", "zsh", "ksh", "ash"}

// call sees each command before the interpreter does: builtins too.
func (s *session) call(ctx context.Context, args []string) ([]string, error) {
	if n := s.steps.Add(1); n > maxSteps || n%64 == 0 && runtime.Callers(maxFrames, make([]uintptr, 1)) > 0 {
		s.stop(errSteps)
		return nil, errSteps
	}
	in := ctx.Value(runningKey{}).(*running)
	at := in.unit.place(interp.HandlerCtx(ctx).Pos)
	switch args[0] {
	case "[", "test":
		for i, a := range args {
			for _, v := range s.unknowns.in(a) {
				if v.variable == "" {
					s.complain(at, "a test of what is not known: %s%s", v, s.hint(v))
				}
			}
			args[i] = s.unknowns.replace(a, func(unknown) string { return "" })
		}
	case "command", "type", "hash", "builtin":
		if args[0] == "builtin" {
			return args, nil
		}
		if last := args[len(args)-1]; (len(args) > 2 || args[0] != "command") && (s.Known(last) || last == "java") {
			return []string{"echo", last}, nil
		}
	case "source", ".":
		if len(args) > 1 {
			s.files.source(s.files.path(interp.HandlerCtx(ctx).Dir, args[1]))
			in.unit.includes(at)
		}
	case "eval":
		in.unit.includes(at)
		if file, wrong := parse(strings.Join(args[1:], " ")); wrong == nil {
			return []string{"eval", s.rewritten(file, at)}, nil
		}
	}
	return args, nil
}

// rewritten returns the text of a script within the script, as it is interpreted.
func (s *session) rewritten(file *syntax.File, at script.Pos) string {
	u := &unit{outer: at, elsewhere: true, calls: map[syntax.Pos]*syntax.CallExpr{}}
	s.rewrite(u, file)
	var b strings.Builder
	if err := syntax.NewPrinter().Print(&b, file); err != nil {
		return ""
	}
	return b.String()
}

// exec performs a command that is neither a builtin nor a function.
func (s *session) exec(ctx context.Context, args []string) error {
	c := &command{HandlerContext: interp.HandlerCtx(ctx), in: ctx.Value(runningKey{}).(*running)}
	c.words = c.in.unit.words(c.Pos, args)
	return s.perform(ctx, c)
}

// words returns arguments with the places of the words that they are from.
func (u *unit) words(at syntax.Pos, args []string) []draft.Word {
	list := make([]draft.Word, len(args))
	for i, a := range args {
		list[i] = draft.Word{Text: a, At: u.place(at)}
	}
	call := u.calls[at]
	switch {
	case u.elsewhere:
		return list
	case call == nil || !strings.Contains(staticText(call.Args[0]), args[0]) && staticText(call.Args[0]) != "": // within eval or source
		if included := u.included(); !included.IsZero() {
			for i := range list {
				list[i].At = included
			}
		}
		return list
	}
	words := call.Args
	place := func(arg int, w *syntax.Word) bool {
		list[arg].At = u.place(w.Pos())
		lit := staticText(w)
		return len(words) == len(args) || lit == list[arg].Text && lit != ""
	}
	n := min(len(words), len(args))
	for i := 0; i < n && place(i, words[i]); i++ {
		_ = i // words that are themselves, from the front
	}
	for i := 1; i < n && place(len(args)-i, words[len(words)-i]); i++ {
		_ = i // and from behind
	}
	return list
}

// perform performs a command: a run, one that is computed here, or nothing.
func (s *session) perform(ctx context.Context, c *command) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	name := programName(c.words[0].Text)
	switch {
	case len(s.unknowns.in(name)) > 0:
		s.useless(c, c.words[:1])
		return nil
	case name == "java" && s.Known(javaTool):
		if c.jar() {
			return s.run(ctx, c)
		}
	case s.Known(name):
		return s.run(ctx, c)
	case prefixes[name] != nil:
		if rest := prefixes[name].rest(c); len(rest) > 0 {
			c.words = rest
			return s.perform(ctx, c)
		}
		return nil
	case remotes[name] != "":
		return s.remote(ctx, c, remotes[name])
	case slices.Contains(shells, name):
		return s.subscript(ctx, c)
	case programs[name] != nil:
		if code, ok := s.compute(ctx, c, programs[name]); ok {
			return exitStatus(code)
		}
	case slices.Contains(wrappers, name):
		if i := slices.IndexFunc(c.words, func(w draft.Word) bool { return s.Known(imageName(w.Text)) }); i > 0 {
			s.remark("%s: the command line is run on this machine", name)
			c.words = c.words[i:]
			c.words[0].Text = imageName(c.words[0].Text)
			return s.run(ctx, c)
		}
	case strings.ContainsRune(c.words[0].Text, '/') && strings.HasSuffix(name, "sh"):
		return s.scriptFile(ctx, c, c.words, nil)
	}
	return s.other(ctx, c)
}

// jar replaces java and its options by the tool, if it is the tool that runs.
func (c *command) jar() bool {
	i := slices.IndexFunc(c.words, func(w draft.Word) bool { return strings.HasSuffix(w.Text, ".jar") })
	if i < 1 || !slices.ContainsFunc(c.words[i:], func(w draft.Word) bool {
		name, _, _ := strings.Cut(w.Text, "=")
		return slices.Contains([]string{"--base-uri", "--script", "--input", "-i"}, name)
	}) {
		return false
	}
	c.words = c.words[i:]
	c.words[0].Text = javaTool
	return true
}

func exitStatus(code int) error {
	if code == 0 {
		return nil
	}
	return interp.ExitStatus(code)
}

// run performs a command line of a known tool.
func (s *session) run(ctx context.Context, c *command) error {
	s.steps.Store(0)
	l := s.line(c)
	if s.useless(c, l.Args) || s.lacksOwn(c, l) {
		return nil
	}
	for _, w := range []io.Writer{c.Stdout, c.Stderr} {
		if f, ok := w.(*output); ok && f.refused != nil {
			s.complain(l.At, "%v", f.refused)
			return nil
		}
	}
	if len(l.Machines) > 0 {
		clients := strings.Join(l.Machines, ",")
		if clients == otherMachines {
			clients = "..."
		}
		s.remark("line %d is meant for %s: it is run on this machine; to have them send the load, start \"warp client\" on each, "+
			"and add --warp-client=%s", l.At.Line, strings.Join(l.Machines, ", "), clients)
	}
	s.alone.Lock()
	s.result.Lines++
	enough := s.Check && s.result.Lines > maxLines
	s.alone.Unlock()
	if enough {
		s.stop(errEnough)
		return errEnough
	}
	err := s.Run(ctx, l)
	var status ExitStatus
	switch {
	case errors.As(err, &status):
		return interp.ExitStatus(status)
	case s.Check && err != nil && !errors.Is(err, ErrEnd):
		s.alone.Lock()
		defer s.alone.Unlock()
		if !slices.ContainsFunc(s.failed, func(known error) bool { return known.Error() == err.Error() }) { // in a loop
			s.failed = append(s.failed, err)
		}
		return nil
	case err != nil:
		s.stop(err)
	}
	return err
}

// line returns a command as a command line that is performed.
func (s *session) line(c *command) *Line {
	l := &Line{
		Stdout:   c.Stdout,
		Stderr:   c.Stderr,
		Dir:      c.Dir,
		Env:      s.exported(c),
		Machines: c.in.machines,
		s:        s,
	}
	l.Program, l.At, l.Args = programName(c.words[0].Text), c.words[0].At, c.words[1:]
	l.Getenv = func(name string) string {
		for _, v := range slices.Backward(c.env) {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value
			}
		}
		return c.Env.Get(name).String()
	}
	l.ReadFile = func(name string) (string, error) {
		f, err := s.files.read(s.files.path(c.Dir, name))
		if errors.Is(err, os.ErrNotExist) && !filepath.IsAbs(name) {
			f, err = s.files.read(s.files.path(filepath.Dir(s.script.name), name))
		}
		if err != nil {
			return "", err
		}
		data, err := io.ReadAll(io.LimitReader(f, draft.MaxText+1))
		text, missing := s.fileText(string(data))
		return text, errors.Join(missing, err, f.Close())
	}
	return l
}

// fileText returns a file that the script may have written, with variables as a scenario has them where credentials or a conversion take
// them, and an error about other values that are not known.
func (s *session) fileText(text string) (string, error) {
	var names []string
	for _, v := range s.unknowns.in(text) {
		switch {
		case s.Keep || v.secret:
		case v.variable == "":
			return "", fmt.Errorf("the output of %s is not known%s", v.output, s.hint(v))
		case !slices.Contains(names, v.variable):
			names = append(names, v.variable)
		}
	}
	if len(names) > 0 {
		return "", errors.New(lackingText(names))
	}
	return s.unknowns.replace(text, unknown.kept), nil
}

// exported returns the variables that the script exports.
func (s *session) exported(c *command) (list []string) {
	c.Env.Each(func(name string, v expand.Variable) bool {
		if v.Exported && v.Kind == expand.String {
			list = append(list, name+"="+s.unknowns.replace(v.Str, func(u unknown) string {
				if u.secret {
					return u.kept()
				}
				return u.mark
			}))
		}
		return true
	})
	return append(list, c.env...)
}

// filters are programs that pass on what they read, or part of it. Those that are left out pass on all of it to the terminal.
var filters = []string{
	"awk", "gawk", "mawk", "grep", "egrep", "fgrep", "jq", "sort", "uniq", "wc", "column", "less", "more", "xargs", "tail", "head", "sed",
	"perl", "python", "python3", "ts", "tr", "cut", "bc", "mail", "gzip", "zstd",
}

// other executes another program, or leaves it out.
func (s *session) other(ctx context.Context, c *command) error {
	name := programName(c.words[0].Text)
	i := slices.IndexFunc(c.words, func(w draft.Word) bool { return s.Known(programName(w.Text)) })
	if i > 0 && (name == "xargs" || name == "parallel") {
		s.complain(c.words[i].At, "%s behind %s is not understood: write a loop", c.words[i].Text, name)
		return nil
	}
	if s.World.Exec != nil && !s.Check {
		p := &Program{Dir: c.Dir, Env: s.exported(c), Stdin: c.Stdin, Stdout: c.Stdout, Stderr: c.Stderr}
		for _, w := range c.words {
			p.Args = append(p.Args, s.unknowns.shown(w.Text))
		}
		var status ExitStatus
		if err := s.World.Exec(ctx, p); errors.As(err, &status) {
			return interp.ExitStatus(status)
		} else if err != nil {
			return err
		}
		return nil
	}
	at, what := c.words[0].At, s.unknowns.shown(c.words[0].Text)
	if len(c.words) > 1 && !strings.HasPrefix(c.words[1].Text, "-") && !strings.ContainsAny(c.words[1].Text, "/. {$=\n") {
		what += " " + s.unknowns.shown(c.words[1].Text)
	}
	if s.World.Exec == nil {
		s.leaveOut(at, what)
	}
	return s.leftOut(c, at, what)
}

// leftOut has a command that is not executed behave as if it had succeeded. What a filter reads goes on as it is, but not into the value
// of a substitution.
func (s *session) leftOut(c *command, at script.Pos, what string) error {
	terminal := c.Stdout == io.Writer(s.out) || c.Stdout == io.Writer(s.err)
	f, file := c.Stdout.(*output)
	_, pipe := c.Stdout.(*os.File)
	if slices.Contains(filters, programName(c.words[0].Text)) && c.Stdin != nil {
		to := io.Discard
		if terminal || file || pipe && !s.Check {
			to = c.Stdout
		}
		if _, err := io.Copy(to, c.Stdin); err == nil && to != io.Discard {
			return nil
		}
	}
	if file {
		f.leftOut = f.file == nil
	} else if !terminal {
		_, _ = io.WriteString(c.Stdout, s.unknowns.mark(unknown{output: what, at: at}))
	}
	return nil
}

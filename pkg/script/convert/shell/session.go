package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"

	"warp/internal/clock"
	"warp/pkg/script"
)

// session is a script that is being run.
type session struct {
	*World
	script   *Script
	unknowns *unknowns
	files    *fileTable
	out, err *terminal
	stop     context.CancelCauseFunc
	began    time.Time

	steps atomic.Int64 // since the last command line
	alone sync.Mutex   // guards what follows

	result   Result
	wrong    []script.Complaint
	failed   []error  // of command lines, in a check
	lacking  []string // names of variables without a value
	lackedAt script.Pos
	used     []string // names of variables in the script
}

// What a script may do without a command line in between, and at most in a check.
const (
	maxSteps  = 50_000
	maxLines  = 1000
	maxDepth  = 8
	maxFrames = 5000 // of functions within functions
)

var (
	errEnough = errors.New("enough for a check")
	errSteps  = fmt.Errorf("the script comes to no command line within %d steps, or to functions within functions without end", maxSteps)
)

// Run runs a script, or checks it. The error is about mistakes in the script: in a check all of them.
func (sc *Script) Run(ctx context.Context, w *World) (*Result, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s := &session{World: w, script: sc, unknowns: &unknowns{}, stop: stop, began: clock.Now()}
	s.files = newFileTable(w, s.unknowns)
	s.out, s.err = &terminal{to: w.Stdout, s: s}, &terminal{to: w.Stderr, s: s}
	file, _ := parse(sc.text) // again, since it is changed
	u := &unit{text: sc.text}
	code, err := s.runUnit(ctx, &running{unit: u, name: sc.name, file: file, params: w.Args, dir: w.Dir, stdout: s.out, stderr: s.err})
	s.alone.Lock()
	defer s.alone.Unlock()
	s.result.Code, s.result.Variables = code, s.used
	switch cause := context.Cause(ctx); {
	case errors.Is(err, errSteps) || errors.Is(cause, errSteps):
		s.wrong = append(s.wrong, script.Complaint{Text: errSteps.Error()})
	case errors.Is(err, errEnough) || errors.Is(cause, errEnough):
		s.result.More = true
	case errors.Is(err, ErrEnd) || errors.Is(cause, ErrEnd) || ctx.Err() != nil:
		err = ErrEnd
	}
	if len(s.lacking) > 0 {
		s.wrong = append(s.wrong, script.Complaint{Pos: s.lackedAt, Text: lackingText(s.lacking)})
	}
	slices.SortStableFunc(s.wrong, func(a, b script.Complaint) int { return a.Pos.Line - b.Pos.Line })
	s.result.mistakes = s.wrong
	if wrong := errors.Join(append([]error{sc.mistakes(s.wrong)}, s.failed...)...); wrong != nil {
		return &s.result, wrong
	}
	if errors.Is(err, ErrEnd) {
		return &s.result, ErrEnd
	}
	return &s.result, nil
}

// lackingText says which variables have no value, and how they get one.
func lackingText(names []string) string {
	var variables, arguments, allowed []string
	for _, name := range names {
		if !syntax.ValidName(name) {
			arguments = append(arguments, "$"+name)
			continue
		}
		variables, allowed = append(variables, name), append(allowed, "env:"+name)
	}
	var parts []string
	if len(variables) > 0 {
		parts = append(parts, fmt.Sprintf("no value for %s (set each with --var NAME=VALUE, or add --allow=%s to take them from the "+
			"environment)", strings.Join(variables, ", "), strings.Join(allowed, ",")))
	}
	if len(arguments) > 0 {
		parts = append(parts, fmt.Sprintf("no value for %s (write the script's arguments behind the file: FILE -- ARGS)",
			strings.Join(arguments, ", ")))
	}
	return strings.Join(parts, "; ")
}

// running is a text that is interpreted, with what surrounds it.
type running struct {
	unit           *unit
	name           string // $0
	file           *syntax.File
	params         []string
	options        []string // as -e
	dir            string
	env            expand.Environ // variables that it inherits; nil: none
	stdin          io.Reader
	stdout, stderr io.Writer
	depth          int
	machines       []string
}

type runningKey struct{}

// runUnit interprets a text, and returns its exit status. Commands in the background are awaited.
func (s *session) runUnit(ctx context.Context, u *running) (code int, err error) {
	u.unit.calls, u.unit.redirections = map[syntax.Pos]*syntax.CallExpr{}, map[string]script.Pos{}
	s.rewrite(u.unit, u.file)
	u.file.Name = u.name
	env := &environ{s: s, name: u.name, inherited: u.env, begins: true}
	r, err := interp.New(
		interp.Env(env), interp.StdIO(u.stdin, u.stdout, u.stderr), interp.Params(slices.Concat(u.options, []string{"--"}, u.params)...),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return s.exec }), interp.CallHandler(s.call),
		interp.OpenHandler(s.open), interp.StatHandler(s.stat), interp.AccessHandler(s.access), interp.ReadDirHandler2(s.readDir))
	if err != nil {
		return 1, err
	}
	r.Dir = u.dir // Dir would look at this machine
	r.Reset()
	env.begins = false
	ctx = context.WithValue(ctx, runningKey{}, u)
	err = r.Run(ctx, u.file)
	_ = r.Run(context.WithoutCancel(ctx), statement("wait")) // its status is the script's
	var status interp.ExitStatus
	if errors.As(err, &status) {
		return int(status), nil
	}
	if err != nil {
		return 1, err
	}
	return 0, nil
}

// environ are the variables that a script begins with.
type environ struct {
	s         *session
	name      string // $0
	inherited expand.Environ
	begins    bool // the interpreter begins
}

// Get implements expand.Environ.
func (e *environ) Get(name string) expand.Variable {
	text := func(value string) expand.Variable { return expand.Variable{Set: true, Kind: expand.String, Str: value} }
	if e.inherited != nil {
		if v := e.inherited.Get(name); v.Set && v.Exported {
			return v
		}
	}
	switch {
	case name == "TMPDIR" && e.begins:
		return text("/dev/null/none") // the interpreter would open any file of certain names there
	case name == "HOSTNAME" && !e.s.Keep:
		return text(hostname())
	case name == "BASH_SOURCE":
		return expand.Variable{Set: true, Kind: expand.Indexed, List: []string{e.name}}
	case name == "SECONDS":
		return text(fmt.Sprint(int(clock.Now().Sub(e.s.began).Seconds())))
	case name == "GID" || name == "HOME" || name == "UID" || name == "EUID":
		return expand.Variable{}
	}
	if value, ok := e.s.variable(name); ok {
		v := text(value)
		v.Exported = true
		return v
	}
	return expand.Variable{}
}

// Each implements expand.Environ: subshells copy the variables that a script uses.
func (e *environ) Each(f func(string, expand.Variable) bool) {
	for _, name := range append(e.s.usedNames(), "HOSTNAME", "BASH_SOURCE", "SECONDS") {
		if v := e.Get(name); v.Set && !f(name, v) {
			return
		}
	}
	if e.inherited != nil {
		e.inherited.Each(f)
	}
}

// uses notes the name of a variable in the script.
func (s *session) uses(name string) {
	s.alone.Lock()
	defer s.alone.Unlock()
	if !slices.Contains(s.used, name) {
		s.used = append(s.used, name)
	}
}

// usedNames returns them.
func (s *session) usedNames() []string {
	s.alone.Lock()
	defer s.alone.Unlock()
	return slices.Clone(s.used)
}

// variable returns a variable of the user.
func (s *session) variable(name string) (string, bool) {
	if s.Variable == nil || s.secret(name) {
		return "", false
	}
	return s.Variable(name)
}

// secret reports whether only credentials may have the value of a variable.
func (s *session) secret(name string) bool { return s.Secret != nil && s.Secret(name) }

// complain notes a mistake in the script, once.
func (s *session) complain(at script.Pos, format string, args ...any) {
	c := script.Complaint{Pos: at, Text: s.unknowns.shown(fmt.Sprintf(format, args...))}
	s.alone.Lock()
	defer s.alone.Unlock()
	if !slices.Contains(s.wrong, c) {
		s.wrong = append(s.wrong, c)
	}
}

// missing notes a variable that would need a value.
func (s *session) missing(at script.Pos, name string) {
	s.alone.Lock()
	defer s.alone.Unlock()
	if s.lacking == nil {
		s.lackedAt = at
	}
	if !slices.Contains(s.lacking, name) {
		s.lacking = append(s.lacking, name)
	}
}

// leaveOut notes what is not executed, once.
func (s *session) leaveOut(at script.Pos, what string) {
	s.alone.Lock()
	defer s.alone.Unlock()
	if !slices.ContainsFunc(s.result.LeftOut, func(known string) bool { return strings.HasPrefix(known, what+" (line ") }) {
		s.result.LeftOut = append(s.result.LeftOut, fmt.Sprintf("%s (line %d)", what, at.Line))
	}
}

// remark notes what the user should know, once.
func (s *session) remark(format string, args ...any) {
	text := s.unknowns.shown(fmt.Sprintf(format, args...))
	s.alone.Lock()
	defer s.alone.Unlock()
	if !slices.Contains(s.result.Remarks, text) {
		s.result.Remarks = append(s.result.Remarks, text)
	}
}

// terminal is where a script prints. In a check it prints nothing.
type terminal struct {
	mu sync.Mutex
	to io.Writer
	s  *session
}

func (t *terminal) Write(b []byte) (int, error) {
	if t.s.Check || t.to == nil {
		return len(b), nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, err := io.WriteString(t.to, t.s.unknowns.shown(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

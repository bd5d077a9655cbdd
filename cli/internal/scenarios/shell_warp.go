package scenarios

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/process"
	"warp/internal/option"
	"warp/internal/secret"
	"warp/pkg/script"
	"warp/pkg/script/convert/shell"
)

// checkWarpLine checks a command line of warp: its command exists, its flags are right, and so is the plan that they make.
func (s *shellScript) checkWarpLine(ctx context.Context, l *shell.Line) error {
	for _, a := range l.Args {
		if strings.HasPrefix(a.Text, "-") {
			continue
		}
		if s.commands == nil && s.Env.Commands != nil {
			s.commands = s.Env.Commands()
		}
		if s.commands != nil && !slices.ContainsFunc(s.commands, func(c *cli.Command) bool { return c.HasName(a.Text) }) {
			return s.mistakes(l, script.Complaint{Pos: a.At, Text: fmt.Sprintf("warp has no command %q", a.Text)})
		}
		break
	}
	if err := s.access(s.dirs.home, l.Dir, true); err != nil {
		return s.mistakes(l, script.Complaint{Pos: l.At, Text: "a command line of warp behind cd: " + err.Error()})
	}
	if s.script.Parallel() && filepath.Clean(l.Dir) != s.dirs.home {
		return s.mistakes(l, script.Complaint{
			Pos: l.At, Text: "a command line of warp behind cd, in a script with &: leave cd out, since all of its runs have one current directory",
		})
	}
	env := s.Env.Part()
	env.DryRun, env.Script, env.Depth = process.PlanOnly, s.checked, s.Env.Depth+1
	env.Stdin, env.Stdout, env.Stderr = strings.NewReader(""), io.Discard, io.Discard
	env.TTY, env.TTYOut, env.Screen, env.Keys = false, false, nil, nil
	if l.ReadsMade() {
		env.DryRun = process.FlagsOnly
	} else {
		leave, err := s.dirs.enter(l.Dir)
		if err != nil {
			return err
		}
		defer leave()
	}
	var list []script.Complaint
	for _, err := range separate(s.warp(ctx, env, l)) {
		if errors.Is(err, fs.ErrNotExist) && !l.Begins() || errors.Is(err, fs.ErrExist) && s.Allow.programs {
			continue // the script may change that
		}
		list = append(list, script.Complaint{Pos: placeOf(l, err), Text: env.NameVariables(err.Error())})
	}
	return s.mistakes(l, list...)
}

// mistakes returns complaints about a command line of warp; nil without any.
func (s *shellScript) mistakes(l *shell.Line, list ...script.Complaint) error {
	source := script.NewSource(s.name, s.text)
	source.Hide(secretOptions(s.text)...)
	return source.Error(list...)
}

// separate returns the errors that one is joined of.
func separate(err error) (list []error) {
	switch e := err.(type) { //nolint:errorlint // it walks the tree itself
	case nil:
		return nil
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			list = append(list, separate(part)...)
		}
		return list
	case interface{ Unwrap() error }:
		if inner := separate(e.Unwrap()); len(inner) > 1 || len(inner) == 1 && inner[0].Error() == err.Error() {
			return inner
		}
	}
	return []error{err}
}

// placeOf is the place of the flag that an error is about, or of the line.
func placeOf(l *shell.Line, err error) script.Pos {
	var o *option.Error
	if errors.As(err, &o) {
		for _, a := range l.Args {
			name, _, _ := strings.Cut(strings.TrimLeft(a.Text, "-"), "=")
			if strings.HasPrefix(a.Text, "-") && slices.Contains(o.Names, name) {
				return a.At
			}
		}
	}
	return l.At
}

// runWarp performs a command line of warp.
func (s *shellScript) runWarp(ctx context.Context, env *process.Env, l *shell.Line) error {
	s.mu.Lock()
	s.lines++
	s.mu.Unlock()
	s.note("%s:%d: %s", s.name, l.At.Line, l)
	return s.warp(ctx, env, l)
}

// warp has warp perform a command line, or check it.
func (s *shellScript) warp(ctx context.Context, env *process.Env, l *shell.Line) error {
	env.Args = []string{warpProgram}
	for i := 0; i < len(l.Args); i++ {
		text := l.Args[i].Text
		if name := strings.TrimLeft(text, "-"); name != text && secret.Flag(name) && i+1 < len(l.Args) {
			i++
			text += "=" + l.Args[i].Text
		}
		if text, given := s.fillSecret(text); given {
			env.Args = append(env.Args, text)
		}
	}
	var exported []string
	for _, v := range l.Env {
		if text, given := s.fillSecret(v); given {
			exported = append(exported, text)
		}
	}
	env.Export(exported)
	return s.Warp(ctx, env)
}

// secretValue is a variable that only credentials may have, as all that is behind the = of a flag or of a variable.
var secretValue = regexp.MustCompile(`^(-{0,2}([\w-]+)=)\$\{(\w+)\}$`)

// fillSecret fills in the user's secret where an argument or variable is a reference to one, and masks it in all output. It reports
// false if the secret is not set.
func (s *shellScript) fillSecret(text string) (with string, given bool) {
	m := secretValue.FindStringSubmatch(text)
	if m == nil || !secret.Variable(m[3]) || !isCredential(m[2]) {
		return text, true
	}
	value := s.Env.Getenv(m[3])
	s.addMask(value)
	return m[1] + value, value != ""
}

// isCredential reports whether a flag or variable is for credentials, which go to no host.
func isCredential(name string) bool {
	flag := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, "WARP_")), "_", "-")
	return slices.Contains(secret.Credentials, flag) ||
		slices.Contains([]string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"}, name)
}

// directories let command lines have a current directory: those that are under way have the same one.
type directories struct {
	home  string // where the script begins
	mu    sync.Mutex
	now   string
	users int
}

// enter has a command line begin in a directory, until leave is called.
func (d *directories) enter(dir string) (leave func(), err error) {
	dir = filepath.Clean(dir)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.users > 0 && d.now != dir {
		return nil, process.UsageError("%s: a command line of warp in another directory has not ended (want one after the other)", dir)
	}
	if here, err := os.Getwd(); err != nil || here != dir {
		if err := os.Chdir(dir); err != nil {
			return nil, err
		}
	}
	d.now = dir
	d.users++
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.users--; d.users == 0 && dir != d.home {
			_ = os.Chdir(d.home) // the next line would say so
		}
	}, nil
}

package scenarios

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"warp/cli/internal/process"
	"warp/internal/secret"
	"warp/pkg/script/convert"
	"warp/pkg/script/convert/shell"
	"warp/pkg/units"
)

// IsShell reports whether a text is a shell script, whose command lines are converted one by one.
func (f *Foreign) IsShell(name, text string) bool { return f.isShell(name, text) }

// ConvertShell returns the scenarios of a shell script's command lines: one as it is, several as documents that begin with where they are
// from. Runs of one line that a sweep can make are one document. Variables without a value become the scenarios'.
func (f *Foreign) ConvertShell(ctx context.Context, e *process.Env, name, text string, variables map[string]string) (string, error) {
	sc, err := shell.Parse(name, text, secretOptions(text)...)
	if err != nil {
		return "", err
	}
	s := &shellScript{Run: &Run{}, name: name, text: text, script: sc, variables: variables}
	s.uses = NewAccess(name, &Allowance{}, variables, e, nil)
	s.uses.foreign()
	dir, err := filepath.Abs(".")
	if err != nil {
		return "", err
	}
	var list []*convertedLine
	result, err := sc.Run(ctx, &shell.World{
		Check:    true,
		Keep:     true,
		Dir:      dir,
		Known:    knownProgram,
		Variable: s.variable,
		Secret:   secret.Variable,
		Access:   func(path string, write bool) error { return s.access(dir, path, write) },
		Run: func(_ context.Context, l *shell.Line) error {
			if l.Program == warpProgram {
				s.maskWarp(l)
				list = append(list, &convertedLine{line: l.At.Line, command: s.mask(l.String())})
				return nil
			}
			source, ok := convert.Program(l.Program)
			if !ok {
				return fmt.Errorf("%s: unknown program %s", name, l.Program)
			}
			l.Text = text
			job, err := source.ConvertCommand(name, &l.Command)
			if err != nil {
				return err
			}
			f.variables = append(f.variables, job.Variables()...)
			list = append(list, &convertedLine{line: l.At.Line, command: l.Program, job: job})
			return nil
		},
	})
	f.variables = append(f.variables, result.Variables...)
	if err != nil {
		return "", errors.New(s.mask(err.Error()))
	}
	list = mergeSweeps(list)
	switch {
	case len(list) == 0:
		return "", s.noLines()
	case len(list) == 1 && list[0].job != nil:
		return list[0].job.Conversion().Format(), nil
	}
	return documents(name, result.Lines, list), nil
}

// documents returns what the runs of a script were converted to, each with the place of its command line.
func documents(name string, runs int, list []*convertedLine) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s; \"warp run\" runs the script, and each of these documents in a file of its own.\n", name,
		units.Plural(int64(runs), "run"))
	for i, c := range list {
		if i > 0 {
			b.WriteString("---\n")
		}
		fmt.Fprintf(&b, "# %s:%d: %s\n", name, c.line, c.command)
		if c.job == nil {
			b.WriteString("# A command of warp: with --print-scenario it prints its scenario.\n")
		} else {
			b.WriteString(c.job.Conversion().Format())
		}
	}
	return b.String()
}

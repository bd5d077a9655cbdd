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
// from. Variables without a value become the scenarios'.
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
	var documents []string
	result, err := sc.Run(ctx, &shell.World{
		Check:    true,
		Keep:     true,
		Dir:      dir,
		Known:    knownProgram,
		Variable: s.variable,
		Secret:   secret.Variable,
		Access:   func(path string, write bool) error { return s.access(dir, path, write) },
		Run: func(_ context.Context, l *shell.Line) error {
			place := fmt.Sprintf("# %s:%d: ", name, l.At.Line)
			if l.Program == warpProgram {
				s.maskWarp(l)
				documents = append(documents, place+s.mask(l.String())+"\n# A command of warp: with --print-scenario it prints its scenario.\n")
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
			documents = append(documents, place+l.Program+"\n"+job.Conversion().Format())
			return nil
		},
	})
	f.variables = append(f.variables, result.Variables...)
	switch {
	case err != nil:
		return "", errors.New(s.mask(err.Error()))
	case len(documents) == 0:
		return "", s.noLines()
	case len(documents) == 1:
		_, one, _ := strings.Cut(documents[0], "\n")
		return one, nil
	}
	return fmt.Sprintf("# %s: %s; \"warp run\" runs the script, and each of these documents in a file of its own.\n", name,
		units.Plural(int64(len(documents)), "run")) + strings.Join(documents, "---\n"), nil
}

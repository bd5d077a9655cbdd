package runs

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"warp/cli/internal/process"
	"warp/internal/program"
	"warp/internal/secret"
	"warp/pkg/bench"
	"warp/pkg/units"
)

// execSteps returns what runs the programs of a scenario. Their output goes to the progress, line by line.
func execSteps(e *process.Env, notice func(string)) func(ctx context.Context, s *bench.Step) error {
	return func(ctx context.Context, s *bench.Step) error {
		out := &noticeLines{prefix: s.Exec[0] + ": ", notice: notice}
		err := program.Run(ctx, s.Exec, ProgramEnv(e, s.ExecEnv), out)
		out.flush()
		return err
	}
}

// ProgramEnv returns the environment of a program: that of warp without its secrets, unless they are named. It is not nil.
func ProgramEnv(e *process.Env, named []string) []string {
	list := []string{}
	if e.Environ == nil {
		return list
	}
	for _, v := range e.Environ() {
		if name, _, _ := strings.Cut(v, "="); !secret.Variable(name) || slices.Contains(named, name) {
			list = append(list, v)
		}
	}
	return list
}

// noticeLines passes on what is written, line by line. One goroutine writes both outputs of a program.
type noticeLines struct {
	prefix string
	notice func(string)
	rest   []byte
}

// maxOutputLine is the maximum length of a line; longer ones are cut into several.
const maxOutputLine = 4096

// Write passes on complete lines.
func (w *noticeLines) Write(b []byte) (int, error) {
	w.rest = append(w.rest, b...)
	for {
		i := bytes.IndexByte(w.rest, '\n')
		if i < 0 {
			if len(w.rest) > maxOutputLine {
				w.flush()
			}
			return len(b), nil
		}
		w.notice(w.prefix + units.Line(strings.TrimRight(string(w.rest[:i]), "\r")))
		w.rest = w.rest[i+1:]
	}
}

// flush passes on the last line, if it has no end.
func (w *noticeLines) flush() {
	if len(w.rest) > 0 {
		w.notice(w.prefix + units.Line(string(w.rest)))
		w.rest = nil
	}
}

// Programs returns the commands of the programs that a plan runs, with the secrets that they get.
func Programs(p *bench.Plan) (list []string) {
	for i := range p.Phases {
		for k := range p.Phases[i].Steps {
			if s := &p.Phases[i].Steps[k]; len(s.Exec) > 0 {
				text := process.ShellCommand(s.Exec...)
				if len(s.ExecEnv) > 0 {
					text += " (with " + strings.Join(s.ExecEnv, ", ") + ")"
				}
				list = append(list, text)
			}
		}
	}
	return list
}

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"warp/pkg/bench"
	"warp/pkg/units"
)

// execGrace is how long a program has to end after it was told to, and its output to be read after it has ended.
const execGrace = 5 * time.Second

// execSteps returns what runs the programs of a scenario. Their output goes to the progress, line by line.
func execSteps(notice func(string)) func(ctx context.Context, command []string) error {
	return func(ctx context.Context, command []string) error {
		out := &noticeLines{prefix: command[0] + ": ", notice: notice}
		cmd := exec.CommandContext(ctx, command[0], command[1:]...) //nolint:gosec // which is what --allow-exec allows
		cmd.Stdout, cmd.Stderr, cmd.WaitDelay = out, out, execGrace
		kill := ownGroup(cmd)
		err := cmd.Run()
		out.flush()
		if ctx.Err() != nil {
			kill()
			return nil // it was ended, as the phase was
		}
		if err != nil && !errors.Is(err, exec.ErrWaitDelay) { // which is about a program that it left behind
			return fmt.Errorf("%s: %w", strings.Join(command, " "), err)
		}
		return nil
	}
}

// noticeLines passes on what is written, line by line. Run of package exec writes both outputs of a program by one goroutine.
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

// programs returns the commands of the programs that a plan runs.
func programs(p *bench.Plan) (list []string) {
	for i := range p.Phases {
		for k := range p.Phases[i].Steps {
			if s := &p.Phases[i].Steps[k]; len(s.Exec) > 0 {
				list = append(list, strings.Join(s.Exec, " "))
			}
		}
	}
	return list
}

package scenarios

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"

	"warp/cli/internal/process"
	"warp/cli/internal/runs"
	"warp/pkg/script/convert/shell"
)

// signals passes on what asks to end: to the runs, or to the script if none is under way.
type signals struct {
	mu   sync.Mutex
	runs []chan os.Signal
	done chan struct{}
	wg   sync.WaitGroup
}

// passSignals begins to pass them on. The second interrupt between runs ends the process.
func passSignals(e *process.Env, interrupt func()) *signals {
	s := &signals{done: make(chan struct{})}
	e.InterruptsHandled()
	s.wg.Go(func() {
		idle := 0
		for {
			select {
			case sig := <-e.Signals:
				if s.pass(sig) {
					continue
				}
				if idle++; idle > 1 {
					e.Exit(process.ExitInterrupted)
				}
				interrupt()
			case <-s.done:
				return
			}
		}
	})
	return s
}

// pass passes on a signal to all runs; false: there are none.
func (s *signals) pass(sig os.Signal) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, to := range s.runs {
		select {
		case to <- sig:
		default: // it has been asked often enough
		}
	}
	return len(s.runs) > 0
}

// add returns what a run gets its signals by, until done is called.
func (s *signals) add() (to chan os.Signal, done func()) {
	to = make(chan os.Signal, 8)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = append(s.runs, to)
	return to, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.runs = slices.DeleteFunc(s.runs, func(c chan os.Signal) bool { return c == to })
	}
}

// end ends it.
func (s *signals) end() {
	close(s.done)
	s.wg.Wait()
}

// execProgram executes another program of a script, without the secrets of warp.
func execProgram(ctx context.Context, e *process.Env, p *shell.Program) error {
	path, err := exec.LookPath(p.Args[0])
	if err != nil {
		fmt.Fprintf(p.Stderr, "%s: command not found\n", p.Args[0])
		return shell.ExitStatus(127)
	}
	cmd := exec.CommandContext(ctx, path, p.Args[1:]...)
	cmd.Args[0], cmd.Dir, cmd.Env = p.Args[0], p.Dir, append(runs.ProgramEnv(e, nil), p.Env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.Stdin, p.Stdout, p.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return shell.ErrEnd
	case errors.As(err, &exit):
		return shell.ExitStatus(max(1, exit.ExitCode()))
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		fmt.Fprintf(p.Stderr, "%v\n", err)
		return shell.ExitStatus(126)
	}
	return nil
}

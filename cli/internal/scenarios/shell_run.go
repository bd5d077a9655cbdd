package scenarios

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"warp/cli/internal/process"
	"warp/pkg/script/convert/shell"
	"warp/pkg/units"
)

// perform runs the script. Its error is that of the worst run, or of the script itself.
func (s *shellScript) perform(ctx context.Context) (err error) {
	if s.Env.DryRun != process.NotDry {
		return nil // it was checked when it was read
	}
	if s.Env.Script == nil {
		defer func() { err = errors.Join(err, s.common.End()) }()
	}
	defer s.printTable()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s.signals = passSignals(s.Env, func() { stop(process.ErrInterrupt) })
	defer s.signals.end()
	s.lines = 0
	result, err := s.script.Run(ctx, s.world(false))
	s.mu.Lock()
	defer s.mu.Unlock()
	switch failure := s.failure(); {
	case errors.Is(context.Cause(ctx), process.ErrInterrupt) || process.ExitCode(failure) == process.ExitInterrupted:
		return process.WithCode(process.ExitInterrupted, fmt.Errorf("%s: interrupted; the script has not come to its end", s.name))
	case failure != nil:
		return failure
	case err != nil && !errors.Is(err, shell.ErrEnd):
		return process.UsageErrors(errors.New(s.mask(err.Error())))
	case result.Code != 0:
		return process.WithCode(result.Code, fmt.Errorf("%s: exit status %d", s.name, result.Code))
	}
	return nil
}

// run performs a command line.
func (s *shellScript) run(ctx context.Context, l *shell.Line) error {
	env, done := s.runEnv(l)
	defer done()
	dir, perform := s.dirs.home, s.runTool
	if l.Program == warpProgram {
		dir, perform = l.Dir, s.runWarp
	}
	leave, err := s.dirs.enter(dir)
	if err == nil {
		err = perform(ctx, env, l)
		leave()
	}
	if err == nil {
		return nil
	}
	_, _ = io.WriteString(env.Stderr, s.mask(env.NameVariables(process.ErrorLines(err))))
	code := process.ExitCode(err)
	s.mu.Lock()
	s.failed = append(s.failed, failedRun{l.At.Line, code})
	s.mu.Unlock()
	if code == process.ExitInterrupted {
		return shell.ErrEnd
	}
	return shell.ExitStatus(code)
}

// failedRun is a run that failed. Its error was printed.
type failedRun struct{ line, code int }

// failure returns an error that names the failed runs; nil if there are none.
func (s *shellScript) failure() error {
	var worst []error
	var list []string
	for _, f := range slices.Compact(slices.SortedFunc(slices.Values(s.failed), func(a, b failedRun) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.code, b.code))
	})) {
		worst = append(worst, process.WithCode(f.code, errors.New("")))
		list = append(list, fmt.Sprintf("line %d (exit status %d)", f.line, f.code))
	}
	if list == nil {
		return nil
	}
	return process.WithCode(process.ExitCode(errors.Join(worst...)),
		fmt.Errorf("%s: %d of %s failed: %s", s.name, len(s.failed), units.Plural(int64(s.lines), "run"), strings.Join(list, ", ")))
}

// runEnv returns the environment of one run: what the script exports, and where its output goes.
func (s *shellScript) runEnv(l *shell.Line) (env *process.Env, done func()) {
	env = s.Env.Part()
	env.Signals, done = s.signals.add()
	env.Script, env.Depth = s.common, s.Env.Depth+1
	env.OnReport = s.table.row(l)
	if s.script.Parallel() { // one line for each of them would change places with others
		env.TTY, env.Screen, env.Keys = false, nil, nil
	}
	output, errs := l.Prints()
	if !output {
		env.Stdout, env.TTYOut = l.Stdout, false
	}
	if l.Program == warpProgram && !errs {
		env.Stderr, env.TTY, env.Screen, env.Keys = l.Stderr, false, nil, nil
	}
	return env, done
}

// runTool performs a command line of another tool.
func (s *shellScript) runTool(ctx context.Context, env *process.Env, l *shell.Line) error {
	s.mu.Lock()
	s.lines++
	number := s.lines
	one, b := *s.Run, *s.Benchmark
	b.Env, one.Benchmark = env, &b
	b.Out.Quiet = true // remarks were printed by the check
	asked, err := s.convert(l)
	var plan *Scenario
	if err == nil {
		plan, err = one.Resolve(ctx, fmt.Sprintf("%s:%d", s.name, l.At.Line), asked, s.variables)
	}
	b.Out.Quiet = s.Out.Quiet
	s.mu.Unlock()
	if err != nil {
		return process.UsageErrors(errors.New(s.mask(err.Error())))
	}
	plan.stem = fmt.Sprint(number)
	s.note("%s:%d: %s", s.name, l.At.Line, l)
	return one.runOne(ctx, plan, true)
}

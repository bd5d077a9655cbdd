package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/files"
	"warp/cli/internal/process"
	"warp/cli/internal/reports"
	"warp/cli/internal/rules"
	"warp/cli/internal/runs"
	"warp/internal/clock"
	"warp/pkg/recording"
	"warp/pkg/runinfo"
)

// merging is the command that combines recordings.
type merging struct{ reports.Printer }

func mergeCommand(e *process.Env) *cli.Command {
	m := &merging{reports.Printer{Env: e}}
	return &cli.Command{
		Name:      "merge",
		Usage:     "combine recordings of several clients into one",
		ArgsUsage: "FILE FILE...",
		Description: "Writes one recording of all operations, in order of time, and prints its report, as of one run by all clients. Only " +
			"the time when all of them ran counts.",
		UsageText: "warp merge --benchdata=all client-1.csv.zst client-2.csv.zst",
		Flags:     append(append([]cli.Flag{m.Out.BenchdataFlag(), m.Out.OverwriteFlag()}, m.Out.Common()...), m.Analyze.Flags()...),
		Action:    m.action,
	}
}

func (m *merging) action(ctx context.Context, c *cli.Command) error {
	paths := c.Args().Slice()
	if len(paths) < 2 {
		return process.UsageError("merge: want at least two recordings, as in \"warp merge client-1.csv.zst client-2.csv.zst\"")
	}
	opts, err := m.Analyze.Options()
	if err != nil {
		return process.UsageErrors(err)
	}
	base, err := runs.RecordingBase(m.Out.Benchdata, "merge", runinfo.NewID(), clock.Now())
	if err != nil {
		return err
	}
	path := base + runinfo.Suffix
	if err := m.check(path, paths); err != nil {
		return err
	}
	src, err := files.Open(m.Env, m.Out.Quiet, paths...)
	if err != nil {
		return err
	}
	defer src.Close()
	if err := m.merge(ctx, path, src.List); err != nil {
		return err
	}
	defer m.Env.LeaveOnInterrupt()()
	v, err := reports.Read(opts, src.File(path))
	if err != nil {
		return err
	}
	v.Head.Command = "merge"
	v.Judge(opts)
	v.Rulings = rules.Rulings(nil).Reported(v.Expected)
	if err := m.Print(v); err != nil {
		return err
	}
	if !m.Out.Quiet {
		fmt.Fprintf(m.Env.Stderr, "All operations are recorded in %s.\n", path)
	}
	return nil
}

// check refuses recordings that would count twice, and files that would be overwritten.
func (m *merging) check(path string, paths []string) error {
	if a, b, found := files.Duplicate(paths); found {
		return process.UsageError("merge: %s and %s are the same recording, which would count twice", a, b)
	}
	return process.UsageErrors(files.CheckNew("benchdata", path, m.Out.Overwrite, paths...),
		m.Analyze.CheckOutputs(&m.Out, slices.Concat(paths, []string{path})...))
}

// merge writes the merged recording.
func (m *merging) merge(ctx context.Context, path string, inputs []recording.Input) error {
	ctx, stop := m.Env.CancelOnInterrupt(ctx)
	defer stop()
	f, err := files.Create("benchdata", "merged recording", path, m.Out.Overwrite)
	if err != nil {
		return err
	}
	defer f.Discard()
	_, err = recording.Merge(ctx, f, recording.Header{CommandLine: runinfo.Redact(m.Env.Args)}, inputs, runinfo.NewMergeTee(inputs, nil))
	switch {
	case errors.Is(err, process.ErrInterrupt):
		return process.WithCode(process.ExitInterrupted, errors.New("interrupted; nothing was written"))
	case err != nil:
		return fmt.Errorf("merge: %w", err)
	}
	if err := f.Commit(); err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	return nil
}

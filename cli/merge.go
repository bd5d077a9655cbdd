package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v3"

	"warp/internal/clock"
	"warp/pkg/recording"
	"warp/pkg/runinfo"
)

// merging is the command that combines recordings.
type merging struct{ printer }

func mergeCommand(e *Env) *cli.Command {
	m := &merging{printer{env: e}}
	return &cli.Command{
		Name:      "merge",
		Usage:     "combine recordings of several clients into one",
		ArgsUsage: "FILE FILE...",
		Description: "Writes one recording of all operations, in the order of time, and prints its report, as if one run had had all the " +
			"clients. Only the time in which all of them ran counts.",
		UsageText: "warp merge --benchdata=all client-1.csv.zst client-2.csv.zst",
		Flags:     append(append([]cli.Flag{m.out.benchdataFlag(), m.out.overwriteFlag()}, m.out.common()...), m.analyze.flags()...),
		Action:    m.action,
	}
}

func (m *merging) action(ctx context.Context, c *cli.Command) error {
	files := c.Args().Slice()
	if len(files) < 2 {
		return usageError("merge: want at least two recordings, as in \"warp merge client-1.csv.zst client-2.csv.zst\"")
	}
	opts, err := m.analyze.options()
	if err != nil {
		return usageErrors(err)
	}
	base, err := recordingBase(m.out.benchdata, "merge", runinfo.NewID(), clock.Now())
	if err != nil {
		return err
	}
	path := base + runinfo.Suffix
	if err := m.check(path, files); err != nil {
		return err
	}
	src, err := openInputs(m.env, m.out.quiet, files...)
	if err != nil {
		return err
	}
	defer src.close()
	if err := m.merge(ctx, path, src.list); err != nil {
		return err
	}
	defer m.env.leaveOnInterrupt()()
	v, err := readReport(opts, src.file(path))
	if err != nil {
		return err
	}
	v.Head.Command = "merge"
	v.judge(opts)
	v.rulings = rulings(nil).reported(v.expected)
	if err := m.print(v); err != nil {
		return err
	}
	if !m.out.quiet {
		fmt.Fprintf(m.env.Stderr, "All operations are recorded in %s.\n", path)
	}
	return nil
}

// check refuses recordings that would count twice, and files that would be overwritten.
func (m *merging) check(path string, files []string) error {
	if a, b, found := findDuplicate(files); found {
		return usageError("merge: %s and %s are the same recording, which would count twice", a, b)
	}
	return usageErrors(checkNew("benchdata", path, m.out.overwrite, files...), m.analyze.checkOut(&m.out, slices.Concat(files, []string{path})...))
}

// merge writes the merged recording.
func (m *merging) merge(ctx context.Context, path string, inputs []recording.Input) error {
	ctx, stop := m.env.cancelOnInterrupt(ctx)
	defer stop()
	f, err := createAtomic("benchdata", "merged recording", path, m.out.overwrite)
	if err != nil {
		return err
	}
	defer f.discard()
	_, err = recording.Merge(ctx, f, recording.Header{CommandLine: runinfo.Redact(m.env.Args)}, inputs, runinfo.NewMergeTee(inputs, nil))
	switch {
	case errors.Is(err, errInterrupt):
		return withCode(exitInterrupted, errors.New("interrupted; nothing was written"))
	case err != nil:
		return fmt.Errorf("merge: %w", err)
	}
	if err := f.commit(); err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	return nil
}

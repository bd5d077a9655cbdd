package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/runs"
	"warp/internal/option"
	"warp/pkg/bench"
	"warp/pkg/bench/workload"
	"warp/pkg/recording"
	"warp/pkg/runinfo"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/units"
)

// cleaning is the command that removes what runs left.
type cleaning struct {
	runs.Revisit
	dryRun, force bool

	seed           uint64 // of a run without a recording, and where it was
	bucket, prefix string
	noPrefix       bool
	concurrent     int
}

const (
	// cleanThreads is how many threads remove objects.
	cleanThreads = 16
	// cleanRow is how many prefixes of threads without objects show that a run had no more threads.
	cleanRow = 256
)

func cleanCommand(e *process.Env) *cli.Command {
	c := &cleaning{Revisit: runs.Revisit{Env: e}}
	list := c.Revisit.Flags()
	list = append(list, flags.Categorize(flags.CatData, []cli.Flag{
		&cli.BoolFlag{Name: "dry-run", Destination: &c.dryRun, Usage: "list what would be removed, and remove nothing"},
		&cli.BoolFlag{
			Name:        "force",
			Destination: &c.force,
			Sources:     process.CommandLineOnly(),
			Usage:       "proceed even if a run with the same seed seems to be in progress",
		},
		&cli.Uint64Flag{
			Name:        "seed",
			Destination: &c.seed,
			Sources:     process.CommandLineOnly(),
			Usage:       "`NUMBER` seed of the run, if there is no recording; needs --host",
		},
		&cli.StringFlag{
			Name:        "bucket",
			Destination: &c.bucket,
			Sources:     process.CommandLineOnly(),
			Value:       flags.DefaultBucket,
			Usage:       "`BUCKET` with --seed: bucket of the run",
		},
		&cli.StringFlag{
			Name:        "prefix",
			Destination: &c.prefix,
			Sources:     process.CommandLineOnly(),
			Usage:       "`PREFIX` with --seed: key prefix of all objects",
		},
		&cli.BoolFlag{
			Name:        "noprefix",
			Destination: &c.noPrefix,
			Sources:     process.CommandLineOnly(),
			Usage:       "with --seed: the run had --noprefix",
		},
		&cli.IntFlag{
			Name:        "concurrent",
			Destination: &c.concurrent,
			Sources:     process.CommandLineOnly(),
			Value:       cleanRow,
			Usage:       "`THREADS` with --seed: at least as many threads as the run had",
		},
	})...)
	return &cli.Command{
		Name:      "clean",
		Usage:     "remove what a run left in its bucket",
		ArgsUsage: "RECORDING... | --seed=NUMBER",
		Description: "Removes the objects of a run that was killed or kept its data: exactly the objects named by its recording's seed " +
			"and plan, with all their versions, its unfinished uploads and its claim. Also removes the bucket, if the killed run created " +
			"it and nothing else is in it. The run must be over. A recording of several clients stands for all of them, a single " +
			"client's recording for what that client created. Host and bucket come from the recording; credentials are in no recording.",
		UsageText: "warp clean --dry-run warp-put-2026-11-21-101500-Xk3f.csv.zst",
		Flags:     list,
		Action:    c.action,
	}
}

func (c *cleaning) action(ctx context.Context, cmd *cli.Command) error {
	files, seeded := cmd.Args().Slice(), cmd.IsSet("seed")
	if err := c.check(cmd, len(files)); err != nil {
		return err
	}
	ctx, stop := c.Env.CancelOnInterrupt(ctx)
	defer stop()
	var errs []error
	if seeded {
		run, err := c.headOfSeed()
		if err == nil {
			err = c.clean(ctx, cmd, fmt.Sprintf("seed %d", c.seed), run, max(c.concurrent, cleanRow))
		}
		errs = append(errs, err)
	}
	for _, path := range files {
		if !c.force && !c.dryRun && recording.InUse(path) {
			errs = append(errs, fmt.Errorf("%s: %w: end it first, or use --force to remove what it is working on", path, recording.ErrInUse))
			continue
		}
		heads, err := runs.Headers(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", path, err))
		}
		for _, run := range heads {
			errs = append(errs, runs.ErrorOf(path, c.clean(ctx, cmd, path, run, 0)))
		}
	}
	err := errors.Join(errs...)
	if errors.Is(context.Cause(ctx), process.ErrInterrupt) {
		return process.WithCode(process.ExitInterrupted, errors.New("interrupted; what is left can be removed by the same command"))
	}
	return err
}

// check returns an error for arguments and flags that do not say which run is meant.
func (c *cleaning) check(cmd *cli.Command, files int) error {
	seeded := cmd.IsSet("seed")
	var errs []error
	for _, name := range []string{"bucket", "prefix", "noprefix", "concurrent"} {
		if !seeded && cmd.IsSet(name) {
			errs = append(errs, option.Errorf(name, "want --seed as well; a recording says it"))
		}
	}
	switch {
	case seeded && files > 0:
		errs = append(errs, option.Errorf("seed", "want a recording or a seed, not both"))
	case seeded && c.Target.Host == "":
		errs = append(errs, option.Errorf("seed", "want --host as well"))
	case seeded && (c.concurrent < 1 || c.concurrent > bench.MaxThreads):
		errs = append(errs, option.Invalid("concurrent", c.concurrent, fmt.Sprintf("1 to %d", bench.MaxThreads)))
	case !seeded && files == 0:
		return process.UsageError("clean: want the recording of the run, as in \"warp clean warp-put-....csv.zst\", or its --seed")
	}
	return process.UsageErrors(errs...)
}

// headOfSeed returns what a recording would say of a run that has none.
func (c *cleaning) headOfSeed() (run runinfo.Header, err error) {
	ph, err := bench.NewPhase("put", &workload.Put{})
	if err != nil {
		return run, err
	}
	ph.Concurrency = 1 // see Cleanup.Any
	target := s3.Config{
		Bucket:      c.bucket,
		Timeout:     flags.DefaultTimeout,
		DialTimeout: flags.DefaultDialTimeout,
		IdleTimeout: flags.DefaultTimeout,
	}
	run.Clients, run.Plan = 1, &bench.Plan{Seed: c.seed, Target: target, Phases: []bench.Phase{ph}}
	run.Plan.Data.Prefix, run.Plan.Data.NoPrefix = c.prefix, c.noPrefix
	return run, nil
}

// clean removes what one run left, of as many threads as its plan says, or of any number, for which see bench.Cleanup.
func (c *cleaning) clean(ctx context.Context, cmd *cli.Command, path string, run runinfo.Header, anyThreads int) error {
	if run.Embedded && c.Target.Host == "" {
		c.Inform(fmt.Sprintf("%s: the run had a server of its own, which is gone with all objects; there is nothing to remove.", path))
		return nil
	}
	plan, err := bench.Decode(run.Plan)
	if err != nil {
		return fmt.Errorf("%s: its plan is not one of this version: %w", path, err)
	}
	target := run.Plan.Target
	if run.Client != nil {
		target = target.OfClient(run.Client.Index)
	}
	cfg, err := c.Config(ctx, cmd, target, cleanThreads)
	if err != nil {
		return err
	}
	if run.Client != nil || run.Clients <= 1 || !cfg.BucketPerClient() {
		return c.cleanBuckets(ctx, path, run, plan, cfg, anyThreads)
	}
	for i := range run.Clients {
		run.Client = &runinfo.Client{Index: i, Total: run.Clients}
		err = errors.Join(err, c.cleanBuckets(ctx, path, run, plan, cfg.OfClient(i), anyThreads))
	}
	return err
}

// cleanBuckets removes what a run left in its buckets, or one client of it.
func (c *cleaning) cleanBuckets(
	ctx context.Context, path string, run runinfo.Header, plan *bench.Compiled, cfg s3.Config, anyThreads int,
) error {
	store, err := connect.New(cfg)
	if err != nil {
		return err
	}
	defer store.Close()
	watch := c.Watcher(c.Quiet || c.dryRun)
	defer watch.Close()
	if err := runs.Reachable(ctx, store); err != nil {
		return err
	}
	cleanup := &bench.Cleanup{
		Plan:     plan,
		Target:   cfg,
		Store:    store,
		Threads:  cleanThreads,
		Clients:  run.Clients,
		Any:      anyThreads,
		Force:    c.force,
		Observer: watch,
	}
	if anyThreads == 0 {
		cleanup.Over, cleanup.Place = runs.Ended(path), recording.Place(path)
	}
	if run.Client != nil {
		cleanup.Clients, cleanup.Client = run.Client.Total, &run.Client.Index
	}
	verb := "Removed"
	if c.dryRun {
		verb = "Would remove"
		cleanup.Show = c.list
	}
	done, err := cleanup.Run(ctx)
	watch.Close()
	hint := ""
	if anyThreads > 0 && err == nil && *done == (bench.Cleaned{}) {
		hint = " Did the run have the same --bucket, --prefix and --noprefix, and no --keys?"
	}
	c.Inform(fmt.Sprintf("%s: %s %s.%s", path, verb, summaryOf(done, &cfg), hint))
	return err
}

// list prints what would be removed, in columns for programs.
func (c *cleaning) list(l bench.Leftover) {
	if l.Version == "null" { // of an object that was put while no versions were kept
		l.Version = ""
	}
	fmt.Fprintln(c.Env.Stdout, strings.TrimRight(strings.Join([]string{l.Kind, l.Key, l.Version}, "\t"), "\t"))
}

// summaryOf says what was removed from the buckets of a run.
func summaryOf(d *bench.Cleaned, c *s3.Config) string {
	var parts []string
	for _, k := range []struct {
		n    uint64
		noun string
	}{{d.Objects, "object"}, {d.Uploads, "unfinished upload"}, {d.Claims, "claim"}, {d.Extra, "extra bucket"}} {
		if k.n > 0 {
			parts = append(parts, units.Plural(int64(k.n), k.noun))
		}
	}
	if parts == nil {
		parts = []string{"nothing"}
	}
	text := fmt.Sprintf("%s from %s", strings.Join(parts, ", "), runs.BucketsOf(c))
	switch {
	case d.Bucket && c.Buckets > 1:
		text += ", and the buckets that the run made"
	case d.Bucket:
		text += ", and the bucket itself"
	}
	return text
}

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/pkg/bench"
	"warp/pkg/recording"
	"warp/pkg/runinfo"
	"warp/pkg/s3"
	"warp/pkg/s3/preflight"
	"warp/pkg/units"
)

// cleaning is the command that removes what runs left.
type cleaning struct {
	env                  *Env
	target               targetFlags
	dryRun, force, quiet bool
}

// cleanTarget are the flags that say how to reach a store. What else a run did is in its recording.
var cleanTarget = []string{"access-key", "secret-key", "session-token", "sts-web-token", "tls", "insecure", "region", "lookup", "signature", "resolve-host"}

// cleanThreads is how many threads remove objects.
const cleanThreads = 16

func cleanCommand(e *Env) *cli.Command {
	c := &cleaning{env: e}
	flags := slices.DeleteFunc(c.target.flags(e), func(f cli.Flag) bool { return !slices.Contains(cleanTarget, f.Names()[0]) })
	// Not from the environment: the host that is measured these days may be another one.
	flags = append(flags, categorize(catTarget, []cli.Flag{
		&cli.StringFlag{Name: "host", Destination: &c.target.host, Usage: "`HOSTS` hosts of the bucket, as for benchmarks", DefaultText: "those of the recording"},
	})...)
	flags = append(flags, categorize(catData, []cli.Flag{
		&cli.BoolFlag{Name: "dry-run", Destination: &c.dryRun, Usage: "list what would be removed, and remove nothing"},
		&cli.BoolFlag{Name: "force", Destination: &c.force, Usage: "proceed although another run with the same seed left its claim or is under way; its objects have the same names"},
	})...)
	flags = append(flags, categorize(catOutput, []cli.Flag{
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Destination: &c.quiet, Usage: "print no progress and no summary"},
	})...)
	return &cli.Command{
		Name:      "clean",
		Usage:     "remove what a run left in its bucket",
		ArgsUsage: "RECORDING...",
		Description: "Removes the objects of a run that was killed, or kept its data: exactly those whose names follow from the seed and the plan in its " +
			"recording, with all their versions, its unfinished uploads and its claim; and the bucket, if the run made it, was killed, and nothing else is in it. " +
			"The run must be over. A recording of several clients together stands for all of them, that of one client for what this one made. " +
			"Host and bucket are those of the recording; keys are in no recording.",
		UsageText: "warp clean --dry-run \"warp-put-2026-11-21[101500]-Xk3f.csv.zst\"",
		Flags:     flags,
		Action:    c.action,
	}
}

func (c *cleaning) action(ctx context.Context, cmd *cli.Command) error {
	files := cmd.Args().Slice()
	if len(files) == 0 {
		return usageError("clean: want the recording of the run, as in \"warp clean warp-put-....csv.zst\"")
	}
	ctx, stop := cancelOnInterrupt(ctx, c.env)
	defer stop()
	var errs []error
	for _, path := range files {
		runs, err := headsOf(path)
		errs = append(errs, err)
		for _, run := range runs {
			if err := c.clean(ctx, cmd, path, run); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", path, err))
			}
		}
	}
	err := errors.Join(errs...)
	if errors.Is(context.Cause(ctx), errInterrupt) {
		return &codedError{exitInterrupted, errors.New("interrupted; what is left can be removed by the same command")}
	}
	return err
}

// headsOf returns the heads of the runs that a recording is of. It reads only the beginning, so that the recording may be cut.
func headsOf(path string) (runs []runinfo.Head, err error) {
	in := fileInput(path)
	r, err := in.Reader()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	h := r.Header()
	for _, about := range runinfo.RunsOf([]recording.Input{in}, []recording.Header{h}) {
		var run runinfo.Head
		if err := json.Unmarshal(about.Config, &run); err != nil || run.Plan == nil {
			return nil, fmt.Errorf("%s: it says nothing about a plan, so the names of its objects are not known; only recordings that warp made can be cleaned up", path)
		}
		if err := checkHead(&run); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if run.Clients == 0 && run.Client == nil {
			run.Clients = uint64(max(1, len(runinfo.ParseEnd(r.Trailer()).Clients))) // made by a version that did not say so at the beginning
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// maxClients is more clients than any run has had.
const maxClients = 1 << 16

// checkHead rejects a plan that no run can have had: recordings are untrusted.
func checkHead(r *runinfo.Head) error {
	wrong := len(r.Plan.Phases) == 0 || r.Clients > maxClients || r.Client != nil && (r.Client.Total > maxClients || r.Client.Index >= r.Client.Total)
	for i := range r.Plan.Phases {
		n := r.Plan.Phases[i].Concurrency
		wrong = wrong || n < 1 || n > bench.MaxThreads
	}
	if wrong {
		return errors.New("its plan is damaged: it has no benchmark, or an impossible number of threads or clients")
	}
	return nil
}

// clean removes what one run left.
func (c *cleaning) clean(ctx context.Context, cmd *cli.Command, path string, run runinfo.Head) error {
	if run.Embedded && c.target.host == "" {
		c.inform(fmt.Sprintf("%s: the run had a server of its own, which is gone with all objects; there is nothing to remove.", path))
		return nil
	}
	plan, err := bench.Decode(run.Plan)
	if err != nil {
		return fmt.Errorf("%s: its plan is not one of this version: %w", path, err)
	}
	cfg, err := c.config(ctx, cmd, run.Plan.Target)
	if err != nil {
		return err
	}
	store, err := s3.New(cfg)
	if err != nil {
		return err
	}
	defer store.Close()
	watch := newWatcher(c.env, c.quiet || c.dryRun, false)
	defer watch.close()
	if err := reachable(ctx, store); err != nil {
		return err
	}
	cleanup := &bench.Cleanup{Plan: plan, Target: cfg, Store: store, Threads: cleanThreads, Clients: run.Clients, Force: c.force, Observer: watch}
	if run.Client != nil {
		cleanup.Clients, cleanup.Client = run.Client.Total, &run.Client.Index
	}
	verb := "Removed"
	if c.dryRun {
		verb = "Would remove"
		cleanup.Show = c.list
	}
	done, err := cleanup.Run(ctx)
	watch.close()
	c.inform(fmt.Sprintf("%s: %s %s.", path, verb, summaryOf(done, cfg.Bucket)))
	return err
}

// list prints what would be removed, in columns for programs.
func (c *cleaning) list(l bench.Leftover) {
	if l.Version == "null" { // of an object that was put while no versions were kept
		l.Version = ""
	}
	fmt.Fprintln(c.env.Stdout, strings.TrimRight(strings.Join([]string{l.Kind, l.Key, l.Version}, "\t"), "\t"))
}

func (c *cleaning) inform(text string) {
	if !c.quiet {
		fmt.Fprintln(c.env.Stderr, text)
	}
}

// reachable is an error if the bucket cannot be accessed or does not exist.
func reachable(ctx context.Context, store s3.Store) error {
	there, err := preflight.Open(store).Exists(ctx)
	if err == nil && !there {
		err = fmt.Errorf("bucket %q does not exist, so nothing of the run is left there; check --host", store.Config().Bucket)
	}
	return err
}

// summaryOf says what was removed from a bucket.
func summaryOf(d *bench.Cleaned, bucket string) string {
	var parts []string
	for _, k := range []struct {
		n    uint64
		noun string
	}{{d.Objects, "object"}, {d.Uploads, "unfinished upload"}, {d.Claims, "claim"}} {
		if k.n > 0 {
			parts = append(parts, units.Plural(int64(k.n), k.noun))
		}
	}
	if parts == nil {
		parts = []string{"nothing"}
	}
	text := fmt.Sprintf("%s from bucket %q", strings.Join(parts, ", "), bucket)
	if d.Bucket {
		text += ", and the bucket itself"
	}
	return text
}

// config is how to reach the store of a run: as the run did, unless flags say otherwise.
func (c *cleaning) config(ctx context.Context, cmd *cli.Command, ran s3.Config) (s3.Config, error) {
	t := c.target
	t.bucket, t.pick, t.engine = ran.Bucket, ran.HostSelect, "auto"
	t.timeout, t.dialTimeout, t.idleTimeout = ran.Timeout, ran.DialTimeout, ran.IdleTimeout
	for flag, recorded := range map[string]struct{ to, from *string }{
		"region": {&t.region, &ran.Region}, "lookup": {&t.lookup, &ran.Lookup}, "signature": {&t.signature, &ran.Signature},
	} {
		if !cmd.IsSet(flag) && *recorded.from != "" {
			*recorded.to = *recorded.from
		}
	}
	cfg, errs := t.config(ctx)
	cfg.Insecure = cfg.Insecure || ran.Insecure && !cmd.IsSet("insecure")
	cfg.Concurrency, cfg.LocalAddr = cleanThreads, ran.LocalAddr
	if len(cfg.Hosts) == 0 {
		cfg.Hosts, cfg.Names, cfg.TLS = ran.Hosts, ran.Names, ran.TLS || cfg.TLS
		errs = append(errs, t.credentials(ctx, &cfg)...)
	}
	if err := usageErrors(append(errs, cfg.Check())...); err != nil {
		return cfg, err
	}
	return cfg, t.resolveHosts(ctx, &cfg)
}

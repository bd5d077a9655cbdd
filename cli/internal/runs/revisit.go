package runs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/files"
	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/progress"
	"warp/internal/secret"
	"warp/pkg/bench"
	"warp/pkg/recording"
	"warp/pkg/runinfo"
	"warp/pkg/s3"
	"warp/pkg/s3/preflight"
)

// Revisit is what commands have in common that go back to the bucket of a run.
type Revisit struct {
	Env    *process.Env
	Target flags.Target
	Quiet  bool
}

// RevisitTarget are the flags for reaching a store again; the recording holds the rest.
var RevisitTarget = slices.Concat(secret.Credentials, []string{
	"credentials-file", "tls", "insecure", "ca-file", "cert-file", "key-file", "tls-server-name",
	"tls-min-version", "region", "lookup", "signature", "redirect-to", "resolve-host", "store", "gcs-api",
})

// Flags say how the store is reached, and what is printed.
func (c *Revisit) Flags() []cli.Flag {
	list := slices.DeleteFunc(c.Target.Flags(c.Env), func(f cli.Flag) bool { return !slices.Contains(RevisitTarget, f.Names()[0]) })
	list = append(list, flags.Categorize(flags.CatTarget, []cli.Flag{
		&cli.StringFlag{
			Name:        "host",
			Destination: &c.Target.Host,
			Sources:     process.CommandLineOnly(), // the host that is measured these days may be another one
			Validator:   flags.CheckHost,
			Usage:       "`HOSTS` hosts of the bucket, as for benchmarks",
			DefaultText: "the recording's",
		},
	})...)
	return append(list, flags.Categorize(flags.CatOutput, []cli.Flag{
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Destination: &c.Quiet, Usage: "print no progress and no summary"},
	})...)
}

// Inform prints a line, unless --quiet is set.
func (c *Revisit) Inform(text string) {
	if !c.Quiet {
		fmt.Fprintln(c.Env.Stderr, text)
	}
}

// Watcher begins to show progress. The caller must close it.
func (c *Revisit) Watcher(quiet bool) *progress.Watcher {
	return progress.New(c.Env, progress.Options{Form: new(flags.Output).Form(c.Env, 0), Quiet: quiet})
}

// Headers returns the heads of the runs that a recording is of. It reads only the beginning, so that the recording may be cut.
func Headers(path string) (runs []runinfo.Header, err error) {
	in := files.Input(path)
	r, err := in.Reader()
	if err != nil {
		return nil, files.WithoutPath(err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	h := r.Header()
	for _, about := range runinfo.RunsOf([]recording.Input{in}, []recording.Header{h}) {
		var run runinfo.Header
		if err := json.Unmarshal(about.Config, &run); err != nil || run.Plan == nil {
			return nil, errors.New("it says nothing about a plan, so the names of its objects are not known; only recordings that warp made do")
		}
		if err := checkHead(&run); err != nil {
			return nil, err
		}
		if run.Clients == 0 && run.Client == nil {
			run.Clients = uint64(max(1, len(runinfo.ParseEnd(r.Trailer()).Clients))) // made by a version that did not say so at the beginning
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// Ended reports whether a recording was completed: its run is over.
func Ended(path string) bool {
	in := files.Input(path)
	r, err := in.Reader()
	if err != nil {
		return false
	}
	defer func() { _ = r.Close() }() // only read
	return len(r.Trailer()) > 0
}

// maxClients is more clients than any run has had.
const maxClients = 1 << 16

// checkHead rejects a plan that no run can have had: recordings are untrusted.
func checkHead(r *runinfo.Header) error {
	wrong := len(r.Plan.Phases) == 0 || r.Clients > maxClients ||
		r.Client != nil && (r.Client.Total > maxClients || r.Client.Index >= r.Client.Total)
	for i := range r.Plan.Phases {
		for _, s := range r.Plan.Phases[i].Streams() {
			wrong = wrong || s.Concurrency < 1 || s.Concurrency > bench.MaxThreads
		}
	}
	if wrong {
		return errors.New("its plan is damaged: it has no benchmark, or an impossible number of threads or clients")
	}
	return nil
}

// ErrorOf says which recording an error is about, unless it is about the command line; nil stays nil.
func ErrorOf(path string, err error) error {
	if err == nil || process.ExitCode(err) == process.ExitUsage {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// Reachable is an error if the bucket cannot be accessed or does not exist.
func Reachable(ctx context.Context, store s3.Store) error {
	there, err := preflight.Open(store).Exists(ctx)
	if err == nil && !there {
		err = fmt.Errorf("bucket %q does not exist, so nothing of the run is left there; check --host", store.Config().Bucket)
	}
	return err
}

// Config is how to reach the store of a run: as the run did, unless flags say otherwise.
func (c *Revisit) Config(ctx context.Context, cmd *cli.Command, ran s3.Config, threads int) (s3.Config, error) {
	t := c.Target
	t.Bucket, t.Pick, t.Engine = cmp.Or(ran.BucketForm, ran.Bucket), ran.HostSelect, "auto"
	t.Timeout, t.DialTimeout, t.IdleTimeout = ran.Timeout, ran.DialTimeout, ran.IdleTimeout
	t.Backoff = cmp.Or(ran.Backoff, s3.DefaultBackoff)
	for flag, recorded := range map[string]struct{ to, from *string }{
		"region": {&t.Region, &ran.Region}, "lookup": {&t.Lookup, &ran.Lookup}, "signature": {&t.Signature, &ran.Signature},
	} {
		if !cmd.IsSet(flag) && *recorded.from != "" {
			*recorded.to = *recorded.from
		}
	}
	t.Recorded = true
	// A recording may be somebody else's.
	t.Files = &flags.Files{Named: map[string]bool{"host": t.Host == "", "signature": !cmd.IsSet("signature")}}
	cfg, errs := t.Config(ctx)
	named := len(cfg.Hosts) > 0
	if !named {
		cfg.Hosts, cfg.Names, cfg.TLS = ran.Hosts, ran.Names, ran.TLS || cfg.TLS
		cfg.Store, cfg.API, cfg.Root = ran.Store, ran.API, ran.Root
	}
	if !named && cfg.TLS {
		errs = append(errs, t.Secure.Read(&cfg))
	}
	if cfg.TLSOptions == (s3.TLSOptions{}) {
		cfg.TLSOptions = ran.TLSOptions
		cfg.TLSOptions.Certificate, cfg.TLSOptions.Key = s3.PEM{}, "" // the key is in no recording
		t.Secure.ReadAgain(&cfg.TLSOptions.Authorities)
	}
	if !named {
		cfg.RedirectTo = append(cfg.RedirectTo, ran.RedirectTo...)
		cfg.Insecure = cfg.Insecure || ran.Insecure && !cmd.IsSet("insecure")
	}
	cfg.Concurrency, cfg.LocalAddr, cfg.Buckets, cfg.OtherBuckets = threads, ran.LocalAddr, ran.Buckets, ran.OtherBuckets
	cfg = cfg.OfClient(ran.Client)
	if !named {
		errs = append(errs, t.Credentials(ctx, &cfg)...)
	}
	if err := process.UsageErrors(append(errs, cfg.Check(), t.CheckStore(&cfg))...); err != nil {
		return cfg, err
	}
	return cfg, t.ResolveHosts(ctx, &cfg)
}

// BucketsOf names the bucket of a run, or all of them.
func BucketsOf(c *s3.Config) string {
	if c.Buckets > 1 {
		return fmt.Sprintf("buckets %q to %q", c.Bucket, c.BucketName(c.Buckets-1))
	}
	return fmt.Sprintf("bucket %q", c.Bucket)
}

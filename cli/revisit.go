package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v3"

	"warp/internal/secret"
	"warp/pkg/bench"
	"warp/pkg/recording"
	"warp/pkg/runinfo"
	"warp/pkg/s3"
	"warp/pkg/s3/preflight"
)

// revisit is what commands have in common that go back to the bucket of a run.
type revisit struct {
	env    *Env
	target targetFlags
	quiet  bool
}

// revisitTarget are the flags that say how to reach a store. What else a run did is in its recording.
var revisitTarget = slices.Concat(secret.Credentials, []string{"credentials-file", "tls", "insecure", "ca-file", "cert-file", "key-file", "tls-server-name", "tls-min-version", "region", "lookup", "signature", "redirect-to", "resolve-host"})

func (c *revisit) flags() []cli.Flag {
	flags := slices.DeleteFunc(c.target.flags(c.env), func(f cli.Flag) bool { return !slices.Contains(revisitTarget, f.Names()[0]) })
	// Not from the environment: the host that is measured these days may be another one.
	flags = append(flags, categorize(catTarget, []cli.Flag{
		&cli.StringFlag{Name: "host", Destination: &c.target.host, Validator: checkHost, Usage: "`HOSTS` hosts of the bucket, as for benchmarks", DefaultText: "those of the recording"},
	})...)
	return append(flags, categorize(catOutput, []cli.Flag{
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Destination: &c.quiet, Usage: "print no progress and no summary"},
	})...)
}

func (c *revisit) inform(text string) {
	if !c.quiet {
		fmt.Fprintln(c.env.Stderr, text)
	}
}

// watcher begins to show progress. The caller must close it.
func (c *revisit) watcher(quiet bool) *watcher {
	return newWatcher(c.env, watcherOptions{form: new(outputFlags).form(c.env, 0), quiet: quiet})
}

// headsOf returns the heads of the runs that a recording is of. It reads only the beginning, so that the recording may be cut.
func headsOf(path string) (runs []runinfo.Head, err error) {
	in := fileInput(path)
	r, err := in.Reader()
	if err != nil {
		return nil, withoutPath(err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	h := r.Header()
	for _, about := range runinfo.RunsOf([]recording.Input{in}, []recording.Header{h}) {
		var run runinfo.Head
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

// ended reports whether a recording was completed: its run is over.
func ended(path string) bool {
	in := fileInput(path)
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
func checkHead(r *runinfo.Head) error {
	wrong := len(r.Plan.Phases) == 0 || r.Clients > maxClients || r.Client != nil && (r.Client.Total > maxClients || r.Client.Index >= r.Client.Total)
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

// errorOf says which recording an error is about, unless it is about the command line; nil stays nil.
func errorOf(path string, err error) error {
	if err == nil || exitCode(err) == exitUsage {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// reachable is an error if the bucket cannot be accessed or does not exist.
func reachable(ctx context.Context, store s3.Store) error {
	there, err := preflight.Open(store).Exists(ctx)
	if err == nil && !there {
		err = fmt.Errorf("bucket %q does not exist, so nothing of the run is left there; check --host", store.Config().Bucket)
	}
	return err
}

// config is how to reach the store of a run: as the run did, unless flags say otherwise.
func (c *revisit) config(ctx context.Context, cmd *cli.Command, ran s3.Config, threads int) (s3.Config, error) {
	t := c.target
	t.bucket, t.pick, t.engine = ran.Bucket, ran.HostSelect, "auto"
	t.timeout, t.dialTimeout, t.idleTimeout = ran.Timeout, ran.DialTimeout, ran.IdleTimeout
	t.backoff = cmp.Or(ran.Backoff, s3.DefaultBackoff)
	for flag, recorded := range map[string]struct{ to, from *string }{
		"region": {&t.region, &ran.Region}, "lookup": {&t.lookup, &ran.Lookup}, "signature": {&t.signature, &ran.Signature},
	} {
		if !cmd.IsSet(flag) && *recorded.from != "" {
			*recorded.to = *recorded.from
		}
	}
	t.recorded = true
	t.files = &files{named: map[string]bool{"host": t.host == "", "signature": !cmd.IsSet("signature")}} // a recording may be somebody else's
	cfg, errs := t.config(ctx)
	named := len(cfg.Hosts) > 0
	if !named {
		cfg.Hosts, cfg.Names, cfg.TLS = ran.Hosts, ran.Names, ran.TLS || cfg.TLS
	}
	if !named && cfg.TLS {
		errs = append(errs, t.secure.read(&cfg))
	}
	if cfg.TLSOptions == (s3.TLSOptions{}) {
		cfg.TLSOptions = ran.TLSOptions
		cfg.TLSOptions.Certificate, cfg.TLSOptions.Key = s3.PEM{}, "" // the key is in no recording
		t.secure.readAgain(&cfg.TLSOptions.Authorities)
	}
	if !named {
		cfg.RedirectTo = append(cfg.RedirectTo, ran.RedirectTo...)
		cfg.Insecure = cfg.Insecure || ran.Insecure && !cmd.IsSet("insecure")
	}
	cfg.Concurrency, cfg.LocalAddr, cfg.Buckets, cfg.OtherBuckets = threads, ran.LocalAddr, ran.Buckets, ran.OtherBuckets
	if !named {
		errs = append(errs, t.credentials(ctx, &cfg)...)
	}
	if err := usageErrors(append(errs, cfg.Check(), t.checkMeant(&cfg))...); err != nil {
		return cfg, err
	}
	return cfg, t.resolveHosts(ctx, &cfg)
}

// bucketsOf names the bucket of a run, or all of them.
func bucketsOf(c *s3.Config) string {
	if c.Buckets > 1 {
		return fmt.Sprintf("buckets %q to %q", c.Bucket, c.BucketName(c.Buckets-1))
	}
	return fmt.Sprintf("bucket %q", c.Bucket)
}

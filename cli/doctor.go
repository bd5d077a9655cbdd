package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/progress"
	"warp/cli/internal/reports"
	"warp/cli/internal/runs"
	"warp/cli/internal/usage"
	"warp/pkg/bench"
	"warp/pkg/doctor"
	"warp/pkg/report"
	"warp/pkg/s3"
	"warp/pkg/s3/preflight"
)

// examining is the command that examines a store.
type examining struct {
	reports.Printer
	target flags.Target
}

// doctorTarget are the flags that say how to reach a store. Options of requests are tried in any case.
var doctorTarget = append([]string{
	"host", "bucket", "engine", "local-addr", "timeout", "dial-timeout", "idle-timeout", "debug", "gcs-project",
}, runs.RevisitTarget...)

func doctorCommand(e *process.Env) *cli.Command {
	x := &examining{Printer: reports.Printer{Env: e}}
	flags := slices.DeleteFunc(x.target.Flags(e), func(f cli.Flag) bool { return !slices.Contains(doctorTarget, f.Names()[0]) })
	return &cli.Command{
		Name:  "doctor",
		Usage: "check a store: access, rights, and what it supports",
		Description: "Looks up and connects to each host, checks TLS, clocks and region, tries operations and options one by one, and " +
			"measures round trips. It works below its own prefix and removes everything it created, even if it is interrupted. A " +
			"missing bucket is created, as by a benchmark, and removed. The exit status is 0 if a benchmark can run, and 1 if not.",
		UsageText: "warp doctor --host=s3.example.com:9000 --bucket=mybucket",
		Flags:     append(flags, x.Out.Common()...),
		Action:    x.action,
	}
}

func (x *examining) action(ctx context.Context, c *cli.Command) error {
	if c.Args().Present() {
		return usage.Unexpected(c)
	}
	x.target.Backoff = s3.DefaultBackoff // nothing is sent again
	cfg, errs := x.target.Config(ctx)
	if err := process.UsageErrors(append(errs, cfg.Check(), x.target.CheckStore(&cfg))...); err != nil {
		return err
	}
	watch := progress.New(x.Env, progress.Options{Form: x.Out.Form(x.Env, 0), Quiet: x.Out.Quiet, Color: x.Color(x.Env.TTY)})
	defer watch.Close()
	ctx, stop := x.Env.CancelOnInterrupt(ctx)
	defer stop()
	err := x.examine(ctx, cfg, watch)
	if errors.Is(context.Cause(ctx), process.ErrInterrupt) {
		return process.WithCode(process.ExitInterrupted, errors.Join(err, errors.New("interrupted before all was checked")))
	}
	return err
}

// examine examines the store, the embedded server if no host is set.
func (x *examining) examine(ctx context.Context, cfg s3.Config, watch *progress.Watcher) error {
	embedded := len(cfg.Hosts) == 0
	if embedded {
		plan := bench.Plan{Target: cfg}
		_, stop, err := runs.StartEmbedded(ctx, x.Env, &plan, 0, watch)
		if err != nil {
			return err
		}
		defer stop()
		cfg = plan.Target
	}
	if text := x.target.Anonymous(); text != "" {
		watch.Inform(text)
	}
	if err := x.target.ResolveHosts(ctx, &cfg); err != nil {
		return err
	}
	if x.target.Debug {
		cfg.Debug = func(format string, args ...any) { watch.Notice(fmt.Sprintf(format, args...)) }
	}
	ctx, slow := preflight.WithSlow(ctx, func(host, action string, taken time.Duration) {
		watch.Notice(fmt.Sprintf("Waiting for %s for %v: trying to %s.", host, taken, action))
	})
	defer slow()
	var done atomic.Uint64
	found, err := doctor.Examine(ctx, cfg, doctor.Options{Why: x.target.StoreReason(), Done: &done, Total: func(steps int) {
		watch.Checks(steps, done.Load)
	}})
	watch.Pause()
	if err != nil {
		return err
	}
	found.Embedded = embedded
	if x.Out.JSON {
		err = report.DoctorJSON(x.Env.Stdout, found, process.Version())
	} else {
		err = report.Doctor(x.Env.Stdout, found, x.TextOptions(nil, nil))
	}
	errs := []error{err}
	for _, p := range found.Problems {
		errs = append(errs, errors.New(p))
	}
	return errors.Join(errs...)
}

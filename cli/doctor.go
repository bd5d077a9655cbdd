package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/urfave/cli/v3"

	"warp/pkg/bench"
	"warp/pkg/doctor"
	"warp/pkg/report"
	"warp/pkg/s3"
	"warp/pkg/s3/preflight"
)

// examining is the command that examines a store.
type examining struct {
	printer
	target targetFlags
}

// doctorTarget are the flags that say how to reach a store. Options of requests are tried in any case.
var doctorTarget = append([]string{"host", "bucket", "engine", "local-addr", "timeout", "dial-timeout", "idle-timeout", "debug"}, revisitTarget...)

func doctorCommand(e *Env) *cli.Command {
	x := &examining{printer: printer{env: e}}
	flags := slices.DeleteFunc(x.target.flags(e), func(f cli.Flag) bool { return !slices.Contains(doctorTarget, f.Names()[0]) })
	return &cli.Command{
		Name:  "doctor",
		Usage: "check a store: how it is reached, what the key may do, and what the server supports",
		Description: "Looks up and connects to each host, checks TLS, clocks and region, tries operations and options one by one, and measures round trips. " +
			"It works below a prefix of its own in the bucket and removes all that it made, also when it is interrupted. It creates the bucket " +
			"if it is missing, as a benchmark would, and then removes it again. The exit status is 0 if a benchmark can run, and 1 if not.",
		UsageText: "warp doctor --host=s3.example.com:9000 --bucket=mybucket",
		Flags:     append(flags, x.out.common()...),
		Action:    x.action,
	}
}

func (x *examining) action(ctx context.Context, c *cli.Command) error {
	if c.Args().Present() {
		return unexpected(c)
	}
	x.target.backoff = s3.DefaultBackoff // nothing is sent again
	cfg, errs := x.target.config(ctx)
	if err := usageErrors(append(errs, cfg.Check(), x.target.checkMeant(&cfg))...); err != nil {
		return err
	}
	watch := newWatcher(x.env, watcherOptions{form: x.out.form(x.env, 0), quiet: x.out.quiet, color: x.color(x.env.TTY)})
	defer watch.close()
	ctx, stop := x.env.cancelOnInterrupt(ctx)
	defer stop()
	err := x.examine(ctx, cfg, watch)
	if errors.Is(context.Cause(ctx), errInterrupt) {
		return withCode(exitInterrupted, errors.Join(err, errors.New("interrupted before all was checked")))
	}
	return err
}

// examine examines the store, the embedded server if no host is set.
func (x *examining) examine(ctx context.Context, cfg s3.Config, watch *watcher) error {
	embedded := len(cfg.Hosts) == 0
	if embedded {
		plan := bench.Plan{Target: cfg}
		server, err := startEmbedded(ctx, &plan, 0, watch)
		if err != nil {
			return err
		}
		defer func() {
			if err := server.Stop(); err != nil {
				watch.Notice(fmt.Sprintf("Stopping the embedded server: %v", err))
			}
		}()
		cfg = plan.Target
	}
	if text := x.target.anonymous(); text != "" {
		watch.inform(text)
	}
	if err := x.target.resolveHosts(ctx, &cfg); err != nil {
		return err
	}
	if x.target.debug {
		cfg.Debug = func(format string, args ...any) { watch.Notice(fmt.Sprintf(format, args...)) }
	}
	ctx, slow := preflight.WithSlow(ctx, func(host, action string, taken time.Duration) {
		watch.Notice(fmt.Sprintf("Waiting for %s for %v: trying to %s.", host, taken, action))
	})
	defer slow()
	var done atomic.Uint64
	found, err := doctor.Examine(ctx, cfg, doctor.Options{Done: &done, Total: func(steps int) {
		watch.checks(steps, done.Load)
	}})
	watch.pause()
	if err != nil {
		return err
	}
	found.Embedded = embedded
	if x.out.json {
		err = report.DoctorJSON(x.env.Stdout, found, Version())
	} else {
		err = report.Doctor(x.env.Stdout, found, x.textOptions(nil, nil))
	}
	errs := []error{err}
	for _, p := range found.Problems {
		errs = append(errs, errors.New(p))
	}
	return errors.Join(errs...)
}

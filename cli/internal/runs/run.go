package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/progress"
	"warp/cli/internal/rules"
	"warp/internal/clock"
	"warp/internal/embedded"
	"warp/pkg/bench"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/runinfo"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/preflight"
	"warp/pkg/units"
)

// run is a benchmark that is being performed.
type run struct {
	*Benchmark
	watch    *progress.Watcher
	embedded *embedded.Server // nil if hosts are named
	warnings []string         // about the run, from before it begins

	rates    *bench.Rates     // that are changed while the run goes on
	ends     *bench.PhaseEnds // of phases that are interrupted here
	endPhase chan int         // phases to interrupt on clients
}

// Measure performs the plan, with what shows its progress and ends it early.
func (b *Benchmark) Measure(ctx context.Context) error {
	if b.Env.DryRun != process.NotDry {
		if len(b.Plan.Target.Hosts) == 0 {
			b.Env.Script.Reserve(b.Compiled.Need())
		}
		return nil
	}
	if b.Views == nil {
		var err error
		if b.Views, err = progress.OpenViews(b.Env, &b.HTTP, &b.Push, b.Out.Quiet, "warp "+cmp.Or(b.Verb, b.Info.Name)); err != nil {
			return err
		}
		defer b.Views.Close()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &run{Benchmark: b, rates: &bench.Rates{}, ends: &bench.PhaseEnds{}, endPhase: make(chan int, bench.MaxPhases)}
	r.watch = r.newWatcher(cancel)
	defer r.watch.Close()
	ctx, stop := b.Env.Listen(ctx, r.watch.Inform, r.watch.Close, r.watch.Keys, r.interruptPhase)
	defer stop()
	b.Views.StopWith(func() {
		r.watch.Inform("Stopped from the page: operations in flight may finish, then the report and clean-up follow.")
		cancel(process.ErrInterrupt)
	})
	defer context.AfterFunc(ctx, b.Views.Stopping)()
	b.Views.NoticeWith(r.watch.Notice)
	defer b.Views.NoticeWith(nil)
	return stopError(ctx, r.perform(ctx))
}

// newWatcher begins to show the run. What it shows may end it.
func (r *run) newWatcher(end context.CancelCauseFunc) *progress.Watcher {
	r.watches = rules.NewWatches(r.Expect, end)
	o := progress.Options{
		Form:    r.Out.Form(r.Env, flags.Planned(&r.Plan)),
		Quiet:   r.Out.Quiet,
		Color:   r.Color(r.Env.TTY),
		Plan:    &r.Plan,
		Clients: len(r.Remote),
		Views:   r.Views,
		Where:   r.where(),
		Rates:   r.rates,
		Limit:   rules.NewErrorLimit(r.budget, end),
	}
	if len(r.Remote) > 0 {
		o.Errors = rules.NewErrorRules(r.Expect, end)
	} else {
		o.Rules = r.watches
	}
	return progress.New(r.Env, o)
}

// interruptPhase ends the phase that is being performed, if another follows it.
func (r *run) interruptPhase() bool {
	phase, more := r.watch.Phase()
	if !more {
		return false
	}
	r.watch.Inform(fmt.Sprintf("Interrupted: phase %q ends, and the next one follows. Once more within %v to end the run.",
		r.Plan.Phases[phase].Title(), process.PhaseInterrupt))
	r.ends.End(phase)
	select {
	case r.endPhase <- phase:
	default: // it was sent often enough
	}
	return true
}

// perform runs the plan, against the embedded server if no host is set.
func (r *run) perform(ctx context.Context) error {
	if len(r.Plan.Target.Hosts) == 0 {
		var err error
		var stopServer func()
		if r.embedded, stopServer, err = StartEmbedded(ctx, r.Env, &r.Plan, r.Compiled.Need(), r.watch); err != nil {
			return err
		}
		defer stopServer()
	}
	if !r.start.IsZero() {
		r.watch.Inform(fmt.Sprintf("Measuring begins at %s, in %v.", r.start.Format("15:04 on Monday, 2 January"),
			r.start.Sub(clock.Now()).Round(time.Second)))
	}
	if text := r.Target.Anonymous(); text != "" {
		r.watch.Inform(text)
	}
	if text := flags.Ends(&r.Plan.Target, r.Plan.PlannedLength(), len(r.Remote) > 0); text != "" {
		r.watch.Notice(text)
	}
	if err := r.Target.ResolveHosts(ctx, &r.Plan.Target); err != nil {
		return err
	}
	if len(r.Remote) > 0 {
		return r.coordinate(ctx)
	}
	if r.Target.Debug {
		r.Plan.Target.Debug = func(format string, args ...any) { r.watch.Notice(fmt.Sprintf(format, args...)) }
	}
	var err error
	if r.warnings, err = preflight.DropUnresponsive(ctx, &r.Plan.Target); err != nil {
		return err
	}
	for _, text := range r.warnings {
		r.watch.Notice("Warning: " + text)
	}
	store, err := connect.New(r.Plan.Target)
	if err != nil {
		return err
	}
	defer store.Close()
	return r.measure(ctx, store)
}

// programs returns what runs the programs of steps; nil if that is not allowed.
func (r *run) programs() func(context.Context, *bench.Step) error {
	if !r.AllowExec {
		return nil
	}
	return execSteps(r.Env, r.watch.Notice)
}

// head says how the run is made, for its recording.
func (r *run) head() *runinfo.Header {
	return &runinfo.Header{
		Version:     process.Version(),
		Command:     cmp.Or(r.Verb, r.Info.Name),
		Embedded:    r.embedded != nil,
		Seed:        r.Plan.Seed,
		Clients:     uint64(len(r.Remote)),
		Expect:      r.Expect,
		Sweeps:      r.Sweeps,
		Baseline:    r.Version,
		Plan:        &r.Plan,
		Store:       connect.Dialect(&r.Plan.Target).Describe(),
		Environment: runinfo.ThisMachine(),
	}
}

// measure performs the plan here and prints the report.
func (r *run) measure(ctx context.Context, store s3.Store) (err error) {
	head := r.head()
	head.Engine = store.Engine()
	header, err := head.Header(r.Env.CommandLine())
	if err != nil {
		return err
	}
	opts, err := r.Analyze.Options()
	if err != nil {
		return err
	}
	rec, err := newRecording(r.base, &r.Out, header, opts, r.watch)
	if err != nil {
		return err
	}
	defer rec.lock.Release()
	defer func() { err = errors.Join(err, r.uncleanedError(rec, err), rec.finish(nil)) }()
	self := observe.Start(observe.Options{Embedded: r.embedded != nil})
	defer self.Stop()
	if err := r.Views.Show(head, self.Samples); err != nil {
		return err
	}
	profile, err := progress.NewProfiling(r.Plan.Target, &r.Out, r.base)
	if err != nil {
		return err
	}
	r.watch.Observe(self, profile)
	sinks := []op.Sink{rec}
	if r.watches != nil {
		sinks = append(sinks, r.watches)
	}
	prepared, err := bench.Prepare(ctx, r.Compiled, bench.Env{
		Exec:       r.programs(),
		Trace:      r.Traces.player,
		Store:      store,
		Warnings:   r.warnings,
		StartAt:    r.start,
		Client:     r.client,
		Recording:  rec.lock.Place(),
		Sinks:      sinks,
		Observer:   r.watch,
		Ends:       r.ends,
		Rates:      r.rates,
		Goroutines: r.Target.Goroutines(),
		Gone:       r.storeEnded(),
		Limited:    limits(self),
	})
	if err != nil {
		return r.storeError(err)
	}
	res, err := prepared.Measure(ctx)
	var reportErr error
	if err == nil {
		r.watch.Measured()
		self.Stop()
		reportErr = errors.Join(append(res.NoObjects, r.report(rec, runinfo.EndOf(res, self.Samples(), r.watch.Marked()), res.Live, r.watch))...)
	}
	r.informKept(rec)
	return errors.Join(r.storeError(prepared.Cleanup(ctx, err)), reportErr)
}

// limits returns a function that says why the client was the bottleneck, if it was; see bench.Env.
func limits(self *observe.Observer) func(from, to time.Time, shares []observe.Share) string {
	return func(from, to time.Time, shares []observe.Share) string {
		s := self.Summary(from, to)
		return observe.First(s.Limits(shares...))
	}
}

// storeEnded returns what is closed when the embedded server ends; nil without one.
func (r *run) storeEnded() <-chan struct{} {
	if r.embedded == nil {
		return nil
	}
	return r.embedded.Done()
}

// storeError replaces an error by that of the embedded server, if it has ended: what else failed, failed because of it.
func (r *run) storeError(err error) error {
	if errors.Is(err, bench.ErrStoreGone) {
		return process.WithCode(process.ExitFailed, r.embedded.Err())
	}
	return err
}

// where names what a run is measured on.
func (r *run) where() string {
	hosts := r.Plan.Target.Hosts
	text := "embedded server"
	if len(hosts) > 0 {
		text = units.List(hosts, 1)
	}
	if n := len(r.Remote); n > 0 {
		text += ", by " + units.Plural(int64(n), "client")
	}
	return text
}

// stopError returns the error of a run that may have been stopped: an interrupt is an error by itself, a q is not.
func stopError(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case process.ExitCode(cause) > process.ExitFailed: // by a rule
		return errors.Join(cause, err)
	case errors.Is(cause, process.ErrInterrupt):
		if err == nil {
			err = errors.New("interrupted; the report covers what was measured until then")
		}
		return process.WithCode(process.ExitInterrupted, err)
	case errors.Is(cause, process.ErrQuit) && errors.Is(err, bench.ErrInterrupted):
		return nil
	}
	return err
}

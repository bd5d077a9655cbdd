// Package runs performs benchmarks: flags become a plan, the plan is performed here or by clients, a report is printed.
package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/files"
	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/progress"
	"warp/cli/internal/reports"
	"warp/cli/internal/rules"
	"warp/internal/clock"
	"warp/internal/embedded"
	"warp/internal/option"
	"warp/pkg/bench"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/runinfo"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/preflight"
	"warp/pkg/search"
	"warp/pkg/units"
)

// Benchmark is one benchmark command: its flags, and what they make.
type Benchmark struct {
	reporter
	Info     bench.Info
	Workload bench.Workload
	Target   flags.Target
	Data     flags.Data
	Load     flags.Load
	Clients  flags.Clients
	HTTP     flags.HTTP
	Push     flags.Push

	PrintScenario bool // and run nothing
	AllowExec     bool // programs of steps may be run

	warnings []string // about the run, from before it begins

	Verb   string         // in recordings, where it is not the name of the benchmark
	Sweeps []search.Sweep // phases are their points

	Version int // of the baseline that is measured, or 0

	Remote   []string // clients to run on; none: here
	Plan     bench.Plan
	Compiled *bench.Compiled
	client   string // id of this one
	base     string // the recording's path, without its suffix
	start    time.Time
	embedded *embedded.Server
	Traces   OpenTraces // that the plan replays

	rates    *bench.Rates     // that are changed while the run goes on
	ends     *bench.PhaseEnds // of phases that are interrupted here
	endPhase <-chan int       // those to interrupt on clients
}

// New returns a benchmark whose flags are not set.
func New(e *process.Env, info bench.Info) *Benchmark {
	return &Benchmark{
		reporter: reporter{Printer: reports.Printer{Env: e}},
		Info:     info,
		Workload: info.New(),
		Traces:   OpenTraces{},
	}
}

// Command is the command of the benchmark with its flags, without an action.
func (b *Benchmark) Command() *cli.Command {
	c := &cli.Command{
		Name: b.Info.Name, Usage: b.Info.Usage, Category: flags.CatBenchmarks, Description: b.Info.Description,
		UsageText: "warp " + b.Info.Name + " --host=s3.example.com:9000 " + b.Info.Example,
	}
	c.Flags = append(c.Flags, flags.WorkloadFlags(b.Workload)...)
	c.Flags = append(c.Flags, b.Target.Flags(b.Env)...)
	c.Flags = append(c.Flags, flags.Without(b.Data.Flags(b.Info.Size), c.Flags)...) // --keys of contend is a number,
	c.Flags = append(c.Flags, b.Target.Uploads.Flags()...)
	c.Flags = append(c.Flags, flags.Without(b.Load.Flags(), c.Flags)...) // and --think of replay a word
	c.Flags = append(c.Flags, b.Out.Flags()...)
	c.Flags = append(c.Flags, b.Analyze.Flags()...)
	c.Flags = append(c.Flags, b.Gate.Flags()...)
	c.Flags = append(append(c.Flags, b.HTTP.Flags()...), b.Push.Flags(b.Env)...)
	c.Flags = append(c.Flags, b.Clients.Flags()...)
	c.Flags = append(c.Flags, &cli.BoolFlag{Name: "print-scenario", Category: flags.CatOutput, Destination: &b.PrintScenario, Usage: "print a scenario that makes the same plan, for \"warp run\", and run nothing"})
	return c
}

// Measure performs the plan, with what shows its progress and ends it early.
func (b *Benchmark) Measure(ctx context.Context) error {
	if b.Views == nil {
		var err error
		if b.Views, err = progress.OpenViews(b.Env, &b.HTTP, &b.Push, b.Out.Quiet, "warp "+cmp.Or(b.Verb, b.Info.Name)); err != nil {
			return err
		}
		defer b.Views.Close()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := b.newWatcher(cancel)
	defer watch.Close()
	endPhase := make(chan int, bench.MaxPhases)
	b.ends, b.endPhase = &bench.PhaseEnds{}, endPhase
	ctx, stop := b.Env.Listen(ctx, watch.Inform, watch.Close, watch.Keys, func() bool { return b.interruptPhase(watch, endPhase) })
	defer stop()
	b.Views.StopWith(func() {
		watch.Inform("Stopped from the page: operations in flight may finish, then the report and clean-up follow.")
		cancel(process.ErrInterrupt)
	})
	defer context.AfterFunc(ctx, b.Views.Stopping)()
	b.Views.NoticeWith(watch.Notice)
	defer b.Views.NoticeWith(nil)
	return stopError(ctx, b.perform(ctx, watch))
}

// progress.New begins to show the run. What it shows may end it.
func (b *Benchmark) newWatcher(end context.CancelCauseFunc) *progress.Watcher {
	b.rates, b.watches = &bench.Rates{}, rules.NewWatches(b.Expect, end)
	o := progress.Options{
		Form:    b.Out.Form(b.Env, flags.Planned(&b.Plan)),
		Quiet:   b.Out.Quiet,
		Color:   b.Color(b.Env.TTY),
		Plan:    &b.Plan,
		Clients: len(b.Remote),
		Views:   b.Views,
		Where:   where(b),
		Rates:   b.rates,
		Limit:   rules.NewErrorLimit(b.budget, end),
	}
	if len(b.Remote) > 0 {
		o.Errors = rules.NewErrorRules(b.Expect, end)
	} else {
		o.Rules = b.watches
	}
	return progress.New(b.Env, o)
}

// interruptPhase ends the phase that is being performed, if another follows it.
func (b *Benchmark) interruptPhase(watch *progress.Watcher, clients chan<- int) bool {
	phase, more := watch.Phase()
	if !more {
		return false
	}
	watch.Inform(fmt.Sprintf("Interrupted: phase %q ends, and the next one follows. Once more within %v to end the run.", b.Plan.Phases[phase].Title(), process.PhaseInterrupt))
	b.ends.End(phase)
	select {
	case clients <- phase:
	default: // it was sent often enough
	}
	return true
}

// MakePlan turns the flags into a plan, and returns all mistakes in them as one error.
func (b *Benchmark) MakePlan(ctx context.Context, isSet func(flag string) bool) error {
	errs := []error{b.PlanOfFlags(ctx, isSet)}
	var err error
	b.Compiled, err = bench.Compile(&b.Plan)
	return process.UsageErrors(errors.Join(append(errs, err, b.CheckRun())...))
}

// PlanOfFlags turns the flags that belong to the plan into one, which is not compiled yet.
func (b *Benchmark) PlanOfFlags(ctx context.Context, isSet func(flag string) bool) error {
	var errs []error
	b.Plan = bench.Plan{
		RunID:      runinfo.NewID() + runinfo.NewID(),
		Seed:       b.Data.ChosenSeed(isSet("seed")),
		KeepData:   b.Data.KeepData || b.Data.NoClear,
		Force:      b.Data.Force,
		StopFull:   b.Out.StopOnFull,
		SharedData: b.Clients.Shared,
	}
	b.Plan.Data = b.Data.Spec(&errs)
	var complaints []error
	b.Plan.Target, complaints = b.Target.Config(ctx)
	errs = append(errs, complaints...)
	b.Load.HasDuration = isSet("duration")
	ph, err := bench.NewPhase(b.Info.Name, b.Workload)
	errs = append(errs, err, b.Load.Apply(&ph))
	setTimed(b, &ph, isSet)
	b.Plan.Phases = []bench.Phase{ph}
	return errors.Join(errs...)
}

// CheckRun prepares what a run needs in addition to its plan, and returns all mistakes in the flags about that.
func (b *Benchmark) CheckRun() error {
	var errs []error
	var err error
	b.start, err = b.Load.Start(clock.Now())
	errs = append(errs, err)
	b.budget, err = flags.ParseBudget(b.Out.MaxErrors)
	errs = append(errs, err)
	_, err = b.Analyze.Options()
	errs = append(errs, err, b.Analyze.CheckKind())
	errs = append(errs, b.Analyze.CheckHost(&b.Plan.Target, b.Target.Resolve), b.Out.CheckProfile(), b.HTTP.Check(), b.Out.CheckUI(b.Env))
	b.Analyze.Charts = b.Analyze.HTML != "" || b.HTTP.Addr != ""
	b.rules, err = b.Gate.OfOne()
	errs = append(errs, err, b.rules.Of.CheckKinds())
	b.Remote, err = b.Clients.Clients()
	errs = append(errs, err)
	errs = append(errs, b.nameOutputs(), b.Target.CheckMeant(&b.Plan.Target))
	for i := range b.Plan.Phases {
		if threads := b.Plan.Phases[i].Concurrency; len(b.Remote) == 0 && threads <= bench.MaxThreads {
			errs = append(errs, bench.CheckThreads(threads, len(b.Plan.Target.Hosts)))
		}
	}
	if len(b.Remote) > 0 && len(b.Plan.Target.Hosts) == 0 {
		errs = append(errs, option.Errorf("warp-client", "clients cannot reach the embedded server; name a server with --host"))
	}
	if len(b.Remote) > 0 {
		_, err = bench.TracesOf(&b.Plan)
		errs = append(errs, err)
	}
	if len(b.Remote) > 0 && b.Out.ServerProfile != "" {
		errs = append(errs, option.Errorf("serverprof", "not with --warp-client"))
	}
	if len(b.Remote) > 0 && b.Target.Debug {
		errs = append(errs, option.Errorf("debug", "not with --warp-client; run the benchmark with --debug on the machine of a client"))
	}
	return errors.Join(errs...)
}

// perform runs the plan, against the embedded server if no host is set.
func (b *Benchmark) perform(ctx context.Context, watch *progress.Watcher) error {
	if len(b.Plan.Target.Hosts) == 0 {
		var err error
		if b.embedded, err = StartEmbedded(ctx, &b.Plan, b.Compiled.Need(), watch); err != nil {
			return err
		}
		defer func() {
			if err := b.embedded.Stop(); err != nil {
				watch.Notice(fmt.Sprintf("Stopping the embedded server: %v", err))
			}
		}()
	}
	if !b.start.IsZero() {
		watch.Inform(fmt.Sprintf("Measuring begins at %s, in %v.", b.start.Format("15:04 on Monday, 2 January"), b.start.Sub(clock.Now()).Round(time.Second)))
	}
	if text := b.Target.Anonymous(); text != "" {
		watch.Inform(text)
	}
	if err := b.Target.ResolveHosts(ctx, &b.Plan.Target); err != nil {
		return err
	}
	if len(b.Remote) > 0 {
		return b.coordinate(ctx, watch)
	}
	if b.Target.Debug {
		b.Plan.Target.Debug = func(format string, args ...any) { watch.Notice(fmt.Sprintf(format, args...)) }
	}
	var err error
	if b.warnings, err = preflight.LeaveOut(ctx, &b.Plan.Target); err != nil {
		return err
	}
	for _, text := range b.warnings {
		watch.Notice("Warning: " + text)
	}
	store, err := connect.New(b.Plan.Target)
	if err != nil {
		return err
	}
	defer store.Close()
	return b.run(ctx, store, watch)
}

// programs returns what runs the programs of steps; nil if that is not allowed.
func (b *Benchmark) programs(watch *progress.Watcher) func(context.Context, *bench.Step) error {
	if !b.AllowExec {
		return nil
	}
	return execSteps(b.Env, watch.Notice)
}

// head says how the run is made, for its recording.
func (b *Benchmark) head() *runinfo.Head {
	return &runinfo.Head{
		Version:     process.Version(),
		Command:     cmp.Or(b.Verb, b.Info.Name),
		Embedded:    b.embedded != nil,
		Seed:        b.Plan.Seed,
		Clients:     uint64(len(b.Remote)),
		Expect:      b.Expect,
		Sweeps:      b.Sweeps,
		Baseline:    b.Version,
		Plan:        &b.Plan,
		Environment: runinfo.ThisMachine(),
	}
}

// run performs the plan and prints the report.
func (b *Benchmark) run(ctx context.Context, store s3.Store, watch *progress.Watcher) (err error) {
	head := b.head()
	head.Engine = store.Engine()
	header, err := head.Header(b.Env.Args)
	if err != nil {
		return err
	}
	opts, err := b.Analyze.Options()
	if err != nil {
		return err
	}
	rec, err := newRecording(b.base, &b.Out, header, opts, watch)
	if err != nil {
		return err
	}
	defer rec.lock.Release()
	defer func() { err = errors.Join(err, b.howToClean(rec, err), rec.finish(nil)) }()
	self := observe.Start(observe.Options{Embedded: b.embedded != nil})
	defer self.Stop()
	if err := b.Views.Show(head, self.Samples); err != nil {
		return err
	}
	profile, err := progress.NewProfiling(b.Plan.Target, &b.Out, b.base)
	if err != nil {
		return err
	}
	watch.Observe(self, profile)
	var gone <-chan struct{}
	if b.embedded != nil {
		gone = b.embedded.Done()
	}
	sinks := []op.Sink{rec}
	if b.watches != nil {
		sinks = append(sinks, b.watches)
	}
	r, err := bench.Prepare(ctx, b.Compiled, bench.Env{
		Exec:      b.programs(watch),
		Trace:     b.Traces.player,
		Store:     store,
		Warnings:  b.warnings,
		StartAt:   b.start,
		Client:    b.client,
		Recording: rec.lock.Place(),
		Sinks:     sinks,
		Observer:  watch,
		Ends:      b.ends,
		Rates:     b.rates,
		Gone:      gone,
		Limited: func(from, to time.Time, shares []observe.Share) string {
			s := self.Summary(from, to)
			return observe.First(s.Limits(shares...))
		},
	})
	if err != nil {
		return b.storeError(err)
	}
	res, err := r.Measure(ctx)
	var reportErr error
	if err == nil {
		watch.Measured()
		self.Stop()
		reportErr = errors.Join(append(res.NoObjects, b.report(rec, runinfo.EndOf(res, self.Samples(), watch.Marked()), res.Live, watch))...)
	}
	return errors.Join(b.storeError(r.Cleanup(ctx, err)), reportErr)
}

// storeError replaces an error by that of the embedded server, if it has ended: what else failed, failed because of it.
func (b *Benchmark) storeError(err error) error {
	if errors.Is(err, bench.ErrStoreGone) {
		return process.WithCode(process.ExitFailed, b.embedded.Err())
	}
	return err
}

// nameOutputs names the files that a run writes, and is files.CheckNew for all of them.
func (b *Benchmark) nameOutputs() error {
	b.client = runinfo.NewID()
	command := cmp.Or(b.Verb, b.Info.Name)
	if len(b.Remote) > 0 {
		command = "remote-" + command
	}
	if b.Out.Benchdata == os.DevNull {
		b.Out.Benchdata, b.Out.Stress = "", true
	}
	var err error
	if b.base, err = RecordingBase(b.Out.Benchdata, command, b.client, clock.Now()); err != nil {
		return err
	}
	recording, profiles := b.base+runinfo.Suffix, b.base+progress.ProfilesSuffix
	errs := []error{b.Analyze.CheckStress(&b.Out)}
	if !b.Out.Stress {
		errs = append(errs, files.CheckNew("benchdata", recording, b.Out.Overwrite))
	}
	if b.Out.ServerProfile != "" {
		errs = append(errs, files.CheckNew("serverprof", profiles, b.Out.Overwrite))
	}
	if b.Out.JSONFile != "" {
		errs = append(errs, files.InOutputs(files.CheckNew("json", b.Out.JSONFile, b.Out.Overwrite, recording, profiles)))
	}
	return errors.Join(append(errs, b.Analyze.CheckOut(&b.Out, recording, profiles))...)
}

// where names what a run is measured on.
func where(b *Benchmark) string {
	hosts := b.Plan.Target.Hosts
	text := "embedded server"
	if len(hosts) > 0 {
		text = units.List(hosts, 1)
	}
	if n := len(b.Remote); n > 0 {
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

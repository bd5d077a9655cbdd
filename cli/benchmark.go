package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/urfave/cli/v3"

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

// benchmark is one benchmark command: its flags, and what they make.
type benchmark struct {
	reporter
	info     bench.Info
	workload bench.Workload
	target   targetFlags
	data     dataFlags
	load     loadFlags
	clients  clientFlags
	http     httpFlags
	push     pushFlags

	printScenario bool // and run nothing
	allowExec     bool // programs of steps may be run

	warnings []string // about the run, from before it begins

	verb   string         // in recordings, where it is not the name of the benchmark
	sweeps []search.Sweep // of which phases are points

	version int // of the baseline that is measured; 0: none is

	remote   []string // clients to run on; none: here
	plan     bench.Plan
	compiled *bench.Compiled
	client   string // id of this one
	base     string // the recording's path, without its suffix
	start    time.Time
	embedded *embedded.Server
	traces   openTraces // that the plan replays

	rates    *bench.Rates     // that are changed while the run goes on
	ends     *bench.PhaseEnds // of phases that are interrupted here
	endPhase <-chan int       // those to interrupt on clients
}

func newBenchmark(e *Env, info bench.Info) *benchmark {
	return &benchmark{reporter: reporter{printer: printer{env: e}}, info: info, workload: info.New(), traces: openTraces{}}
}

// command is the command of the benchmark with its flags, without an action.
func (b *benchmark) command() *cli.Command {
	c := &cli.Command{
		Name: b.info.Name, Usage: b.info.Usage, Category: catBenchmarks, Description: b.info.Description,
		UsageText: "warp " + b.info.Name + " --host=s3.example.com:9000 " + b.info.Example,
	}
	c.Flags = append(c.Flags, workloadFlags(b.workload)...)
	c.Flags = append(c.Flags, b.target.flags(b.env)...)
	c.Flags = append(c.Flags, without(b.data.flags(b.info.Size), c.Flags)...) // --keys of contend is a number,
	c.Flags = append(c.Flags, b.target.uploads.flags()...)
	c.Flags = append(c.Flags, without(b.load.flags(), c.Flags)...) // and --think of replay a word
	c.Flags = append(c.Flags, b.out.flags()...)
	c.Flags = append(c.Flags, b.analyze.flags()...)
	c.Flags = append(c.Flags, b.gate.flags()...)
	c.Flags = append(append(c.Flags, b.http.flags()...), b.push.flags(b.env)...)
	c.Flags = append(c.Flags, b.clients.flags()...)
	c.Flags = append(c.Flags, &cli.BoolFlag{Name: "print-scenario", Category: catOutput, Destination: &b.printScenario, Usage: "print a scenario that makes the same plan, for \"warp run\", and run nothing"})
	return c
}

// measure performs the plan, with what shows its progress and ends it early.
func (b *benchmark) measure(ctx context.Context) error {
	if b.views == nil {
		var err error
		if b.views, err = openViews(b.env, &b.http, &b.push, b.out.quiet, "warp "+cmp.Or(b.verb, b.info.Name)); err != nil {
			return err
		}
		defer b.views.close()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := b.newWatcher(cancel)
	defer watch.close()
	endPhase := make(chan int, bench.MaxPhases)
	b.ends, b.endPhase = &bench.PhaseEnds{}, endPhase
	ctx, stop := b.env.listen(ctx, watch.inform, watch.close, watch.keys, func() bool { return b.interruptPhase(watch, endPhase) })
	defer stop()
	b.views.stopWith(func() {
		watch.inform("Stopped from the page: operations in flight may finish, then the report and clean-up follow.")
		cancel(errInterrupt)
	})
	defer context.AfterFunc(ctx, b.views.stopping)()
	b.views.noticeWith(watch.Notice)
	defer b.views.noticeWith(nil)
	return stopError(ctx, b.perform(ctx, watch))
}

// newWatcher begins to show the run. What it shows may end it.
func (b *benchmark) newWatcher(end context.CancelCauseFunc) *watcher {
	b.rates, b.watches = &bench.Rates{}, newRuleWatches(b.expect, end)
	o := watcherOptions{
		form:    b.out.form(b.env, planned(&b.plan)),
		quiet:   b.out.quiet,
		color:   b.color(b.env.TTY),
		plan:    &b.plan,
		clients: len(b.remote),
		views:   b.views,
		where:   where(b),
		rates:   b.rates,
		limit:   newErrorLimit(b.budget, end),
	}
	if len(b.remote) > 0 {
		o.errors = newErrorRules(b.expect, end)
	} else {
		o.rules = b.watches
	}
	return newWatcher(b.env, o)
}

// interruptPhase ends the phase that is being performed, if another follows it.
func (b *benchmark) interruptPhase(watch *watcher, clients chan<- int) bool {
	phase, more := watch.phase()
	if !more {
		return false
	}
	watch.inform(fmt.Sprintf("Interrupted: phase %q ends, and the next one follows. Once more within %v to end the run.", b.plan.Phases[phase].Title(), phaseInterrupt))
	b.ends.End(phase)
	select {
	case clients <- phase:
	default: // it was sent often enough
	}
	return true
}

// makePlan turns the flags into a plan, and returns all mistakes in them as one error.
func (b *benchmark) makePlan(ctx context.Context, isSet func(flag string) bool) error {
	errs := []error{b.planOfFlags(ctx, isSet)}
	var err error
	b.compiled, err = bench.Compile(&b.plan)
	return usageErrors(errors.Join(append(errs, err, b.checkRun())...))
}

// planOfFlags turns the flags that belong to the plan into one, which is not compiled yet.
func (b *benchmark) planOfFlags(ctx context.Context, isSet func(flag string) bool) error {
	var errs []error
	b.plan = bench.Plan{RunID: runinfo.NewID() + runinfo.NewID(), Seed: b.data.chosenSeed(isSet("seed")), KeepData: b.data.keepData || b.data.noClear, Force: b.data.force, StopFull: b.out.stopOnFull, SharedData: b.clients.shared}
	b.plan.Data = b.data.spec(&errs)
	var complaints []error
	b.plan.Target, complaints = b.target.config(ctx)
	errs = append(errs, complaints...)
	b.load.hasDuration = isSet("duration")
	ph, err := bench.NewPhase(b.info.Name, b.workload)
	errs = append(errs, err, b.load.apply(&ph))
	setTimed(b, &ph, isSet)
	b.plan.Phases = []bench.Phase{ph}
	return errors.Join(errs...)
}

// checkRun prepares what a run needs beside its plan, and returns all mistakes in the flags about it.
func (b *benchmark) checkRun() error {
	var errs []error
	var err error
	b.start, err = b.load.start(clock.Now())
	errs = append(errs, err)
	b.budget, err = parseBudget(b.out.maxErrors)
	errs = append(errs, err)
	_, err = b.analyze.options()
	errs = append(errs, err, b.analyze.checkKind())
	errs = append(errs, b.analyze.checkHost(&b.plan.Target, b.target.resolve), b.out.checkProfile(), b.http.check(), b.out.checkUI(b.env))
	b.analyze.charts = b.analyze.html != "" || b.http.addr != ""
	b.rules, err = b.gate.rulesOfOne()
	errs = append(errs, err, b.rules.of.checkKinds())
	b.remote, err = b.clients.clients()
	errs = append(errs, err)
	errs = append(errs, b.nameOutputs(), b.target.checkMeant(&b.plan.Target))
	for i := range b.plan.Phases {
		if threads := b.plan.Phases[i].Concurrency; len(b.remote) == 0 && threads <= bench.MaxThreads {
			errs = append(errs, bench.CheckThreads(threads, len(b.plan.Target.Hosts)))
		}
	}
	if len(b.remote) > 0 && len(b.plan.Target.Hosts) == 0 {
		errs = append(errs, option.Errorf("warp-client", "clients cannot reach the embedded server; name a server with --host"))
	}
	if len(b.remote) > 0 {
		_, err = bench.TracesOf(&b.plan)
		errs = append(errs, err)
	}
	if len(b.remote) > 0 && b.out.serverProfile != "" {
		errs = append(errs, option.Errorf("serverprof", "not with --warp-client"))
	}
	if len(b.remote) > 0 && b.target.debug {
		errs = append(errs, option.Errorf("debug", "not with --warp-client; run the benchmark with --debug on the machine of a client"))
	}
	return errors.Join(errs...)
}

// perform runs the plan, against the embedded server if no host is set.
func (b *benchmark) perform(ctx context.Context, watch *watcher) error {
	if len(b.plan.Target.Hosts) == 0 {
		var err error
		if b.embedded, err = startEmbedded(ctx, &b.plan, b.compiled.Need(), watch); err != nil {
			return err
		}
		defer func() {
			if err := b.embedded.Stop(); err != nil {
				watch.Notice(fmt.Sprintf("Stopping the embedded server: %v", err))
			}
		}()
	}
	if !b.start.IsZero() {
		watch.inform(fmt.Sprintf("Measuring begins at %s, in %v.", b.start.Format("15:04 on Monday, 2 January"), b.start.Sub(clock.Now()).Round(time.Second)))
	}
	if text := b.target.anonymous(); text != "" {
		watch.inform(text)
	}
	if err := b.target.resolveHosts(ctx, &b.plan.Target); err != nil {
		return err
	}
	if len(b.remote) > 0 {
		return b.coordinate(ctx, watch)
	}
	if b.target.debug {
		b.plan.Target.Debug = func(format string, args ...any) { watch.Notice(fmt.Sprintf(format, args...)) }
	}
	var err error
	if b.warnings, err = preflight.LeaveOut(ctx, &b.plan.Target); err != nil {
		return err
	}
	for _, text := range b.warnings {
		watch.Notice("Warning: " + text)
	}
	store, err := connect.New(b.plan.Target)
	if err != nil {
		return err
	}
	defer store.Close()
	return b.run(ctx, store, watch)
}

// programs returns what runs the programs of steps; nil if that is not allowed.
func (b *benchmark) programs(watch *watcher) func(context.Context, *bench.Step) error {
	if !b.allowExec {
		return nil
	}
	return execSteps(b.env, watch.Notice)
}

// head says how the run is made, for its recording.
func (b *benchmark) head() *runinfo.Head {
	return &runinfo.Head{
		Version: Version(), Command: cmp.Or(b.verb, b.info.Name), Embedded: b.embedded != nil, Seed: b.plan.Seed, Clients: uint64(len(b.remote)),
		Expect: b.expect, Sweeps: b.sweeps, Baseline: b.version, Plan: &b.plan, Environment: runinfo.ThisMachine(),
	}
}

// run performs the plan and prints the report.
func (b *benchmark) run(ctx context.Context, store s3.Store, watch *watcher) (err error) {
	head := b.head()
	head.Engine = store.Engine()
	header, err := head.Header(b.env.Args)
	if err != nil {
		return err
	}
	opts, err := b.analyze.options()
	if err != nil {
		return err
	}
	rec, err := newRecording(b.base, &b.out, header, opts, watch)
	if err != nil {
		return err
	}
	defer rec.lock.Release()
	defer func() { err = errors.Join(err, b.howToClean(rec, err), rec.finish(nil)) }()
	self := observe.Start(observe.Options{Embedded: b.embedded != nil})
	defer self.Stop()
	if err := b.views.begin(head, self.Samples); err != nil {
		return err
	}
	profile, err := newProfiling(b.plan.Target, &b.out, b.base)
	if err != nil {
		return err
	}
	watch.observe(self, profile)
	var gone <-chan struct{}
	if b.embedded != nil {
		gone = b.embedded.Done()
	}
	sinks := []op.Sink{rec}
	if b.watches != nil {
		sinks = append(sinks, b.watches)
	}
	r, err := bench.Prepare(ctx, b.compiled, bench.Env{
		Exec: b.programs(watch), Trace: b.traces.player,
		Store: store, Warnings: b.warnings, StartAt: b.start, Client: b.client, Recording: rec.lock.Place(), Sinks: sinks,
		Observer: watch, Ends: b.ends, Rates: b.rates, Gone: gone,
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
		watch.measured()
		self.Stop()
		reportErr = errors.Join(append(res.NoObjects, b.report(rec, runinfo.EndOf(res, self.Samples(), watch.marked()), res.Live, watch))...)
	}
	return errors.Join(b.storeError(r.Cleanup(ctx, err)), reportErr)
}

// storeError replaces an error by that of the embedded server, if it has ended: what else failed, failed because of it.
func (b *benchmark) storeError(err error) error {
	if errors.Is(err, bench.ErrStoreGone) {
		return withCode(exitFailed, b.embedded.Err())
	}
	return err
}

// nameOutputs names the files that a run writes, and is checkNew for all of them.
func (b *benchmark) nameOutputs() error {
	b.client = runinfo.NewID()
	command := cmp.Or(b.verb, b.info.Name)
	if len(b.remote) > 0 {
		command = "remote-" + command
	}
	if b.out.benchdata == os.DevNull {
		b.out.benchdata, b.out.stress = "", true
	}
	var err error
	if b.base, err = recordingBase(b.out.benchdata, command, b.client, clock.Now()); err != nil {
		return err
	}
	recording, profiles := b.base+runinfo.Suffix, b.base+profilesSuffix
	errs := []error{b.analyze.checkStress(&b.out)}
	if !b.out.stress {
		errs = append(errs, checkNew("benchdata", recording, b.out.overwrite))
	}
	if b.out.serverProfile != "" {
		errs = append(errs, checkNew("serverprof", profiles, b.out.overwrite))
	}
	if b.out.jsonFile != "" {
		errs = append(errs, inOutputs(checkNew("json", b.out.jsonFile, b.out.overwrite, recording, profiles)))
	}
	return errors.Join(append(errs, b.analyze.checkOut(&b.out, recording, profiles))...)
}

// where names what a run is measured on.
func where(b *benchmark) string {
	hosts := b.plan.Target.Hosts
	text := "embedded server"
	if len(hosts) > 0 {
		text = units.List(hosts, 1)
	}
	if n := len(b.remote); n > 0 {
		text += ", by " + units.Plural(int64(n), "client")
	}
	return text
}

// stopError returns the error of a run that may have been stopped: an interrupt is an error by itself, a q is not.
func stopError(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case exitCode(cause) > exitFailed: // by a rule
		return errors.Join(cause, err)
	case errors.Is(cause, errInterrupt):
		if err == nil {
			err = errors.New("interrupted; the report covers what was measured until then")
		}
		return withCode(exitInterrupted, err)
	case errors.Is(cause, errQuit) && errors.Is(err, bench.ErrInterrupted):
		return nil
	}
	return err
}

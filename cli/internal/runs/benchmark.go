// Package runs performs benchmarks: flags become a plan, the plan is performed here or by clients, a report is printed.
package runs

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/files"
	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/progress"
	"warp/cli/internal/reports"
	"warp/internal/clock"
	"warp/internal/option"
	"warp/pkg/bench"
	"warp/pkg/bench/replay/parts"
	"warp/pkg/bench/work"
	"warp/pkg/runinfo"
	"warp/pkg/search"
)

// Benchmark is one benchmark command: its flags, and what they make.
type Benchmark struct {
	reporter
	Info     work.Info
	Workload work.Workload
	Target   flags.Target
	Data     flags.Data
	Load     flags.Load
	Clients  flags.Clients
	HTTP     flags.HTTP
	Push     flags.Push

	PrintScenario bool // and run nothing
	AllowExec     bool // programs of steps may be run

	Verb   string         // in recordings, where it is not the name of the benchmark
	Sweeps []search.Sweep // phases are their points

	Version int // of the baseline that is measured, or 0

	Remote   []string // clients to run on; none: here
	Plan     bench.Plan
	Compiled *bench.Compiled
	client   string // id of this one
	base     string // the recording's path, without its suffix
	start    time.Time
	Traces   OpenTraces // that the plan replays
	command  *cli.Command
	objName  string // of the only object; see nameFlags
}

// New returns a benchmark whose flags are not set.
func New(e *process.Env, info work.Info) *Benchmark {
	b := &Benchmark{
		reporter: reporter{Printer: reports.Printer{Env: e}},
		Info:     info,
		Workload: info.New(),
		Traces:   OpenTraces{},
	}
	b.Target.Dry = e.DryRun != process.NotDry
	return b
}

// Command is the command of the benchmark with its flags, without an action.
func (b *Benchmark) Command() *cli.Command {
	c := &cli.Command{
		Name: b.Info.Name, Usage: b.Info.Usage, Description: b.Info.Description,
		UsageText: "warp " + b.Info.Name + " --host=s3.example.com:9000 " + b.Info.Example,
	}
	parameters := flags.WorkloadFlags(b.Workload)
	c.Flags = append(c.Flags, parameters...)
	c.Flags = append(c.Flags, b.Target.Flags(b.Env)...)
	c.Flags = append(c.Flags, flags.Without(b.Data.Flags(b.Info.Size), parameters)...) // --keys of contend is a number,
	c.Flags = append(c.Flags, b.Target.Uploads.Flags()...)
	c.Flags = append(c.Flags, flags.Without(b.Load.Flags(), parameters)...) // and --think of replay a word
	c.Flags = append(c.Flags, b.Out.Flags()...)
	c.Flags = append(c.Flags, b.Analyze.Flags()...)
	c.Flags = append(c.Flags, b.Gate.Flags()...)
	c.Flags = append(append(c.Flags, b.HTTP.Flags()...), b.Push.Flags(b.Env)...)
	c.Flags = append(c.Flags, b.Clients.Flags()...)
	c.Flags = append(c.Flags, &cli.BoolFlag{
		Name: "print-scenario", Category: flags.CatOutput, Destination: &b.PrintScenario,
		Usage: "print a scenario that makes the same plan, for \"warp run\", and run nothing",
	})
	c.Flags = append(c.Flags, b.Analyze.Compat.Flags(flags.CatTarget, flags.CompatRequests)...)
	c.Flags = append(append(c.Flags, b.Analyze.Compat.RequestFlags()...), b.nameFlags()...)
	flags.AliasPartSize(c.Flags)
	b.command = c
	return c
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
	errs := []error{b.Analyze.Compat.Check(), b.presetFlags(isSet)}
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
	b.Analyze.Compat.Apply(&b.Plan.Target, b.Plan.Seed, b.Workload.Traits().SignedAhead, isSet)
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
	_, unsuitable := b.Push.Receivers()
	errs = append(append(errs, unsuitable...), b.nameOutputs(), b.Target.CheckStore(&b.Plan.Target))
	for i := range b.Plan.Phases {
		if threads := b.Plan.Phases[i].Concurrency; len(b.Remote) == 0 && threads <= bench.MaxThreads {
			errs = append(errs, bench.CheckThreads(threads, len(b.Plan.Target.Hosts)))
		}
	}
	if len(b.Remote) > 0 && len(b.Plan.Target.Hosts) == 0 {
		errs = append(errs, option.Errorf("warp-client", "clients cannot reach the embedded server; name a server with --host"))
	}
	if len(b.Remote) > 0 {
		_, err = parts.TracesOf(&b.Plan)
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

// nameOutputs names the files that a run writes, and checks that all of them are new.
func (b *Benchmark) nameOutputs() error {
	if b.Env.Script != nil && !b.Out.Overwrite {
		for _, path := range b.Outputs() {
			if !isFile(*path) {
				continue
			}
			if n := b.Env.Script.CountWriter(*path); n > 1 {
				*path = AddToName(*path, strconv.Itoa(n))
			}
		}
	}
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
		errs = append(errs, files.OutputError(files.CheckNew("json", b.Out.JSONFile, b.Out.Overwrite, recording, profiles)))
	}
	return errors.Join(append(errs, b.Analyze.CheckOutputs(&b.Out, recording, profiles))...)
}

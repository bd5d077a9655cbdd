package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"warp/internal/clock"
	"warp/pkg/aggregate"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
)

// Env is what a run needs beside its plan.
type Env struct {
	Store    s3.Store
	Group    Group     // Solo, or the company of other clients
	Client   string    // id of this load generator, in every record
	Sinks    []op.Sink // take every operation, those of the preparation too; Run closes them
	Observer Observer  // may be nil

	// Gone is closed when the store has ended, and all that it held with it. The run then stops, and there is nothing to clean up.
	// nil: the store outlives the run.
	Gone <-chan struct{}
}

// Observer is told how a run goes on. Its methods are called by one goroutine.
type Observer interface {
	// Stage tells that a stage begins. The stage can be asked for its progress until the next one begins.
	Stage(s Stage)
	// Notice is something that a person should know at once.
	Notice(text string)
	// Measured tells that the benchmark is over and all its operations are recorded; clean-up is still to come.
	Measured(r *Result)
}

// Stage is a part of a run.
type Stage struct {
	Name     string        // StagePrepare, StageBenchmark, StageCleanup
	Workload string        // what is benchmarked
	Total    uint64        // turns or objects to do; 0: not known
	Duration time.Duration // how long it is to last; 0: not known
	Start    time.Time     // when it begins; may lie in the future
	Done     func() uint64 // turns or objects done so far
	Live     *aggregate.Live
}

// Result is what came of a run, beside the operations that its sinks took.
type Result struct {
	Interrupted bool     // the run was stopped before its time
	Stable      bool     // it ended because throughput was stable (autoterm)
	Warnings    []string // in plain words
	Connections Connections
	Engine      string // what sent the requests
	Live        *aggregate.Live
}

// ErrInterrupted is returned by Run if it was stopped before there was anything to measure.
var ErrInterrupted = errors.New("interrupted before the benchmark began")

// run is a run under way.
type run struct {
	plan      *Plan
	env       Env
	store     s3.Store
	set       *DataSet
	share     load.Share
	threads   int
	phase     *Phase // under way
	workers   []*Worker
	bufs      []*op.WorkerBuf
	collector *op.Collector
	live      *aggregate.Live
	traits    Traits // of the workload at work
	made      bool   // the run made the bucket
	id        string // see Plan.RunID
	probe     string // what the names of the preflight's objects begin with
	claimed   string // key of the run's claim; empty: it has none
	result    Result
}

// Run performs a plan: looks at the bucket, prepares, benchmarks, cleans up. Cancelling ctx stops it early: operations
// in flight may end, then it cleans up just the same. Operations that fail are recorded and no error of the run.
func Run(ctx context.Context, p *Plan, env Env) (*Result, error) {
	if err := p.Validate(); err != nil {
		return nil, errors.Join(err, closeAll(env.Sinks))
	}
	if env.Group == nil {
		env.Group = Solo{}
	}
	if env.Observer == nil {
		env.Observer = silent{}
	}
	r := &run{plan: p, env: env, store: env.Store, threads: p.threads(), result: Result{Engine: env.Store.Engine()}}
	defer func() {
		if r.collector != nil {
			_ = r.collector.Close() // it was, unless the run ends by a panic
		}
	}()
	if err := r.setUp(); err != nil {
		return nil, errors.Join(err, closeAll(env.Sinks))
	}
	ctx, stop := env.untilGone(ctx)
	defer stop()
	res, err := r.stages(ctx)
	if env.gone() {
		err = errors.Join(ErrStoreGone, err)
	}
	return res, err
}

// stages performs the stages of a run one after the other. A run that may not begin has no result.
func (r *run) stages(ctx context.Context) (*Result, error) {
	ctx, done := s3.WithSlow(ctx, func(host, action string, taken time.Duration) {
		r.env.Observer.Notice(fmt.Sprintf("Waiting for %s for %v: trying to %s.", host, taken, action))
	})
	defer done()
	err := Guard(func() error { return r.look(ctx) })
	if cut, ok := err.(*s3.Error); ok && ctx.Err() != nil && errors.Is(cut, context.Canceled) { //nolint:errorlint // an error that says more stays
		err = ErrInterrupted
	}
	if err != nil {
		return nil, errors.Join(err, r.collector.Close())
	}
	err = Guard(func() error { return r.measure(ctx) })
	if r.env.gone() {
		r.warn("%v", ErrStoreGone)
	}
	err = errors.Join(err, r.record())
	if err == nil {
		r.env.Observer.Measured(&r.result)
	}
	// Clean-up happens however the run ended; leaving it undone takes more than cancelling the run.
	ctx, stop := r.env.untilGone(context.WithoutCancel(ctx))
	defer stop()
	_, err = r.env.Group.Meet(ctx, StageCleanup, err) // gives back what it is told
	if !r.env.gone() {
		err = errors.Join(err, Guard(func() error { return r.clean(ctx) }))
	}
	return &r.result, err
}

func (r *run) setUp() (err error) {
	r.share = r.env.Group.Share()
	r.share.Total = max(1, r.share.Total)
	if err := r.plan.fits(r.share); err != nil {
		return err
	}
	if err := CheckThreads(r.threads, len(r.store.Hosts())); err != nil {
		return err
	}
	if r.set, err = newDataSet(r.plan, r.share, r.threads); err != nil {
		return err
	}
	r.set.run = r
	r.id = cmp.Or(r.plan.RunID, randomText())
	r.live = aggregate.NewLive(aggregate.Options{})
	r.result.Live = r.live
	r.collector = op.NewCollector(append(r.env.Sinks[:len(r.env.Sinks):len(r.env.Sinks)], r.live)...)
	for i := range r.threads {
		r.workers = append(r.workers, &Worker{ID: i, S3: r.store.Session(i), Set: r.set, body: r.set.data.Body(0, 0), check: r.set.data.Check(0, 0)})
		r.bufs = append(r.bufs, r.collector.Worker())
	}
	return nil
}

// measure prepares and performs all phases.
func (r *run) measure(ctx context.Context) error {
	defer r.enforce(Traits{})
	for i := range r.plan.Phases {
		ph := &r.plan.Phases[i]
		r.phase = ph
		w, err := ph.NewWorkload()
		if err != nil {
			return err
		}
		r.enforce(w.Traits())
		if p, ok := w.(Preparer); ok {
			err = p.Prepare(ctx, r.set)
		}
		if err == nil && ctx.Err() != nil {
			err = ErrInterrupted
		}
		start, err := r.env.Group.Meet(ctx, StageBenchmark, err)
		if err != nil {
			return err
		}
		if s, ok := r.env.Group.(Solo); ok && i == 0 {
			r.late(s.StartAt)
		}
		if err := r.benchmark(ctx, ph, w, start); err != nil {
			return fmt.Errorf("%s: %w", ph.Workload, err)
		}
	}
	return nil
}

// late tells if the benchmark begins after the time that was asked for.
func (r *run) late(asked time.Time) {
	by := clock.Now().Sub(asked).Round(100 * time.Millisecond)
	if asked.IsZero() || by <= 0 {
		return
	}
	text := TooLate(by)
	r.warn("%s", text)
	r.env.Observer.Notice("Warning: " + text)
}

// TooLate says that a benchmark begins so much after the time that was asked for.
func TooLate(by time.Duration) string {
	return fmt.Sprintf("measuring began %v after the time that --syncstart asked for, because the preparation took so long", by)
}

// record ends the recording.
func (r *run) record() error {
	err := r.collector.Close()
	if n, waited := r.collector.Stalls(); n > 0 {
		r.warn("workers waited %d times, %v in all, for the recording to be written: the disk or the processor of this machine slowed the load down", n, waited.Round(time.Millisecond))
	}
	return err
}

func (r *run) warn(format string, args ...any) {
	r.result.Warnings = append(r.result.Warnings, fmt.Sprintf(format, args...))
}

func closeAll(sinks []op.Sink) error {
	var errs []error
	for _, s := range sinks {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// silent is an Observer for runs that nobody watches.
type silent struct{}

func (silent) Stage(Stage)      {}
func (silent) Notice(string)    {}
func (silent) Measured(*Result) {}

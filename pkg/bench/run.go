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
	Group    Group     // nil: Local
	Client   string    // id of this load generator, in every record
	Sinks    []op.Sink // take every operation, those of the preparation too; the run closes them
	Observer Observer  // may be nil
	StartAt  time.Time // when measuring is to begin, unless the group says so; zero: as soon as all is prepared

	// Gone is closed when the store has ended, and all that it held with it. The run then stops, and there is nothing to clean up.
	// nil: the store outlives the run.
	Gone <-chan struct{}
}

// Observer sees how a run goes on. Its methods are called by one goroutine, and do not wait.
type Observer interface {
	// Stage is called when a stage begins, whose progress is known until the next one begins.
	Stage(s Stage)
	// Notice is called with what a user should know at once.
	Notice(text string)
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

// Errors of a run.
var (
	ErrInterrupted = errors.New("interrupted before the benchmark began")
	ErrStoreGone   = errors.New("the store ended before the run did") // see Env.Gone; what was measured until then is reported
)

// Run is a plan under way on one client. Prepare makes it, then Measure and Cleanup are called, once each and in this order.
type Run struct {
	plan      *Compiled
	env       Env
	store     s3.Store
	share     load.Share
	sets      []*DataSet // of the plan
	views     []*DataSet // of each stream, in its order of access
	capacity  capacity
	slots     []slot
	collector *op.Collector
	live      *aggregate.Live
	made      bool   // the run made the bucket
	id        string // see Plan.RunID
	probe     string // what the names of the preflight's objects begin with
	result    Result
}

// slot is a way to the store and into the recording, for one worker at a time.
type slot struct {
	session s3.Session
	records *op.WorkerBuf
}

// Prepare makes sure that the store can do what the plan needs, and uploads the data sets. If it fails, it removes what it
// made. Cancelling ctx here and below stops the run early: operations in flight may end.
func Prepare(ctx context.Context, plan *Compiled, env Env) (*Run, error) {
	r, err := newRun(plan, env)
	if err != nil {
		return nil, errors.Join(err, closeAll(env.Sinks))
	}
	watched, done := r.watched(ctx)
	defer done()
	if err := Guard(func() error { return r.preflight(watched) }); err != nil {
		return nil, r.storeGone(errors.Join(interrupted(watched, err), r.collector.Close()))
	}
	err = Guard(func() error { return r.provide(watched) })
	if err != nil {
		_, err = r.env.Group.Barrier(watched, StageBenchmark, err)
		return nil, r.Cleanup(ctx, errors.Join(err, r.collector.Close()))
	}
	return r, nil
}

// Measure performs the phases, and ends the recording. Operations that fail are recorded, and no error of the run.
func (r *Run) Measure(ctx context.Context) (*Result, error) {
	ctx, done := r.watched(ctx)
	defer done()
	err := Guard(func() error { return r.phases(ctx) })
	if r.gone() {
		r.warn("%v", ErrStoreGone)
	}
	err = errors.Join(err, r.collector.Close())
	if n, waited := r.collector.Stalls(); n > 0 {
		r.warn("workers waited %d times, %v in all, for the recording to be written: the disk or the processor of this machine slowed the load down", n, waited.Round(time.Millisecond))
	}
	return &r.result, err
}

// Cleanup removes what the run made, however it ended; leaving it undone takes more than cancelling ctx. The error is that
// of the run so far (nil: none), which the other clients learn, and what could not be removed.
func (r *Run) Cleanup(ctx context.Context, err error) error {
	ctx, done := r.watched(context.WithoutCancel(ctx))
	defer done()
	_, err = r.env.Group.Barrier(ctx, StageCleanup, err)
	if !r.gone() {
		err = errors.Join(err, Guard(func() error { return r.clean(ctx) }))
	}
	return r.storeGone(err)
}

func newRun(plan *Compiled, env Env) (*Run, error) {
	if env.Group == nil {
		env.Group = Local{}
	}
	if env.Observer == nil {
		env.Observer = silent{}
	}
	r := &Run{plan: plan, env: env, store: env.Store, id: cmp.Or(plan.RunID, randomText()), live: aggregate.NewLive(aggregate.Options{})}
	r.share = env.Group.Share()
	r.share.Total = max(1, r.share.Total)
	r.capacity.limit = plan.Room
	if err := plan.fits(r.share); err != nil {
		return nil, err
	}
	r.result = Result{Engine: env.Store.Engine(), Live: r.live}
	threads := plan.Connections()
	if err := CheckThreads(threads, len(r.store.Hosts())); err != nil {
		return nil, err
	}
	if err := r.makeSets(); err != nil {
		return nil, err
	}
	for i := range threads {
		r.slots = append(r.slots, slot{session: r.store.Session(i)})
	}
	r.collector = op.NewCollector(append(env.Sinks[:len(env.Sinks):len(env.Sinks)], r.live)...)
	for i := range r.slots {
		r.slots[i].records = r.collector.Worker()
	}
	return r, nil
}

// watched makes a context that ends when the store does, and whose requests are reported if they take long.
func (r *Run) watched(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, slow := s3.WithSlow(ctx, func(host, action string, taken time.Duration) {
		r.env.Observer.Notice(fmt.Sprintf("Waiting for %s for %v: trying to %s.", host, taken, action))
	})
	ctx, cancel := context.WithCancel(ctx)
	if r.env.Gone != nil {
		go func() {
			defer cancel()
			select {
			case <-r.env.Gone:
			case <-ctx.Done():
			}
		}()
	}
	return ctx, func() { cancel(); slow() }
}

// gone reports whether the store has ended.
func (r *Run) gone() bool {
	select {
	case <-r.env.Gone: // nil: never
		return true
	default:
		return false
	}
}

// storeGone adds to an error that the store has ended, if it has.
func (r *Run) storeGone(err error) error {
	if r.gone() {
		return errors.Join(ErrStoreGone, err)
	}
	return err
}

// interrupted is ErrInterrupted in place of an error that only says so of a request.
func interrupted(ctx context.Context, err error) error {
	if cut, ok := err.(*s3.Error); ok && ctx.Err() != nil && errors.Is(cut, context.Canceled) { //nolint:errorlint // an error that says more stays
		return ErrInterrupted
	}
	return err
}

// phases performs all phases.
func (r *Run) phases(ctx context.Context) error {
	for i := range r.plan.Phases {
		var err error
		if ctx.Err() != nil {
			err = ErrInterrupted
		}
		start, err := r.env.Group.Barrier(ctx, StageBenchmark, err)
		if err != nil {
			return err
		}
		if i == 0 && start.IsZero() {
			start = r.start()
		}
		if err := r.benchmark(ctx, i, start); err != nil {
			return err
		}
	}
	return nil
}

// start is when the first phase begins. It says so if that is later than was asked for.
func (r *Run) start() time.Time {
	now := clock.Now()
	if by := now.Sub(r.env.StartAt).Round(100 * time.Millisecond); !r.env.StartAt.IsZero() && by > 0 {
		text := TooLate(by)
		r.warn("%s", text)
		r.env.Observer.Notice("Warning: " + text)
	}
	if r.env.StartAt.After(now) {
		return r.env.StartAt
	}
	return now
}

// TooLate says that a benchmark begins so much after the time that was asked for.
func TooLate(by time.Duration) string {
	return fmt.Sprintf("measuring began %v after the time that --syncstart asked for, because the preparation took so long", by)
}

func (r *Run) warn(format string, args ...any) {
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

func (silent) Stage(Stage)   {}
func (silent) Notice(string) {}

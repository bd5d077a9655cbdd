package bench

import (
	"context"
	"errors"
	"time"

	"warp/internal/clock"
	"warp/pkg/aggregate/live"
	"warp/pkg/bench/work"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/search"
	"warp/pkg/trace"
)

// Env is the environment of a run.
type Env struct {
	Store     s3.Store
	Group     Group     // nil: Local
	Client    string    // id of this load generator, in every record
	Recording string    // its place, see recording.Place; empty: the run cannot be seen to be under way by its lock
	Sinks     []op.Sink // take every operation, those of the preparation too; the run closes them
	Observer  Observer  // may be nil
	Warnings  []string  // about the run, from before it began; they are in its result
	StartAt   time.Time // when measuring is to begin, unless the group says so; zero: as soon as all is prepared

	// Ends ends phases early; nil: the group, if it is an Ender.
	Ends Ender

	// Rates changes rates while the run goes on; nil: nobody does.
	Rates *Rates

	// Gone is closed when the store has ended, with all of its objects. The run then stops, and there is nothing to clean up.
	// nil: the store outlives the run.
	Gone <-chan struct{}

	// Exec runs the program of a step, until it ends or ctx does. nil: plans with such steps are refused, since they may come over the network.
	Exec func(ctx context.Context, s *Step) error

	// Trace opens the trace of a name, for workloads that replay one. nil: plans with such workloads are refused, since they may come over the network.
	Trace func(name string) (*trace.Player, error)

	// Limited returns by what this client was the bottleneck between two times, in which operations had these own parts; empty if it was not.
	// nil: it never is.
	Limited func(from, to time.Time, shares []observe.Share) string
}

// Observer is notified of the progress of a run. Stage is called by one goroutine, Notice by any. They do not block.
type Observer interface {
	// Stage is called when a stage begins. The functions of s are valid until the next one begins.
	Stage(s Stage)
	// Notice is called with a message that a user should see at once.
	Notice(text string)
}

// Stage describes a step of a run and its progress.
type Stage struct {
	Name     string        // StagePrepare, StageBenchmark, StageCleanup
	Streams  []string      // that are at work, by their names in records
	Workload string        // what is benchmarked, or what the steps do
	Step     bool          // steps between benchmarks
	Phase    int           // of StageBenchmark: its index in the plan
	Total    uint64        // turns or objects to do; 0: not known
	Warmup   time.Duration // at its beginning
	Duration time.Duration // how long it is to last after that; 0: not known
	Start    time.Time     // when it begins; may lie in the future
	Done     func() uint64 // turns or objects done so far
	Live     *live.State
}

// Result is the result of a run, beside the operations in its sinks.
type Result struct {
	Interrupted bool    // the run was interrupted
	Stable      bool    // it ended because throughput was stable (autoterm)
	NoObjects   []error // of each task that had no object to work on when its phase began
	Warnings    []string
	Notes       []string // what workloads say of their run
	Connections work.Connections
	Schedules   []ScheduleStats // of open loops
	Contents    []ContentStats  // that a share of compresses, or repeats
	Replays     []trace.Replayed
	Engine      string // what sent the requests
	Live        *live.State
	Searches    []search.Record // of phases that look for the highest load
	Finished    Finished
}

// Finished is the part of a run that was performed to its end: the phases before the one in which it was interrupted, or failed.
type Finished struct {
	Phases   int       // steps too
	Measured bool      // one of them measured something
	Until    time.Time // their operations began before

	schedules, replays int // that they added to the result
}

// finish notes that a phase was performed to its end.
func (r *Result) finish(phase int, measured bool) {
	r.Finished = Finished{
		Phases:    phase + 1,
		Measured:  measured,
		Until:     clock.Now(),
		schedules: len(r.Schedules),
		replays:   len(r.Replays),
	}
}

// CutToFinished removes the figures of the phase that was not performed to its end.
func (r *Result) CutToFinished() {
	r.Schedules, r.Replays = r.Schedules[:r.Finished.schedules], r.Replays[:r.Finished.replays]
}

// silent is an Observer that ignores everything.
type silent struct{}

func (silent) Stage(Stage) {}

func (silent) Notice(string) {}

func closeAll(sinks []op.Sink) error {
	var errs []error
	for _, s := range sinks {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// TrialObserver is an Observer that is notified of the trials of a search.
type TrialObserver interface {
	// Trial is called when a trial has ended; number counts from 1.
	Trial(number int, o *search.Observation, v search.Verdict)
}

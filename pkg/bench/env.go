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
	Recording string    // its place, see recording.Place; empty: no lock shows that the run is going on
	Sinks     []op.Sink // take every operation, including the preparation's; the run closes them
	Observer  Observer  // may be nil
	Warnings  []string  // from before the run; they join its result
	StartAt   time.Time // when to begin measuring, unless the group decides; zero: as soon as all is prepared

	// Ends ends phases early; nil: the group, if it is an Ender.
	Ends Ender

	// Rates changes rates during the run; may be nil.
	Rates *Rates

	// Goroutines perform open loops, even where loops could: for comparisons of the two.
	Goroutines bool

	// Gone is closed when the store has ended and its objects with it. The run then stops, and there is nothing to clean up. nil: the store
	// outlives the run.
	Gone <-chan struct{}

	// Exec runs the program of a step, until it ends or ctx does. nil: plans with programs are refused, since they may come over the network.
	Exec func(ctx context.Context, s *Step) error

	// Trace opens a trace by its name, for workloads that replay one. nil: plans with traces are refused, since they may come over the
	// network.
	Trace func(name string) (*trace.Player, error)

	// Limited returns the reason why this client was the bottleneck between two times, given the operations' own parts; empty if it was not.
	// nil: it never is.
	Limited func(from, to time.Time, shares []observe.Share) string
}

// Observer is notified of the progress of a run. Stage is called by one goroutine, Notice by any. They do not block.
type Observer interface {
	// Stage is called when a stage begins. The functions of s are valid until the next stage begins.
	Stage(s Stage)
	// Notice is called with a message that a user should see at once.
	Notice(text string)
}

// Stage describes a step of a run and its progress.
type Stage struct {
	Name     string        // StagePrepare, StageBenchmark, StageCleanup
	Streams  []string      // at work, by their names in records
	Workload string        // of the streams, or the actions of the steps
	Step     bool          // steps between benchmarks
	Phase    int           // of StageBenchmark: its index in the plan
	Total    uint64        // turns or objects to do; 0: not known
	Warmup   time.Duration // at its beginning
	Duration time.Duration // planned, after the warm-up; 0: not known
	Start    time.Time     // when it begins; may lie in the future
	Done     func() uint64 // turns or objects done so far
	Live     *live.State
}

// Result is the result of a run, except for the operations in its sinks.
type Result struct {
	Interrupted bool    // the run was interrupted
	Stable      bool    // it ended because throughput was stable (autoterm)
	NoObjects   []error // of each task without an object to work on when its phase began
	Warnings    []string
	Notes       []string // from workloads
	Connections work.Connections
	Schedules   []ScheduleStats // of open loops
	Contents    []ContentStats  // of data sets with compressible or repeated contents
	Replays     []trace.Replayed
	Engine      string // sender of the requests
	Live        *live.State
	Searches    []search.Record // of phases that search
	Finished    Finished
}

// Finished is the completed part of a run: the phases before the interruption or failure.
type Finished struct {
	Phases   int       // steps too
	Measured bool      // a phase measured something
	Until    time.Time // their operations began before this

	schedules, replays int // of these phases, in the result
}

// finish notes that a phase was completed.
func (r *Result) finish(phase int, measured bool) {
	r.Finished = Finished{
		Phases:    phase + 1,
		Measured:  measured,
		Until:     clock.Now(),
		schedules: len(r.Schedules),
		replays:   len(r.Replays),
	}
}

// CutToFinished removes the figures of the incomplete phase.
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
	// Trial is called after each trial; number counts from 1.
	Trial(number int, o *search.Observation, v search.Verdict)
}

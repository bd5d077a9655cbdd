package work

import (
	"context"
	"encoding/json"
	"flag"
	"io"
	"time"

	"warp/pkg/bench/dataset"
	"warp/pkg/generator"
	"warp/pkg/s3"
)

// Workload performs the turns of a benchmark. Its exported fields are its parameters: plans hold them as JSON, and
// Flags binds them to command-line flags and sets their defaults.
//
// Every random choice is a function of the seed and the turn, so that a run can be repeated, and divided
// among clients.
type Workload interface {
	Flags(fs *flag.FlagSet)
	// Traits declares what the workload does. Nothing that a workload embeds may declare it in its place.
	Traits() Traits
	// Do performs one turn: one operation or several (see Worker.Op and Worker.Parallel). It returns load.ErrDone if there is
	// nothing left to do, otherwise any error of its operations.
	Do(ctx context.Context, w *Worker) error
}

// Validator is a Workload that checks its parameters. It returns all errors at once.
type Validator interface {
	Validate(load Load, data generator.Spec) []error
}

// Load is the load of a workload in a plan.
type Load struct {
	Threads  int
	Timed    bool          // the workload says when turns are due
	Limited  bool          // it ends after a number of turns, passes or bytes
	Warmup   time.Duration // 0: no warm-up
	Duration time.Duration // 0: no limit
	MaxLate  time.Duration // 0: no limit
	Limits   s3.Limits     // of the store
}

// Mixer is a Workload that leaves some turns of its task to other workloads, on data sets of their own.
type Mixer interface {
	// Companions returns these workloads, and the weight of its own turns.
	Companions() (own Share, others []Companion)
}

// Companion is a workload that performs some turns of another.
type Companion struct {
	Name     string
	Weight   Share
	Workload string
	Params   json.RawMessage
}

// Source is a Workload that makes and uploads its objects itself, since their contents are not the data set's.
type Source interface {
	Upload(ctx context.Context, w *Worker, i uint64) error
	// EstimateUpload returns the cost of the upload of one object for each turn.
	EstimateUpload(t Turns) Cost
	// Contents returns a function that opens the contents of a prepared object. nil: the plan does not determine the contents; sized: but
	// the recording determines their sizes.
	Contents(l *dataset.Layout) (open OpenContents, sized bool)
}

// OpenContents returns the contents of object i, and their size.
type OpenContents func(i uint64) (of io.ReaderAt, size int64, err error)

// Preparer is a Workload with a set-up between its preparation and its first operation.
type Preparer interface {
	Prepare(set *dataset.DataSet, threads int) error
}

// Examiner is a Workload that needs something of the store that shows only with the uploaded objects; see Traits.Demands for what shows
// with any object.
type Examiner interface {
	// Examine is called by the client that uploaded the first object. It returns what is missing, in one line. It repeats requests that fail
	// temporarily.
	Examine(ctx context.Context, sess s3.Session, set *dataset.DataSet, bucket string) error
}

// Finisher is a Workload that needs more done to each object of its data set than its upload.
type Finisher interface {
	// Finish is called for each object after all uploads, if Traits.Finishes lists its operations.
	Finish(ctx context.Context, w *Worker, o dataset.Object) error
}

// Reporter is a Workload that may have notes and warnings about its run, after the end.
type Reporter interface {
	Notes() []string
	Warnings() []string
}

// repeatable reports whether operations of a workload can be attempted again.
func repeatable(w Workload, t *Traits) bool {
	_, mix := w.(Mixer)
	return !mix && (t.Picks || t.AddsObjects || t.AnyObject)
}

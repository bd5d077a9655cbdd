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
// Flags binds them to command-line flags whose defaults it sets.
//
// Every random choice is a function of the seed and the turn, so that a run can be repeated, and divided
// among clients.
type Workload interface {
	Flags(fs *flag.FlagSet)
	// Traits declares what the workload does. Nothing that a workload embeds may declare it in its place.
	Traits() Traits
	// Do performs one turn: one operation or several (see Worker.Op and Worker.Parallel). It returns load.ErrDone if there is
	// nothing left to do, else an error of its operations.
	Do(ctx context.Context, w *Worker) error
}

// Validator is a Workload whose parameters can be invalid. It returns all errors at once.
type Validator interface {
	Validate(load Load, data generator.Spec) []error
}

// Load is what a plan says of the load of a workload.
type Load struct {
	Threads  int
	Timed    bool          // the workload says when turns are due
	Limited  bool          // it ends after a number of turns, passes or bytes
	Warmup   time.Duration // 0: none
	Duration time.Duration // 0: no limit
	MaxLate  time.Duration // 0: no limit
}

// Mixer is a Workload that has other workloads perform some of the turns of its task, on data sets of their own.
type Mixer interface {
	// Companions returns these, and the weight of the turns that are its own.
	Companions() (own Share, others []Companion)
}

// Companion is a workload that performs some of the turns of another one.
type Companion struct {
	Name     string
	Weight   Share
	Workload string
	Params   json.RawMessage
}

// Uploader is a Workload that uploads its objects itself, since they hold something else than the data set says.
type Uploader interface {
	Upload(ctx context.Context, w *Worker, i uint64) error
	// EstimateUpload returns what the upload of as many objects comes to as there are turns.
	EstimateUpload(t Turns) Cost
}

// Contents is a Workload whose objects hold something else than the data set says.
type Contents interface {
	// Contents returns a function that opens the contents of an object of the preparation. nil: what no object holds follows from the plan;
	// sized: but how large each is follows from the recording.
	Contents(l *dataset.Layout) (open OpenContents, sized bool)
}

// OpenContents returns the contents of object i, and their size.
type OpenContents func(i uint64) (of io.ReaderAt, size int64, err error)

// Preparer is a Workload with a set-up before its first operation, after its objects are uploaded or found.
type Preparer interface {
	Prepare(set *dataset.DataSet, threads int) error
}

// Examiner is a Workload that needs something of the store which shows only with the objects that were uploaded; see Traits.Demands
// for what shows with any object.
type Examiner interface {
	// Examine is called by the client that uploaded the first object. It returns what is missing, in one line. It repeats requests that fail
	// temporarily.
	Examine(ctx context.Context, sess s3.Session, set *dataset.DataSet, bucket string) error
}

// Finisher is a Workload that does more with each object of its data set than to have it uploaded.
type Finisher interface {
	// Finish is called for each object after all of them are uploaded, if Traits.Finishes states what it does.
	Finish(ctx context.Context, w *Worker, o dataset.Object) error
}

// Noter is a Workload that may say more of its run than its operations do, after the end.
type Noter interface {
	Notes() []string
}

// Warner is a Workload that may have warnings about its run, after the end.
type Warner interface {
	Warnings() []string
}

// repeatable reports whether operations of a workload can be attempted again.
func repeatable(w Workload, t *Traits) bool {
	_, mix := w.(Mixer)
	return !mix && (t.Picks || t.Fills || t.Joins)
}

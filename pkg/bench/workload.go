// Package bench performs benchmarks: a Plan says what is to be measured, Run does it. A workload is one file that says
// what one turn does; it has no goroutine, clock, limiter or output. Package load schedules the turns.
package bench

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"slices"

	"warp/pkg/bench/dataset"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/preflight"
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
	Validate(s *Stream, data generator.Spec) []error
}

// WorkloadOf returns the workload of a stream, and whether it leaves the objects of its data set as they are. The stream is valid.
func WorkloadOf(s *Stream) (w Workload, reads bool) {
	info, ok := Lookup(s.Workload)
	if !ok {
		return nil, false
	}
	w = info.Default()
	if len(s.Params) > 0 && json.Unmarshal(s.Params, w) != nil {
		return nil, false
	}
	return w, w.Traits().Effect == Reads
}

// Sizer is a Workload whose parameters can decide the size of its objects.
type Sizer interface {
	// ObjectSize returns the size of all objects; 0: the sizes of the data set hold.
	ObjectSize() int64
}

// Namer is a Workload whose objects have names of a kind.
type Namer interface {
	// KeySuffix returns what all keys end in.
	KeySuffix() string
}

// Uploader is a Workload that uploads its objects itself, since they hold something else than the data set says.
type Uploader interface {
	Upload(ctx context.Context, w *Worker, i uint64) error
	// EstimateUpload returns what the upload of as many objects comes to as there are turns.
	EstimateUpload(t Turns) Cost
}

// Preparer is a Workload with a set-up before its first operation, after its objects are uploaded or found.
type Preparer interface {
	Prepare(set *dataset.DataSet, threads int) error
}

// Traits declares what a workload does, with its present parameters. The run enforces them: a workload that does anything
// else fails (see Worker.S3 and Plan.Validate).
type Traits struct {
	Kinds      []op.Kind        // of the operations that it records
	Rare       []op.Kind        // of those that it records only after failures
	Finishes   []op.Kind        // of those that the preparation records beside uploads; see Finisher
	Effect     Effect           // of its operations on the objects of the bucket
	Objects    uint64           // that must be there before its first turn; with Existing: at most so many, 0 for all
	Versions   uint64           // of each of these objects, which are used by their ids; 0: objects are used by their keys alone
	Locks      bool             // the workload locks versions, for a time or by legal holds, so that the bucket must have object lock
	Existing   bool             // they are in the bucket already; else the preparation uploads them
	Flat       bool             // with Existing: only those that lie directly below the prefix
	Shares     bool             // several clients can work on one data set
	OneSet     bool             // several clients must work on one data set, unless other streams are in the plan
	OneBucket  bool             // it cannot work on objects that are spread over several buckets
	PartSize   int64            // of the parts that objects are uploaded in; 0: by one request
	If         Conditions       // of its requests on objects
	Access     generator.Access // to its objects; zero: the usual one
	Ahead      bool             // uploads are signed before they start, by forms or URLs
	Ranged     bool             // ranges of objects are read
	Copies     bool             // objects are copied as parts of others, which Examine does not try
	Named      bool             // objects have names of the workload's own, below a prefix that no other run has
	Rewrites   bool             // contents of objects are not those of the data set, or do not stay so
	Outcomes   []int            // statuses that are results of its operations beside success, reported by themselves
	Extra      *Extra           // buckets beside those of the data set that it makes or deletes; nil: none
	ExtraFirst bool             // they must be there before its first turn
	Lanes      int              // operations of a turn that run at once, see Worker.Parallel; 0: one

	// A named data set changes while streams work on it if all of them can do so, by one of these, and one adds objects or takes some out.
	Joins  bool   // it does not matter which objects exist
	Picks  bool   // each turn uses the object of Worker.Pick
	Fills  bool   // what it uploads joins the data set
	Takes  uint64 // each turn deletes the objects of Worker.Taken, at most so many; 0: it deletes none
	Checks bool   // contents are compared with what was uploaded

	// Needs returns what a turn does of what Picks and Takes say, for a workload whose turns differ; a turn that finds no object
	// uploads one (see Worker.Found). nil: all turns are alike.
	Needs func(turn uint64) (picks bool, takes uint64) `json:"-"`

	// Pass returns the number of turns in which each object of the data set is used once; nil: turns do not go through the data set.
	Pass func(set *dataset.DataSet) uint64 `json:"-"`

	// Demands are what the workload needs of the server beside what follows from these traits: some servers do not support its requests, or
	// ignore them. They are tried before anything is measured.
	Demands []Demand `json:"-"`
}

// Effect is what operations do to the objects of the bucket. The zero value is invalid, so that each workload states it.
type Effect uint8

// Effects.
const (
	Reads   Effect = iota + 1 // objects stay as they are
	Adds                      // new objects are uploaded; those of the data set stay as they are
	Changes                   // objects of the data set are overwritten or deleted
)

// validate returns an error for incomplete or invalid traits.
func (t *Traits) validate() error {
	if t.Effect < Reads || t.Effect > Changes || len(t.Kinds) == 0 {
		return errors.New("its traits do not state the kinds of its operations and their effect")
	}
	if t.Lanes < 0 || t.Lanes > maxLanes {
		return fmt.Errorf("its traits state %d lanes (want at most %d)", t.Lanes, maxLanes)
	}
	return nil
}

// recorded returns the kinds of all operations that may be recorded.
func (t *Traits) recorded() []op.Kind { return slices.Concat(t.Kinds, t.Rare) }

// need returns what a turn uses of a data set that changes.
func (t *Traits) need(turn uint64) dataset.Need {
	if t.Needs != nil {
		picks, takes := t.Needs(turn)
		return dataset.Need{Picks: picks, Takes: takes}
	}
	return dataset.Need{Picks: t.Picks, Takes: t.Takes}
}

// lanes returns the maximum number of parallel operations of a turn.
func (t *Traits) lanes() int { return max(1, t.Lanes) }

// features returns what the workload needs of its bucket.
func (t *Traits) features() (list []preflight.Feature) {
	if t.Locks {
		list = append(list, preflight.Lock)
	} else if t.names() > 0 {
		list = append(list, preflight.Versions)
	}
	return list
}

// readsOnly reports whether the workload leaves the bucket unchanged.
func (t *Traits) readsOnly() bool { return t.Existing && t.Effect == Reads }

// destroys reports whether the workload overwrites or deletes objects that the run did not make.
func (t *Traits) destroys() bool { return t.Existing && t.Effect != Reads }

// uploads returns the number of objects that the preparation uploads, counting each version.
func (t *Traits) uploads() uint64 {
	if t.Existing {
		return 0
	}
	return t.Objects * max(1, t.Versions)
}

// names returns the number of names whose versions the workload uses by their ids; 0: it uses objects by their keys alone.
func (t *Traits) names() uint64 {
	if t.Existing || t.Versions == 0 {
		return 0
	}
	return t.Objects
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

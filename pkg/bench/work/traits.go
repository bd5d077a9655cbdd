package work

import (
	"errors"
	"fmt"
	"slices"

	"warp/pkg/bench/dataset"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3/preflight"
)

// Traits declares what a workload does, with its present parameters. The run enforces them: a workload that does anything
// else fails (see Worker.S3 and Plan.Validate).
type Traits struct {
	Kinds          []op.Kind        // of the operations that it records
	Rare           []op.Kind        // of those that it records only after failures
	Finishes       []op.Kind        // of those that the preparation records beside uploads; see Finisher
	Effect         Effect           // of its operations on the objects of the bucket
	Objects        uint64           // that must be there before its first turn; with Existing: at most so many, 0 for all
	Versions       uint64           // of each of these objects, which are used by their ids; 0: objects are used by their keys alone
	Locks          bool             // the workload locks versions, for a time or by legal holds, so that the bucket must have object lock
	Existing       bool             // they are in the bucket already; else the preparation uploads them
	NotInDirectory string           // what directory buckets lack of its requests, besides what follows from the rest; empty: nothing
	Flat           bool             // with Existing: only those that lie directly below the prefix
	Shares         bool             // several clients can work on one data set
	OneSet         bool             // several clients must work on one data set, unless other streams are in the plan
	OneBucket      bool             // it cannot work on objects that are spread over several buckets
	PartSize       int64            // of the parts that objects are uploaded in; 0: by one request
	If             Conditions       // of its requests on objects
	Access         generator.Access // to its objects; zero: the usual one
	Ahead          bool             // uploads are signed before they start, by forms or URLs
	Ranged         bool             // ranges of objects are read
	Copies         bool             // objects are copied as parts of others, which Examine does not try
	Named          bool             // objects have names of the workload's own, below a prefix that no other run has
	Rewrites       bool             // contents of objects are not those of the data set, or do not stay so
	Outcomes       []int            // statuses that are results of its operations beside success, reported by themselves
	Extra          *Extra           // buckets beside those of the data set that it makes or deletes; nil: none
	ExtraFirst     bool             // they must be there before its first turn
	Lanes          int              // operations of a turn that run at once, see Worker.Parallel; 0: one

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

// Validate returns an error for incomplete or invalid traits.
func (t *Traits) Validate() error {
	if t.Effect < Reads || t.Effect > Changes || len(t.Kinds) == 0 {
		return errors.New("its traits do not state the kinds of its operations and their effect")
	}
	if t.Lanes < 0 || t.Lanes > MaxLanes {
		return fmt.Errorf("its traits state %d lanes (want at most %d)", t.Lanes, MaxLanes)
	}
	return nil
}

// Recorded returns the kinds of all operations that may be recorded.
func (t *Traits) Recorded() []op.Kind { return slices.Concat(t.Kinds, t.Rare) }

// Need returns what a turn uses of a data set that changes.
func (t *Traits) Need(turn uint64) dataset.Need {
	if t.Needs != nil {
		picks, takes := t.Needs(turn)
		return dataset.Need{Picks: picks, Takes: takes}
	}
	return dataset.Need{Picks: t.Picks, Takes: t.Takes}
}

// LaneCount returns the maximum number of parallel operations of a turn.
func (t *Traits) LaneCount() int { return max(1, t.Lanes) }

// Features returns what the workload needs of its bucket.
func (t *Traits) Features() (list []preflight.Feature) {
	if t.Locks {
		list = append(list, preflight.Lock)
	} else if t.Names() > 0 {
		list = append(list, preflight.Versions)
	}
	return list
}

// ReadsOnly reports whether the workload leaves the bucket unchanged.
func (t *Traits) ReadsOnly() bool { return t.Existing && t.Effect == Reads }

// Destroys reports whether the workload overwrites or deletes objects that the run did not make.
func (t *Traits) Destroys() bool { return t.Existing && t.Effect != Reads }

// Uploads returns the number of objects that the preparation uploads, counting each version.
func (t *Traits) Uploads() uint64 {
	if t.Existing {
		return 0
	}
	return t.Objects * max(1, t.Versions)
}

// Names returns the number of names whose versions the workload uses by their ids; 0: it uses objects by their keys alone.
func (t *Traits) Names() uint64 {
	if t.Existing || t.Versions == 0 {
		return 0
	}
	return t.Objects
}

// EachObject is a pass of turns that use one object each; see Traits.Pass.
func EachObject(set *dataset.DataSet) uint64 { return set.Places() }

// EachPrefix returns the number of turns in which each prefix of objects is used once in each bucket, where each turn uses one of a bucket.
func EachPrefix(set *dataset.DataSet) uint64 { return set.Buckets() * uint64(set.Keys.Dirs()) }

package work

import (
	"errors"
	"fmt"
	"slices"

	"warp/pkg/bench/dataset"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/preflight"
)

// Traits declare what a workload does, with its present parameters. The run enforces them: a workload that does anything
// else fails.
type Traits struct {
	Effect Effect // of its operations on the objects of the bucket
	Records
	Data
	Use
	Sends
	Sharing
	Buckets
}

// Records are the kinds of operations that a workload records, and their results.
type Records struct {
	Kinds    []op.Kind // of all operations
	Rare     []op.Kind // recorded only after failures
	Finishes []op.Kind // recorded by the preparation, besides uploads; see Finisher
	Outcomes []int     // statuses that are results besides success, and reported by themselves
}

// Data are the objects that a workload works on.
type Data struct {
	Objects  uint64 // number needed before the first turn; with Existing: the maximum, 0 for all
	Versions uint64 // of each object, used by their IDs; 0: objects are used by their keys alone
	Size     int64  // of all objects; 0: the sizes of the data set
	PartSize int64  // objects are uploaded in parts of this size; 0: by one request
	Suffix   string // of all keys
	Existing bool   // the objects are in the bucket already; else the preparation uploads them
	Flat     bool   // with Existing: only those directly below the prefix
	Named    bool   // the workload names its objects, below a prefix that no other run has
	Rewrites bool   // objects do not hold, or do not keep, the contents of the data set
	Checks   bool   // contents are compared with what was uploaded
	Locks    bool   // versions are locked, so that the bucket needs object lock
}

// Use is how turns use the data set. A named one changes while streams work on it if each of them declares AnyObject, Picks, AddsObjects or
// MaxDeletes, and one of them AddsObjects or MaxDeletes.
type Use struct {
	Access      generator.Access // zero: the default
	AnyObject   bool             // it does not matter which objects exist
	Picks       bool             // each turn uses the object of Worker.Pick
	AddsObjects bool             // uploads join the data set
	MaxDeletes  uint64           // each turn deletes at most this many objects, see Worker.Deletions
	Lanes       int              // operations of a turn at once, see Worker.Parallel; 0: one

	// NeedsOf replaces Picks and MaxDeletes for a workload whose turns differ. A turn that finds no object uploads one (see
	// Worker.Found). nil: all turns are alike.
	NeedsOf func(turn uint64) (picks bool, deletes uint64) `json:"-"`

	// Pass returns the number of turns that use each object of the data set once; nil: turns do not go through the data set.
	Pass func(set *dataset.DataSet) uint64 `json:"-"`
}

// Sends is what the server must support.
type Sends struct {
	If             Conditions // of requests about objects
	SignedAhead    bool       // uploads are signed before they start, by forms or URLs
	Ranged         bool       // ranges of objects are read
	Copies         bool       // objects are copied as parts of others, which Examine does not try
	Needs          s3.Verb    // what stores of other kinds may lack, besides what follows from other traits
	NotInDirectory string     // what the requests need and directory buckets lack, besides what follows from other traits

	// Demands are tried before anything is measured, in addition to what follows from other traits: some servers do not support these
	// requests, or ignore them.
	Demands []Demand `json:"-"`
}

// Sharing is how several clients, or buckets, share the data set.
type Sharing struct {
	Shares    bool // several clients can work on one data set
	OneSet    bool // several clients must work on one data set, unless the plan has other streams
	OneBucket bool // objects can't be spread over several buckets
}

// Buckets are extra buckets that a workload makes or deletes.
type Buckets struct {
	Extra      *Extra // nil: none
	ExtraFirst bool   // they must exist before the first turn
}

// Effect is what operations do to the objects of the bucket. The zero value is invalid, so that each workload states it.
type Effect uint8

// Effects.
const (
	Reads   Effect = iota + 1 // objects stay as they are
	Adds                      // new objects are uploaded; the data set's stay as they are
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

// PutInParts declares that uploads of single objects may be in parts too, because of their size.
func (t *Traits) PutInParts() {
	if t.sends(op.Put) && !t.SignedAhead {
		t.Kinds, t.Rare = appendNew(t.Kinds, PartKinds), appendNew(t.Rare, PartFailureKinds)
	}
}

// appendNew appends the kinds that are not in the list yet.
func appendNew(list, kinds []op.Kind) []op.Kind {
	list = slices.Clone(list)
	for _, k := range kinds {
		if !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	return list
}

// Recorded returns the kinds of all operations that may be recorded.
func (t *Traits) Recorded() []op.Kind { return slices.Concat(t.Kinds, t.Rare) }

// Need returns what a turn needs of a changing data set.
func (t *Traits) Need(turn uint64) dataset.Need {
	if t.NeedsOf != nil {
		picks, takes := t.NeedsOf(turn)
		return dataset.Need{Picks: picks, MaxDeletes: takes}
	}
	return dataset.Need{Picks: t.Picks, MaxDeletes: t.MaxDeletes}
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

// Destroys reports whether the workload overwrites or deletes objects or buckets that the run did not make.
func (t *Traits) Destroys() bool {
	return t.Existing && t.Effect != Reads && (t.Extra == nil || t.ExtraFirst)
}

// OnlyBuckets reports whether the workload makes or deletes buckets of the data set, and uses no object.
func (t *Traits) OnlyBuckets() bool { return t.Extra != nil && t.Extra.Named }

// Uploads returns the number of objects that the preparation uploads, counting each version.
func (t *Traits) Uploads() uint64 {
	if t.Existing {
		return 0
	}
	return t.Objects * max(1, t.Versions)
}

// Names returns the number of keys with several versions that the workload uses by ID; 0: it uses objects by their keys alone.
func (t *Traits) Names() uint64 {
	if t.Existing || t.Versions == 0 {
		return 0
	}
	return t.Objects
}

// EachObject is a pass of turns that use one object each; see Traits.Pass.
func EachObject(set *dataset.DataSet) uint64 { return set.Places() }

// EachPrefix is a pass of turns that use one prefix of one bucket each; see Traits.Pass.
func EachPrefix(set *dataset.DataSet) uint64 { return set.Buckets() * uint64(set.Keys.Dirs()) }

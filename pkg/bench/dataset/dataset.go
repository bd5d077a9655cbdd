package dataset

import (
	"warp/pkg/load"
	"warp/pkg/s3/ops"
)

// DataSet is the objects of a workload, on one client or shared by all. Several workloads may work on the same objects, each with its
// own Access.
type DataSet struct {
	*Layout
	*Ledger
	Access
	existing *Found   // objects that were in the bucket; nil: the run uploads its own
	assumed  *assumed // objects that are taken to be there; nil: none
}

// assumed are objects of the layout that the run has neither made nor seen.
type assumed struct {
	part  load.Share // of the indices
	sized bool       // their sizes are the data set's, too
}

// Options are the properties of a data set.
type Options struct {
	Part      load.Share // of the indices, which this client uploads and cleans up
	Capacity  *Capacity  // of the store
	ETags     bool       // keep the ETags of objects
	Versions  bool       // keep the IDs of versions
	Rewritten bool       // uploads replace objects
	Inventory bool       // keep which objects exist: the data set changes
	Taken     bool       // with Inventory: objects are deleted
	Objects   uint64     // with Inventory: number of objects uploaded beforehand
}

// New returns a data set without objects.
func New(l *Layout, o Options) *DataSet {
	ledger := &Ledger{Part: o.Part, capacity: o.Capacity, rewritten: o.Rewritten}
	if o.ETags {
		ledger.etags = &texts{}
	}
	if o.Versions {
		ledger.ids = &texts{}
	}
	if o.Inventory {
		kept := uint64(0)
		if o.Part.Total > 1 {
			kept = o.Objects
		}
		ledger.live = newInventory(o.Taken, kept, o.Part)
	}
	return &DataSet{Layout: l, Ledger: ledger}
}

// View returns the same objects with an access of their own.
func (s *DataSet) View(a Access) *DataSet {
	return &DataSet{Layout: s.Layout, Ledger: s.Ledger, Access: a, existing: s.existing, assumed: s.assumed}
}

// At returns object i: an existing object of the bucket if the run uses existing ones, else one of the run's own.
func (s *DataSet) At(i uint64) Object {
	if s.existing != nil {
		o := s.existing.at(i)
		o.Index = i
		return o
	}
	if a := s.assumed; a != nil {
		o := s.Object(a.part.Index + i*a.part.Total)
		if o.Index = i; !a.sized {
			o.Size = -1
		}
		return o
	}
	o := s.Object(i)
	o.ETag, o.Version = s.etags.get(i), s.ids.get(i)
	return o
}

// UseExisting makes the data set the objects found in the bucket.
func (s *DataSet) UseExisting(list *Found) {
	s.existing = list
	s.Access = NewAccess(list.Len(), 0, s.Access.seed)
}

// Assume makes the data set the first n objects of the layout, or a part of them, which are taken to be in the bucket. sized: their sizes
// are known; else they are -1.
func (s *DataSet) Assume(n uint64, part load.Share, sized bool) {
	s.assumed = &assumed{part, sized}
	s.Access = NewAccess(part.Of(n), 0, s.Access.seed)
}

// foreign reports whether the run did not make the objects.
func (s *DataSet) foreign() bool { return s.existing != nil || s.assumed != nil }

// Names returns the number of different keys to work on. It is the number of objects, unless each index is a version.
func (s *DataSet) Names() uint64 {
	if s.names > 0 {
		return s.names
	}
	return s.Len()
}

// VersionID returns the ID of version i; empty if it has none.
func (s *DataSet) VersionID(i uint64) string { return s.ids.get(i) }

// Pick returns the object to use in a turn: by the pattern of access, or else all objects once, in random order, before any again.
func (s *DataSet) Pick(turn uint64) Object { return s.At(s.Index(turn)) }

// MarkDeleted marks object i as deleted, so that clean-up does not delete it again.
func (s *DataSet) MarkDeleted(i uint64) {
	if !s.foreign() {
		if s.deleted.Set(i) {
			s.Free(s.Size(i))
		}
		s.ids.remove(i)
	}
}

// Settings returns the settings that requests made; nil if others may make them too.
func (s *DataSet) Settings(what Setting) *Settings {
	if s.Shared() || s.foreign() || what == SettingTag && s.rewritten {
		return nil
	}
	return &s.settings[what]
}

// Batch returns the keys of this client's objects from to to-1 that may still exist in a bucket.
func (s *DataSet) Batch(from, to uint64, bucket int) (ids []ops.ObjectID) {
	for n := from; n < to; n++ {
		if i := s.OwnIndex(n); s.BucketOf(i) == bucket && !s.deleted.Has(i) {
			ids = append(ids, ops.ObjectID{Key: s.Key(i)})
		}
	}
	return ids
}

// Shared reports whether other clients work on the same objects.
func (s *DataSet) Shared() bool { return s.Part.Total > 1 }

// Changes reports whether streams add objects to the data set, or take some out, while others work on it.
func (s *DataSet) Changes() bool { return s.live != nil }

// Restart sets the access to a data set that changes, when a phase begins: to its objects from number first to last, from 1, or to all if
// last is 0. With fixed, the set of objects does not change in this phase.
func (s *DataSet) Restart(first, last uint64, fixed bool) {
	a := NewAccess(0, 0, s.Access.seed)
	a.first, a.last = first, last
	if n := s.live.len(&a); n > 0 && fixed {
		a = NewAccess(n, 0, a.seed)
		a.first, a.last, a.steady = first, last, true
	}
	s.Access = a
}

// Accessible returns how many existing objects the access chooses from now.
func (s *DataSet) Accessible() uint64 { return s.live.len(&s.Access) }

// Existing returns how many objects exist now.
func (s *DataSet) Existing() uint64 { return s.live.len(&Access{}) }

// ExistingAt returns the index of the n-th existing object.
func (s *DataSet) ExistingAt(n uint64) uint64 { return s.live.at(n) }

// MarkAllDeleted marks all objects as deleted.
func (s *DataSet) MarkAllDeleted() {
	for i, _, ok := s.live.take(&Access{}, 0); ok; i, _, ok = s.live.take(&Access{}, 0) {
		s.MarkDeleted(i)
	}
}

// Fill is called with 1 when a stream that uploads begins, and with -1 when it has ended.
func (s *DataSet) Fill(by int) { s.live.fill(by) }

// Watch returns a channel that is closed at the next change, and whether a change may still bring objects.
func (s *DataSet) Watch() (changed <-chan struct{}, mayGrow bool) { return s.live.watch() }

// SoleClient is the share of a single client.
var SoleClient = load.Share{Total: 1}

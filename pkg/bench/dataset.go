package bench

import (
	"context"
	"fmt"
	"sync/atomic"

	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
)

// Object is one object of a data set.
type Object struct {
	Index   uint64 // in the data set
	Key     string
	Version string // empty: the current one
	Size    int64
}

// DataSet is the objects of one client in one run, or those that all clients share. Names, sizes and contents follow from
// the seed and an index, so it costs no memory for each object, and clean-up knows exactly which objects are the run's own.
type DataSet struct {
	seed  uint64     // of names, sizes and contents
	order uint64     // of what this client does with them: which one when, and what part of it
	part  load.Share // the indices that this client uploads and cleans up: part.Index, part.Index+part.Total, ...
	keys  generator.Keys
	sizes generator.Sizes
	data  *generator.Data

	run    *run
	base   uint64 // index of the first object to work on: those before are of earlier phases, which may have deleted them
	n      uint64 // objects to work on, indices base to base+n-1
	passes generator.Passes
	random generator.Permutation
	found  *found // objects that were in the bucket; nil: the run uploads its own

	next      atomic.Uint64 // how many of its indices this client has used: their objects may be in the bucket
	gone      bitmap        // indices that are known to be deleted
	room      room
	versioned atomic.Bool // the bucket keeps versions of what the run uploads
}

func newDataSet(p *Plan, share load.Share, threads int) (*DataSet, error) {
	s := &DataSet{seed: p.seedOf(share.Index), order: generator.Mix(p.Seed, share.Index), part: whole, sizes: p.Data.Sizes}
	if p.SharedData {
		s.part = share
	}
	var err error
	if s.data, err = generator.NewData(p.Data.Generator, s.seed); err != nil {
		return nil, err
	}
	s.keys = generator.NewKeys(p.Data, s.seed, threads)
	s.room.limit = p.Room
	return s, nil
}

// Len is the number of objects that were prepared.
func (s *DataSet) Len() uint64 { return s.n }

// At is object i: of those found if there are any, else of the run's own.
func (s *DataSet) At(i uint64) Object {
	if s.found != nil {
		o := s.found.at(i)
		o.Index = i
		return o
	}
	return s.made(i)
}

// made is object i of the run's own.
func (s *DataSet) made(i uint64) Object {
	return Object{Index: i, Key: s.keys.Key(i), Size: s.sizes.At(s.seed, i)}
}

// Pick is the object to read in a turn: all objects are read once, in random order, before any is read again.
func (s *DataSet) Pick(turn uint64) Object { return s.At(s.base + s.passes.At(turn)) }

// Shuffled is the index at place i of a random order of all objects.
func (s *DataSet) Shuffled(i uint64) uint64 { return s.base + s.random.At(i) }

// New is the index of an object that is about to be uploaded. No other client gets it.
func (s *DataSet) New() uint64 { return s.own(s.next.Add(1) - 1) }

// own is this client's index number n.
func (s *DataSet) own(n uint64) uint64 { return s.part.Index + n*s.part.Total }

// owns tells whether this client may have uploaded object i.
func (s *DataSet) owns(i uint64) bool {
	return i%s.part.Total == s.part.Index && i/s.part.Total < s.next.Load()
}

// partOf is how many of the first n objects are this client's to upload.
func (s *DataSet) partOf(n uint64) uint64 {
	if n <= s.part.Index {
		return 0
	}
	return (n-s.part.Index-1)/s.part.Total + 1
}

// Gone notes that object i is deleted, so that clean-up need not delete it again.
func (s *DataSet) Gone(i uint64) {
	if s.found == nil {
		s.gone.set(i)
		s.room.give(s.sizes.At(s.seed, i))
	}
}

// setRange sets the objects to work on.
func (s *DataSet) setRange(base, n uint64) {
	s.base, s.n = base, n
	s.passes = generator.NewPasses(n, generator.Mix(s.order, streamObject))
	s.random = generator.NewPermutation(n, generator.Mix(s.order, streamSlots))
}

// uploadTries is how often the preparation tries to upload an object. Each try is one recorded operation.
const uploadTries = 3

// Upload uploads the first n objects; of shared ones this client's part, and the others upload theirs before the benchmark
// begins. A workload must find all of them, so the upload of an object is tried again, and the preparation fails if one
// cannot be uploaded.
func (s *DataSet) Upload(ctx context.Context, n uint64) error {
	turns := s.partOf(n)
	if err := s.fits(turns); err != nil {
		return err
	}
	s.found = nil
	s.setRange(s.next.Load(), n)
	if turns == 0 {
		return nil // there are more clients than objects
	}
	return s.run.prepare(ctx, turns, func(ctx context.Context, w *Worker, rec *op.Op) error {
		return w.Put(ctx, w.index, rec)
	})
}

// Adopt looks up the objects below the plan's prefix that are in the bucket, limit at most; of these, the part that falls
// to a share.
func (s *DataSet) Adopt(ctx context.Context, flat bool, limit uint64, part load.Share) error {
	if err := s.run.mayAdopt(); err != nil {
		return err
	}
	prefix := s.keys.Root()
	session := s3.Unmeasured(s.run.store.Session(0), s.run.plan.Target)
	list, err := find(ctx, session, prefix, flat, generator.IsClaim, limit, part)
	if err != nil {
		return fmt.Errorf("list existing objects below %q: %w", prefix, err)
	}
	if list.listed == 0 {
		return fmt.Errorf("there is no object below %q in bucket %q; upload some, or leave out --list-existing", prefix, s.run.plan.Target.Bucket)
	}
	s.found = list
	s.setRange(0, list.len())
	return nil
}

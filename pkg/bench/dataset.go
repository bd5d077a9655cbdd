package bench

import (
	"warp/pkg/generator"
	"warp/pkg/load"
)

// Object is one object of a data set.
type Object struct {
	Index   uint64 // in the data set
	Key     string
	Version string // empty: the current one
	Size    int64
	ETag    string // if the data set keeps ETags
}

// Layout maps an index to an object. Keys, sizes and contents are functions of the seed and the index, so
// that they cost no memory, and clean-up knows exactly which objects are the run's own.
type Layout struct {
	seed  uint64
	Keys  generator.Keys
	sizes generator.Sizes
	data  *generator.Data
}

func newLayout(spec generator.Spec, seed uint64, threads int) (*Layout, error) {
	data, err := generator.NewData(spec.Generator, seed)
	if err != nil {
		return nil, err
	}
	return &Layout{seed: seed, Keys: generator.NewKeys(spec, seed, threads), sizes: spec.Sizes, data: data}, nil
}

// Size returns the size of object i.
func (l *Layout) Size(i uint64) int64 { return l.sizes.At(l.seed, i) }

// object returns object i.
func (l *Layout) object(i uint64) Object {
	return Object{Index: i, Key: l.Keys.Key(i), Size: l.Size(i)}
}

// Body returns a reader of contents, which is set to an object by its Reset.
func (l *Layout) Body() *generator.Body { return l.data.Body(0, 0) }

// Access maps a turn to an object. It is a function of the seed and the turn, and differs between clients.
type Access struct {
	seed   uint64
	n      uint64 // objects
	passes generator.Passes
	random generator.Permutation
}

func newAccess(n, seed uint64) Access {
	return Access{
		seed: seed, n: n,
		passes: generator.NewPasses(n, generator.Mix(seed, StreamObject)),
		random: generator.NewPermutation(n, generator.Mix(seed, StreamSlots)),
	}
}

// Len returns the number of objects to work on; their indices are below it.
func (a *Access) Len() uint64 { return a.n }

// Shuffled returns the index at place i of a random order of all objects.
func (a *Access) Shuffled(i uint64) uint64 { return a.random.At(i) }

// Seed returns the seed of one of several independent streams of random numbers, such as StreamKind.
func (a *Access) Seed(stream uint64) uint64 { return generator.Mix(a.seed, stream) }

// DataSet is the objects of a workload, on one client or shared by all. Several workloads may work on the same
// ones, each in its own order.
type DataSet struct {
	*Layout
	*Ledger
	Access
	existing *existing // objects that were in the bucket; nil: the run uploads its own
}

// At returns object i: of the existing ones in the bucket if the run uses these, else of the run's own.
func (s *DataSet) At(i uint64) Object {
	if s.existing != nil {
		o := s.existing.at(i)
		o.Index = i
		return o
	}
	o := s.object(i)
	if s.etags != nil {
		o.ETag = s.etags.get(i)
	}
	return o
}

// Pick returns the object to read in a turn: all objects are read once, in random order, before any is read again.
func (s *DataSet) Pick(turn uint64) Object { return s.At(s.passes.At(turn)) }

// Gone marks object i as deleted, so that clean-up does not delete it again.
func (s *DataSet) Gone(i uint64) {
	if s.existing == nil {
		s.gone.set(i)
		s.capacity.give(s.Size(i))
	}
}

// Shared reports whether other clients work on the same objects.
func (s *DataSet) Shared() bool { return s.Part.Total > 1 }

// whole is the share of a single client.
var whole = load.Share{Total: 1}

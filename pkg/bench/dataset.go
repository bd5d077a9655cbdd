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
}

// Layout says what the objects of a data set are. Their names, sizes and contents are functions of the seed and an index, so
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

// Size is the size of object i.
func (l *Layout) Size(i uint64) int64 { return l.sizes.At(l.seed, i) }

// object is object i.
func (l *Layout) object(i uint64) Object {
	return Object{Index: i, Key: l.Keys.Key(i), Size: l.Size(i)}
}

// Access says which object a turn works on. It is a function of the seed and the turn, and another one for each client.
type Access struct {
	seed   uint64
	n      uint64 // objects to work on
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

// Len is the number of objects to work on: those with the indices below it.
func (a *Access) Len() uint64 { return a.n }

// Shuffled is the index at place i of a random order of all objects.
func (a *Access) Shuffled(i uint64) uint64 { return a.random.At(i) }

// Seed is that of a stream of random numbers, so that no two streams are the same.
func (a *Access) Seed(stream uint64) uint64 { return generator.Mix(a.seed, stream) }

// DataSet is the objects that a workload works on, on one client or shared by all. Several workloads may work on the same
// ones, each in an order of its own.
type DataSet struct {
	*Layout
	*Ledger
	Access
	existing *existing // objects that were in the bucket; nil: the run uploads its own
}

// At is object i: of those that were in the bucket if there are any, else of the run's own.
func (s *DataSet) At(i uint64) Object {
	if s.existing != nil {
		o := s.existing.at(i)
		o.Index = i
		return o
	}
	return s.object(i)
}

// Pick is the object to read in a turn: all objects are read once, in random order, before any is read again.
func (s *DataSet) Pick(turn uint64) Object { return s.At(s.passes.At(turn)) }

// Gone notes that object i is deleted, so that clean-up need not delete it again.
func (s *DataSet) Gone(i uint64) {
	if s.existing == nil {
		s.gone.set(i)
		s.capacity.give(s.Size(i))
	}
}

// Shared reports whether other clients work on the same objects.
func (s *DataSet) Shared() bool { return s.Part.Total > 1 }

// whole is a part that is everything.
var whole = load.Share{Total: 1}

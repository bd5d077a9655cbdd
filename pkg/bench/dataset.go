package bench

import (
	"cmp"
	"hash/fnv"
	"io"
	"time"

	"warp/internal/clock"
	"warp/pkg/generator"
	"warp/pkg/load"
)

// Object is one object of a data set.
type Object struct {
	Index   uint64 // in the data set
	Key     string
	Version string // its id; empty: the current one
	Bucket  int    // number of its bucket
	Size    int64
	ETag    string // if the data set keeps ETags
}

// Layout maps an index to an object. Keys, sizes and contents are functions of the seed and the index, so
// that they cost no memory, and clean-up knows exactly which objects are the run's own.
type Layout struct {
	seed    uint64
	names   uint64 // of the objects, each of which has several versions, with an index each; 0: each index has a name of its own
	Keys    generator.Keys
	sizes   generator.Sizes
	buckets uint64 // that they are spread over; 0: one
	data    *generator.Data
}

// newLayout returns the layout of a client's objects, whose seed is its own. Those of all clients have shared in common.
func newLayout(spec generator.Spec, keys generator.Keys, seed, shared uint64) (*Layout, error) {
	data, err := spec.NewData(seed, shared)
	if err != nil {
		return nil, err
	}
	return &Layout{seed: seed, Keys: keys, sizes: spec.Sizes.Indexed(), buckets: uint64(spec.Buckets), data: data}, nil
}

// seedOfSet returns the seed of a data set: one of its own, which differs between data sets that have one description in common, by their
// number; or else the usual one.
func seedOfSet(spec generator.Spec, usual uint64, number int) uint64 {
	switch {
	case spec.Seed == 0:
		return usual
	case number == 0:
		return generator.Mix(spec.Seed, 1<<62)
	}
	return generator.Mix(generator.Mix(spec.Seed, 1<<62), uint64(number))
}

// Size returns the size of object i.
func (l *Layout) Size(i uint64) int64 { return l.sizes.At(l.seed, i) }

// object returns object i.
func (l *Layout) object(i uint64) Object {
	return Object{Index: i, Key: l.key(i), Bucket: l.BucketOf(i), Size: l.Size(i)}
}

// key returns the key of object i. Of names with versions, each has its first one before any has its second.
func (l *Layout) key(i uint64) string {
	if l.names > 0 {
		i %= l.names
	}
	return l.Keys.Key(i)
}

// DirOf returns the number of the prefix that object i has.
func (l *Layout) DirOf(i uint64) int {
	if l.names > 0 {
		i %= l.names
	}
	return l.Keys.DirOf(i)
}

// Buckets returns the number of buckets that objects are spread over.
func (l *Layout) Buckets() uint64 { return max(1, l.buckets) }

// BucketOf returns the number of the bucket of object i.
func (l *Layout) BucketOf(i uint64) int {
	if l.buckets <= 1 {
		return 0
	}
	if l.names > 0 {
		i %= l.names
	}
	return int(i % l.buckets)
}

// Body returns a reader of contents, which is set to an object by its Reset.
func (l *Layout) Body() *generator.Body { return l.data.Body(0, 0) }

// Access maps a turn to an object. It is a function of the seed and the turn, and differs between clients.
type Access struct {
	seed   uint64
	n      uint64 // objects
	passes generator.Passes
	random generator.Permutation
	group  uint64 // length of random

	choice *generator.Choice // nil: passes and random
	turns  load.Share        // this client's, of those that choice counts
	common uint64            // seed of choice
	begun  time.Time         // first turn; zero: it does not matter
	of     *Access           // see Among; nil: it is to objects

	first, last uint64 // of a data set that changes: the numbers to choose from, counted from 1; 0: all
	steady      bool   // it does not change in this phase
}

// newAccess returns the usual access to n objects, which are versions of so many names (0: each has a name of its own).
func newAccess(n, names, seed uint64) Access {
	group := cmp.Or(names, n)
	return Access{
		seed: seed, n: n, group: group,
		passes: generator.NewPasses(n, generator.Mix(seed, StreamObject)),
		random: generator.NewPermutation(group, generator.Mix(seed, StreamSlots)),
	}
}

// follow sets the pattern of access; the zero value is the usual one. Clients that work on the same objects have the same seed, and each
// takes its share of the turns.
func (a *Access) follow(p generator.Access, seed uint64, turns load.Share) {
	a.choice, a.turns, a.common = nil, turns, seed
	if p != (generator.Access{}) {
		a.choice = generator.NewChoice(p, a.n, seed)
	}
}

// place returns the number of a turn among those of all clients, and the time since the first one if that matters.
func (a *Access) place(turn uint64) (n uint64, since time.Duration) {
	begun := a.begun
	if a.of != nil {
		begun = a.of.begun
	}
	if a.choice.Moves() && !begun.IsZero() {
		since = clock.Now().Sub(begun)
	}
	return a.turns.Index + turn*a.turns.Total, since
}

// Index returns the object of a turn.
func (a *Access) Index(turn uint64) uint64 {
	if a.choice == nil {
		return a.passes.At(turn)
	}
	return a.choice.At(a.place(turn))
}

// Among returns the access of the same turns to n other things, such as the parts of an object.
func (a *Access) Among(n uint64, p generator.Access) *Access {
	b := newAccess(n, 0, a.seed)
	b.follow(p, a.common, a.turns)
	b.of = a
	return &b
}

// draw returns a place for a turn among n, of objects whose number changes.
func (a *Access) draw(turn, n uint64) uint64 {
	if a.choice == nil {
		return generator.Uniform(a.Seed(StreamObject), turn, n)
	}
	i, since := a.place(turn)
	return a.choice.AtOf(i, since, n)
}

// Len returns the number of objects to work on; their indices are below it.
func (a *Access) Len() uint64 { return a.n }

// Once returns the index at place i of an order in which each object comes once: a random one, unless the pattern of access has another.
// Versions of one object are far apart there: servers may work on one at a time. Places are below Places.
func (a *Access) Once(i uint64) uint64 {
	if a.choice == nil {
		return i/a.group*a.group + a.random.At(i%a.group)
	}
	return a.choice.Once(i)
}

// Places returns the number of objects in that order: all, or those of a range.
func (a *Access) Places() uint64 {
	if a.choice == nil {
		return a.n
	}
	return a.choice.Count()
}

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
	o.ETag, o.Version = s.etags.get(i), s.ids.get(i)
	return o
}

// Names returns the number of different keys to work on. It is the number of objects, unless each index is a version.
func (s *DataSet) Names() uint64 {
	if s.names > 0 {
		return s.names
	}
	return s.Len()
}

// VersionID returns the id of version i; empty if it has none.
func (s *DataSet) VersionID(i uint64) string { return s.ids.get(i) }

// Pick returns the object to use in a turn: by the pattern of access, or else all objects once, in random order, before any again.
func (s *DataSet) Pick(turn uint64) Object { return s.At(s.Index(turn)) }

// Gone marks object i as deleted, so that clean-up does not delete it again.
func (s *DataSet) Gone(i uint64) {
	if s.existing == nil {
		if s.gone.set(i) {
			s.capacity.give(s.Size(i))
		}
		s.ids.remove(i)
	}
}

// settle records that the upload of object i has ended.
func (l *Ledger) settle(i uint64, exists bool) {
	if l.live != nil {
		l.live.settle(i, exists)
	}
}

// Changes reports whether other streams add objects to the data set, or take some out, while this one works on it.
func (s *DataSet) Changes() bool { return s.live != nil }

// Shared reports whether other clients work on the same objects.
func (s *DataSet) Shared() bool { return s.Part.Total > 1 }

// whole is the share of a single client.
var whole = load.Share{Total: 1}

// hashOf returns a number that follows from a name.
func hashOf(name string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, name) // it never fails
	return h.Sum64()
}

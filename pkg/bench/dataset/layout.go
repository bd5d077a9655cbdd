package dataset

import (
	"hash/fnv"
	"io"
	"math"

	"warp/pkg/generator"
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
	names   uint64 // keys that have several versions, with an index for each version; 0: each index has its own key
	Keys    generator.Keys
	sizes   generator.Sizes
	buckets uint64 // that they are spread over; 0: one
	data    *generator.Data
}

// NewLayout returns the layout of a client's objects. seed is the client's own, shared is common to all. names is the number of keys if
// each has several versions, with an index each; 0: each index has a key of its own.
func NewLayout(spec generator.Spec, keys generator.Keys, seed, shared, names uint64) (*Layout, error) {
	data, err := spec.NewData(seed, shared)
	if err != nil {
		return nil, err
	}
	return &Layout{seed: seed, names: names, Keys: keys, sizes: spec.Sizes.Indexed(), buckets: uint64(spec.Buckets), data: data}, nil
}

// SeedOf returns the seed of a data set: that in its description, mixed with the number of the data set among all with the same
// description, or else fallback.
func SeedOf(spec generator.Spec, fallback uint64, number int) uint64 {
	switch {
	case spec.Seed == 0:
		return fallback
	case number == 0:
		return generator.Mix(spec.Seed, 1<<62)
	}
	return generator.Mix(generator.Mix(spec.Seed, 1<<62), uint64(number))
}

// Size returns the size of object i.
func (l *Layout) Size(i uint64) int64 { return l.sizes.At(l.seed, i) }

// Object returns object i, without ETag and version.
func (l *Layout) Object(i uint64) Object {
	return Object{Index: i, Key: l.Key(i), Bucket: l.BucketOf(i), Size: l.Size(i)}
}

// Key returns the key of object i. With versions, each key gets its first version before any gets its second.
func (l *Layout) Key(i uint64) string {
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

// Body returns a reader of the contents of the object given to its Reset.
func (l *Layout) Body() *generator.Body { return l.data.Body(0, 0) }

// Check returns a writer that compares what is written with the contents of the object given to its Reset.
func (l *Layout) Check() *generator.Checker { return l.data.Check(0, 0) }

// DuplicateBlock returns the size of the blocks that deduplication compares; some are duplicates.
func (l *Layout) DuplicateBlock() int64 { return l.data.DuplicateBlock() }

// Sampled returns a number from 0 to 1, a function of seed and index, to choose a share of the objects.
func (l *Layout) Sampled(i uint64) float64 { return float64(generator.Mix(l.seed, i)) / math.MaxUint64 }

// SizeSamples is the number of objects in the sample that estimates the size of a data set.
const SizeSamples = 1000

// EstimateSize returns the approximate size of the first n objects in bytes.
func (l *Layout) EstimateSize(n uint64) int64 {
	if n == 0 {
		return 0
	}
	sum, k := 0.0, min(n, SizeSamples)
	for i := range k {
		sum += float64(l.Size(i))
	}
	return int64(sum / float64(k) * float64(n))
}

// Hash returns a number that follows from a name.
func Hash(name string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, name) // it never fails
	return h.Sum64()
}

package dataset

import (
	"cmp"
	"slices"

	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/s3/ops"
)

// Found is a list of objects found in the bucket. Each costs some tens of bytes, and its key.
type Found struct {
	keys     []byte
	ends     []int // end of key i in keys
	sizes    []int64
	etags    []string // nil: they are not kept
	versions []string // likewise
	buckets  []uint16 // numbers of buckets; nil: all objects are in the first
	listed   uint64   // how many there were, including other clients' parts; the versions of an object count once
}

// Len returns the number of objects.
func (f *Found) Len() uint64 { return uint64(len(f.ends)) }

// Listed returns the number of objects in the bucket, including other clients'.
func (f *Found) Listed() uint64 { return f.listed }

// LacksETags reports whether the server states no ETag of an object.
func (f *Found) LacksETags() bool { return slices.Contains(f.etags, "") }

// LacksVersions reports whether the server states no ID of a version.
func (f *Found) LacksVersions() bool { return slices.Contains(f.versions, "") }

func (f *Found) add(bucket int, e ops.Entry) {
	f.keys = append(f.keys, e.Key...)
	f.ends = append(f.ends, len(f.keys))
	f.sizes = append(f.sizes, e.Size)
	if bucket > 0 || f.buckets != nil {
		f.buckets = append(append(f.buckets, make([]uint16, len(f.ends)-1-len(f.buckets))...), uint16(bucket)) //nolint:gosec // s3.MaxBuckets
	}
	if f.etags != nil {
		f.etags = append(f.etags, e.ETag)
	}
	if f.versions != nil {
		f.versions = append(f.versions, e.Version)
	}
}

func (f *Found) at(i uint64) Object {
	from := 0
	if i > 0 {
		from = f.ends[i-1]
	}
	o := Object{Key: string(f.keys[from:f.ends[i]]), Size: f.sizes[i]}
	if f.buckets != nil {
		o.Bucket = int(f.buckets[i])
	}
	if f.etags != nil {
		o.ETag = f.etags[i]
	}
	if f.versions != nil {
		o.Version = f.versions[i]
	}
	return o
}

// reorder sorts the objects by their numbers.
func (f *Found) reorder(numbers []uint64) *Found {
	places := make([]uint64, len(numbers))
	for i := range places {
		places[i] = uint64(i)
	}
	slices.SortStableFunc(places, func(a, b uint64) int { return cmp.Compare(numbers[a], numbers[b]) })
	g := &Found{listed: f.listed, keys: make([]byte, 0, len(f.keys)), etags: f.etags, versions: f.versions}
	if f.etags != nil {
		g.etags = []string{}
	}
	if f.versions != nil {
		g.versions = []string{}
	}
	for _, i := range places {
		o := f.at(i)
		g.add(o.Bucket, ops.Entry{Key: o.Key, Size: o.Size, ETag: o.ETag, Version: o.Version})
	}
	return g
}

// Choice says which listed objects are used.
type Choice struct {
	Objects  uint64     // at most; 0: all
	Versions uint64     // of each object, the latest ones; 0: objects are used by their keys alone
	ETags    bool       // keep them
	Part     load.Share // of the objects: all clients list the same ones, so their parts are disjoint

	// Number returns the number that a key in a bucket stands for. Objects come in its order; without one, or with one from Objects on, they
	// are left out. nil: objects come as they are listed.
	Number func(bucket int, key string) (uint64, bool)
}

// Find chooses objects from a listing of buckets. It passes listing a function that returns false when it needs no more. It leaves out
// directory markers and claims.
func Find(listing func(each func(bucket int, e ops.Entry) bool) error, c Choice) (*Found, error) {
	f := &finder{Choice: c, Found: &Found{}}
	if c.ETags {
		f.etags = []string{}
	}
	if c.Versions > 0 {
		f.versions = []string{}
	}
	err := listing(f.add)
	if c.Number != nil {
		return f.reorder(f.numbers), err
	}
	return f.Found, err
}

// finder is a choice in progress.
type finder struct {
	Choice
	*Found
	numbers []uint64 // with Number: of the objects that are kept
	last    string   // key of the object before
	bucket  int      // its bucket
	mine    bool     // it is kept
	kept    uint64   // objects
	latest  uint64   // versions of the last one
}

// add takes the next entry of the listing. It returns false if no more are needed.
func (f *finder) add(bucket int, e ops.Entry) bool {
	if n := len(e.Key); n == 0 || e.Key[n-1] == '/' || generator.IsClaim(e.Key) || e.Marker {
		return true
	}
	number, limit := uint64(0), f.Objects
	if f.Number != nil {
		var ok bool
		if number, ok = f.Number(bucket, e.Key); !ok || limit > 0 && number >= limit {
			return true
		}
		limit = 0
	}
	if another := f.Versions == 0 || f.listed == 0 || e.Key != f.last || bucket != f.bucket; another {
		if limit > 0 && f.kept == limit {
			return false
		}
		f.last, f.bucket, f.latest, f.mine = e.Key, bucket, 0, f.listed%f.Part.Total == f.Part.Index
		f.listed++
		if f.mine {
			f.kept++
		}
	}
	if f.mine && f.latest < max(1, f.Versions) {
		f.Found.add(bucket, e)
		f.latest++
		if f.Number != nil {
			f.numbers = append(f.numbers, number)
		}
	}
	return f.Versions > 0 || limit == 0 || f.kept < limit
}

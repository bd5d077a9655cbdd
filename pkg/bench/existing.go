package bench

import (
	"cmp"
	"context"
	"slices"

	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/s3"
)

// existing is a list of objects found in the bucket, held compactly: some tens of bytes each beside their keys.
type existing struct {
	keys     []byte
	ends     []int // end of key i in keys
	sizes    []int64
	etags    []string // nil: they are not kept
	versions []string // likewise
	listed   uint64   // how many there were, those of other parts too; of several versions, one counts
}

func (f *existing) len() uint64 { return uint64(len(f.ends)) }

func (f *existing) add(e s3.Entry) {
	f.keys = append(f.keys, e.Key...)
	f.ends = append(f.ends, len(f.keys))
	f.sizes = append(f.sizes, e.Size)
	if f.etags != nil {
		f.etags = append(f.etags, e.ETag)
	}
	if f.versions != nil {
		f.versions = append(f.versions, e.Version)
	}
}

func (f *existing) at(i uint64) Object {
	from := 0
	if i > 0 {
		from = f.ends[i-1]
	}
	o := Object{Key: string(f.keys[from:f.ends[i]]), Size: f.sizes[i]}
	if f.etags != nil {
		o.ETag = f.etags[i]
	}
	if f.versions != nil {
		o.Version = f.versions[i]
	}
	return o
}

// reorder puts the objects, which have these numbers, in the order of their numbers.
func (f *existing) reorder(numbers []uint64) *existing {
	places := make([]uint64, len(numbers))
	for i := range places {
		places[i] = uint64(i)
	}
	slices.SortStableFunc(places, func(a, b uint64) int { return cmp.Compare(numbers[a], numbers[b]) })
	g := &existing{listed: f.listed, keys: make([]byte, 0, len(f.keys)), etags: f.etags, versions: f.versions}
	if f.etags != nil {
		g.etags = []string{}
	}
	if f.versions != nil {
		g.versions = []string{}
	}
	for _, i := range places {
		o := f.at(i)
		g.add(s3.Entry{Key: o.Key, Size: o.Size, ETag: o.ETag, Version: o.Version})
	}
	return g
}

// find lists the objects below a prefix, and keeps those of a part, as many as the traits say, without directory markers and claims;
// with versions, the latest of each object. All clients list the same objects, so their parts are disjoint. With named it keeps those whose
// names have a number, in the order of these: the first ones, if the traits say how many.
func find(ctx context.Context, sess s3.Session, prefix string, named func(key string) (uint64, bool), t *Traits, part load.Share) (*existing, error) {
	f := &existing{}
	var numbers []uint64
	if t.If.needsETags() {
		f.etags = []string{}
	}
	if t.Versions > 0 {
		f.versions = []string{}
	}
	var last string         // key of the object before
	var kept, latest uint64 // objects that are kept, and versions of the last one that are
	mine := false           // the last one is kept
	err := pages(ctx, sess, s3.Listing{Prefix: prefix, Flat: t.Flat, ETags: f.etags != nil, All: t.Versions > 0}, func(e s3.Entry) bool {
		if n := len(e.Key); n == 0 || e.Key[n-1] == '/' || generator.IsClaim(e.Key) || e.Marker {
			return true
		}
		number, most := uint64(0), t.Objects
		if named != nil {
			var ok bool
			if number, ok = named(e.Key); !ok || most > 0 && number >= most {
				return true
			}
			most = 0
		}
		if another := t.Versions == 0 || f.listed == 0 || e.Key != last; another {
			if most > 0 && kept == most {
				return false
			}
			last, latest, mine = e.Key, 0, f.listed%part.Total == part.Index
			f.listed++
			if mine {
				kept++
			}
		}
		if mine && latest < max(1, t.Versions) {
			f.add(e)
			latest++
			if named != nil {
				numbers = append(numbers, number)
			}
		}
		return t.Versions > 0 || most == 0 || kept < most
	})
	if named != nil {
		f = f.reorder(numbers)
	}
	return f, err
}

// pages calls each for the entries of all pages of a listing, until it returns false.
func pages(ctx context.Context, sess s3.Session, l s3.Listing, each func(s3.Entry) bool) error {
	var c s3.Call
	for ; ; l.Token = l.Next {
		if err := RetryTemporary(ctx, func() error { return s3.List(ctx, sess, &c, &l) }); err != nil {
			return err
		}
		for _, e := range l.Entries {
			if !each(e) {
				return nil
			}
		}
		if l.Next == "" {
			return nil
		}
	}
}

package responder

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"warp/internal/clock"
)

// object is what is kept of an object.
type object struct {
	size     int64
	content  []byte // nil: zero bytes
	modified time.Time
	marker   bool    // it is a delete marker
	tags     []byte  // nil: it has none
	parts    []int64 // sizes of the parts that it was uploaded in; nil: in one piece
}

// bucket holds objects by key, and their keys in order, which are made anew when needed after a change.
type bucket struct {
	objects map[string]object
	sorted  []string
	stale   bool
}

type store struct {
	mu      sync.RWMutex
	buckets map[string]*bucket
}

func (s *store) init(names []string) {
	s.buckets = map[string]*bucket{}
	for _, n := range names {
		s.make(n)
	}
}

// make reports whether the bucket is new.
func (s *store) make(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.buckets[name] != nil {
		return false
	}
	s.buckets[name] = &bucket{objects: map[string]object{}}
	return true
}

func (s *store) exists(name string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.buckets[name] != nil
}

// remove returns the status of a DELETE of a bucket, and the S3 code of its error.
func (s *store) remove(name string) (status int, code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.buckets[name]
	switch {
	case b == nil:
		return http.StatusNotFound, "NoSuchBucket"
	case len(b.objects) > 0:
		return http.StatusConflict, "BucketNotEmpty"
	}
	delete(s.buckets, name)
	return http.StatusNoContent, ""
}

// put is false if there is no such bucket.
func (s *store) put(bucket, key string, size int64, content []byte) bool {
	return s.putObject(bucket, key, object{size: size, content: content})
}

// putObject is put of an object that was uploaded in parts, or in one piece.
func (s *store) putObject(bucket, key string, o object) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.buckets[bucket]
	if b == nil {
		return false
	}
	if _, old := b.objects[key]; !old {
		b.stale = true
	}
	o.modified = clock.Now()
	b.objects[key] = o
	return true
}

func (s *store) get(bucket, key string) (o object, found bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if b := s.buckets[bucket]; b != nil {
		o, found = b.objects[key]
	}
	return o, found && !o.marker
}

// tags gives the tags of an object, which it sets before if that is wanted.
func (s *store) tags(bucket, key string, set bool, tags []byte) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, found := object{marker: true}, false
	if b := s.buckets[bucket]; b != nil {
		o, found = b.objects[key]
	}
	if !found || o.marker {
		return nil, false
	}
	if set {
		o.tags = tags
		s.buckets[bucket].objects[key] = o
	}
	if o.tags == nil {
		return []byte("<Tagging><TagSet></TagSet></Tagging>"), true
	}
	return o.tags, true
}

// delete removes an object, or puts a delete marker in its place.
func (s *store) delete(bucket, key string, marker bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.buckets[bucket]
	if b == nil {
		return
	}
	b.stale = true
	if delete(b.objects, key); marker {
		b.objects[key] = object{modified: clock.Now(), marker: true}
	}
}

// page is a part of a listing.
type page struct {
	keys     []string
	objects  []object
	prefixes []string
	last     string // last key or prefix listed
	more     bool
}

// list reads at most limit keys and rolled-up prefixes after the given one; delete markers too if they are wanted.
func (s *store) list(name, prefix, delimiter, after string, limit int, markers bool) (p page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.buckets[name]
	if b == nil {
		return p
	}
	if b.stale {
		b.sorted, b.stale = slices.Sorted(maps.Keys(b.objects)), false
	}
	i, _ := slices.BinarySearch(b.sorted, max(prefix, after))
	for ; i < len(b.sorted) && strings.HasPrefix(b.sorted[i], prefix); i++ {
		key := b.sorted[i]
		if key <= after || rolledUp(key, after, delimiter) || b.objects[key].marker && !markers {
			continue
		}
		if len(p.keys)+len(p.prefixes) == limit {
			p.more = true
			return p
		}
		if head, _, found := strings.Cut(key[len(prefix):], delimiter); delimiter != "" && found {
			p.last = prefix + head + delimiter
			p.prefixes = append(p.prefixes, p.last)
			after = p.last
			continue
		}
		p.last = key
		p.keys, p.objects = append(p.keys, key), append(p.objects, b.objects[key])
	}
	return p
}

// rolledUp reports whether key is part of the prefix that was listed last.
func rolledUp(key, last, delimiter string) bool {
	return delimiter != "" && strings.HasSuffix(last, delimiter) && strings.HasPrefix(key, last)
}

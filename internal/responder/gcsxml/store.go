// Package gcsxml is Google Cloud Storage as the responder plays it, by its XML interface: with generations, conditions on all verbs, and
// signatures that are checked.
package gcsxml

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"warp/internal/responder"
)

// Store is the buckets of a project. It is a responder.Dialect.
type Store struct {
	Single bool // requests that delete several objects are refused, as regions have done

	mu         sync.Mutex
	buckets    map[string]map[string]*object
	uploads    map[string]*upload
	generation int64
}

var _ responder.Dialect = (*Store)(nil)

type object struct {
	generation int64
	size       int64
	content    []byte // nil: zero bytes
	etag       string
}

type upload struct {
	bucket, key string
	parts       map[int]*object
}

// New returns a store without buckets.
func New() *Store {
	return &Store{buckets: map[string]map[string]*object{}, uploads: map[string]*upload{}, generation: 1_795_594_363_038_512}
}

// next is the next generation; of an upload, its number.
func (s *Store) next() int64 {
	s.generation++
	return s.generation
}

// Create creates a bucket.
func (s *Store) Create(bucket string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.buckets[bucket] == nil {
		s.buckets[bucket] = map[string]*object{}
	}
}

// Buckets are the names of all buckets.
func (s *Store) Buckets() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.buckets))
}

// Visit calls a function for each object of a bucket.
func (s *Store) Visit(bucket string, visit func(key string, size int64)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(s.buckets[bucket])) {
		visit(key, s.buckets[bucket][key].size)
	}
}

// Uploads are the unfinished uploads of a bucket.
func (s *Store) Uploads(bucket string) (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, u := range s.uploads {
		if u.bucket == bucket {
			list = append(list, u.key+" "+id)
		}
	}
	slices.Sort(list)
	return list
}

// put makes an object the one of its key.
func (s *Store) put(bucket, key string, o object) *object {
	o.generation = s.next()
	o.etag = `"` + strconv.FormatInt(o.generation, 36) + `"`
	s.buckets[bucket][key] = &o
	return &o
}

// below returns the keys of a bucket from one on, in order.
func (s *Store) below(bucket, prefix, after string) (keys []string) {
	for key := range s.buckets[bucket] {
		if strings.HasPrefix(key, prefix) && key > after {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

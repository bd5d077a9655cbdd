// Package gcsjson has the responder speak Google Cloud Storage by its JSON interface, as its documentation describes it.
package gcsjson

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"warp/internal/clock"
)

// Token is what requests prove themselves with.
const Token = "ya29.responder"

// Options are settings of buckets, and ways of stores that a client must bear. The zero value is how buckets are created, without soft
// delete.
type Options struct {
	Token      string // that is good; empty: Token
	Public     bool   // requests without a token are performed
	Versions   bool   // buckets keep generations from the beginning
	SoftDelete bool
	Zonal      bool // buckets are in one zone, as Rapid has them

	EmptyPages bool          // each page of a listing that holds something follows an empty one
	Short      int64         // how many bytes fewer of each chunk are stored than were sent
	Rewrites   int           // how many requests of a rewrite are not the last one
	NameLimit  time.Duration // how long after a write its name cannot be written again
}

// Store is a project with its buckets. It is a responder.Dialect.
type Store struct {
	Options

	mu       sync.Mutex
	buckets  map[string]*bucket
	sessions map[string]*session
	made     uint64 // generations, sessions and tokens so far
}

// New returns a project without buckets.
func New(o Options) *Store {
	if o.Token == "" {
		o.Token = Token
	}
	return &Store{Options: o, buckets: map[string]*bucket{}, sessions: map[string]*session{}}
}

type bucket struct {
	versioned bool
	names     map[string]*name
}

// name is all there is of the name of an object.
type name struct {
	current *object   // nil: none
	older   []*object // from old to new
	deleted []*object // softly
	written time.Time
}

// object is a generation. What it holds does not change.
type object struct {
	key         string
	size        int64
	content     []byte // nil: it is not kept
	generation  uint64
	described   map[string]any
	contentType string
}

// next returns a number that was not there before.
func (s *Store) next() uint64 { s.made++; return 1795594363000000 + s.made }

// put makes an object the current one of its name.
func (s *Store) put(b *bucket, o *object) {
	n := b.names[o.key]
	if n == nil {
		n = &name{}
		b.names[o.key] = n
	}
	o.generation = s.next()
	s.retire(b, n)
	n.current, n.written = o, clock.Now()
}

// retire takes the current object of a name away: it becomes noncurrent, is softly deleted, or is gone.
func (s *Store) retire(b *bucket, n *name) {
	old := n.current
	n.current = nil
	switch {
	case old == nil:
	case b.versioned:
		n.older = append(n.older, old)
	case s.SoftDelete:
		n.deleted = append(n.deleted, old)
	}
}

// find returns a generation, or the current object; nil if it does not exist.
func (b *bucket) find(key, generation string) *object {
	n := b.names[key]
	if n == nil {
		return nil
	}
	if generation == "" {
		return n.current
	}
	for _, o := range append(slices.Clone(n.older), n.current) {
		if o != nil && generation == strconv.FormatUint(o.generation, 10) {
			return o
		}
	}
	return nil
}

// tidy forgets a name that nothing is left of.
func (b *bucket) tidy(key string) {
	if n := b.names[key]; n != nil && n.current == nil && len(n.older)+len(n.deleted) == 0 {
		delete(b.names, key)
	}
}

// holds reports whether there is anything in a bucket but what is softly deleted.
func (b *bucket) holds() bool {
	for _, n := range b.names {
		if n.current != nil || len(n.older) > 0 {
			return true
		}
	}
	return false
}

// Create creates a bucket, unless it exists.
func (s *Store) Create(bucketName string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.buckets[bucketName] == nil {
		s.buckets[bucketName] = s.newBucket()
	}
}

func (s *Store) newBucket() *bucket { return &bucket{versioned: s.Versions, names: map[string]*name{}} }

// Buckets are the names of all buckets, in order.
func (s *Store) Buckets() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.buckets))
}

// Visit calls a function for each generation of each object of a bucket.
func (s *Store) Visit(bucket string, visit func(key string, size int64)) {
	s.each(bucket, func(key string, n *name) {
		for _, o := range n.older {
			visit(key, o.size)
		}
		if n.current != nil {
			visit(key, n.current.size)
		}
	})
}

// Uploads are the resumable uploads of a bucket that are not done, each with its session.
func (s *Store) Uploads(bucket string) (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, u := range s.sessions {
		if u.bucket == bucket {
			list = append(list, u.object.key+" "+id)
		}
	}
	slices.Sort(list)
	return list
}

// Holds says all that a bucket holds: a line for each generation, and for each that is softly deleted.
func (s *Store) Holds(bucket string) (lines []string) {
	s.each(bucket, func(key string, n *name) {
		add := func(what string, all ...*object) {
			for _, o := range all {
				lines = append(lines, fmt.Sprintf("%s: %s, %d bytes, %d", key, what, o.size, o.generation))
			}
		}
		if n.current != nil {
			add("object", n.current)
		}
		add("noncurrent", n.older...)
		add("deleted", n.deleted...)
	})
	return lines
}

func (s *Store) each(bucket string, visit func(key string, n *name)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.buckets[bucket]; b != nil {
		for _, key := range slices.Sorted(maps.Keys(b.names)) {
			visit(key, b.names[key])
		}
	}
}

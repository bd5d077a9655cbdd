// Package azure has the responder speak Azure Blob Storage, as its documentation describes it. Signatures are checked by code of its own:
// neither engine's.
package azure

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"warp/internal/clock"
)

// The account, and its key, which Azure's emulators have too, and their documentation publishes.
const (
	Account = "devstoreaccount1"
	Key     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

// Options are settings of an account, and ways of stores that a client must bear. The zero value is an account as Azure creates it, without
// soft delete.
type Options struct {
	Directories bool // it has a hierarchical namespace
	Versions    bool
	SoftDelete  bool
	Public      bool   // requests without a proof are performed
	Token       string // a bearer token that is good; empty: none is

	EmptyPages   bool // each page of a listing that holds something follows an empty one
	Pending      int  // how many looks at a copy find it not done, unless the client waits for it
	BeingDeleted int  // how many times the name of a deleted container is refused
}

// Store is an account. It is a responder.Dialect.
type Store struct {
	Options

	mu         sync.Mutex
	containers map[string]*container
	deleting   map[string]int // how many times names of containers are still refused
	made       uint64         // ETags, versions, snapshots and leases so far
}

// New returns an account without containers.
func New(o Options) *Store {
	return &Store{Options: o, containers: map[string]*container{}, deleting: map[string]int{}}
}

// container holds what there is of each name.
type container struct{ names map[string]*name }

// name is all there is of the name of a blob.
type name struct {
	current   *blob   // nil: none
	versions  []*blob // earlier ones, from old to new
	snapshots []*blob
	deleted   []*blob // softly
	blocks    []block // not committed
	lease     string
}

func (n *name) empty() bool {
	return n.current == nil && len(n.versions)+len(n.snapshots)+len(n.deleted)+len(n.blocks) == 0
}

// blob is a blob, a version or a snapshot. What it holds does not change.
type blob struct {
	kind      string // BlockBlob, AppendBlob
	size      int64
	content   []byte // nil: it is not kept
	blocks    []block
	etag      string
	modified  time.Time
	version   string
	snapshot  string
	directory bool
	described map[string]string // headers that describe it, in lower case
	tags      []tag
	pending   int // looks until its copy is done
}

// block is a part of a blob.
type block struct {
	id      string
	size    int64
	content []byte
}

// next returns a number that was not there before.
func (s *Store) next() uint64 { s.made++; return s.made }

// stamp returns the name of a version or a snapshot, which is a time.
func (s *Store) stamp() string {
	begin := time.Date(2026, time.November, 25, 8, 0, 0, 0, time.UTC)
	return begin.Add(time.Duration(s.next()) * time.Microsecond).Format("2006-01-02T15:04:05.0000000Z")
}

// of returns what there is of a name, and makes room for it.
func (c *container) of(key string) *name {
	n := c.names[key]
	if n == nil {
		n = &name{}
		c.names[key] = n
	}
	return n
}

// tidy forgets a name that nothing is left of.
func (c *container) tidy(key string) {
	if n := c.names[key]; n != nil && n.empty() {
		delete(c.names, key)
	}
}

// put makes a blob the current one of a name. Blocks that are not committed are gone then.
func (s *Store) put(c *container, key string, b *blob) {
	n := c.of(key)
	b.etag, b.modified = fmt.Sprintf(`"0x8D%013X"`, s.next()), clock.Now()
	s.retire(n)
	if s.Versions {
		b.version = s.stamp()
	}
	n.current, n.blocks = b, nil
	if s.Directories {
		s.makeDirectories(c, key)
	}
}

// retire takes the current blob of a name away: it becomes a version, or is softly deleted, or is gone. It reports whether it is gone.
func (s *Store) retire(n *name) (gone bool) {
	old := n.current
	n.current = nil
	switch {
	case old == nil || old.directory:
	case s.Versions:
		n.versions = append(n.versions, old)
	case s.SoftDelete:
		n.deleted = append(n.deleted, old)
	default:
		return true
	}
	return false
}

// makeDirectories makes the directories above a blob.
func (s *Store) makeDirectories(c *container, key string) {
	for i := range key {
		if key[i] != '/' {
			continue
		}
		if n := c.of(key[:i]); n.current == nil {
			n.current = &blob{kind: "BlockBlob", directory: true, etag: fmt.Sprintf(`"0x8D%013X"`, s.next()), modified: clock.Now()}
		}
	}
}

// Create creates a container, unless it exists.
func (s *Store) Create(bucket string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.containers[bucket] == nil {
		s.containers[bucket] = &container{names: map[string]*name{}}
	}
}

// Buckets are the names of all containers, in order.
func (s *Store) Buckets() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.containers))
}

// Visit calls a function for each blob of a container and each of its versions, but not for directories.
func (s *Store) Visit(bucket string, visit func(key string, size int64)) {
	s.each(bucket, func(key string, n *name) {
		for _, b := range n.versions {
			visit(key, b.size)
		}
		if n.current != nil && !n.current.directory {
			visit(key, n.current.size)
		}
	})
}

// Uploads are the names that have blocks which are not committed, each with their number.
func (s *Store) Uploads(bucket string) (list []string) {
	s.each(bucket, func(key string, n *name) {
		if len(n.blocks) > 0 {
			list = append(list, key+" "+strconv.Itoa(len(n.blocks)))
		}
	})
	return list
}

// Holds says all that a container holds: a line for each blob, directory, version, snapshot, deleted blob, and for the blocks of a name.
func (s *Store) Holds(bucket string) (lines []string) {
	s.each(bucket, func(key string, n *name) {
		add := func(what string, all ...*blob) {
			for _, b := range all {
				lines = append(lines, fmt.Sprintf("%s: %s, %d bytes, %s%s%s", key, what, b.size, b.etag, b.version, b.snapshot))
			}
		}
		if b := n.current; b != nil && b.directory {
			add("directory", b)
		} else if b != nil {
			add("blob", b)
		}
		add("version", n.versions...)
		add("snapshot", n.snapshots...)
		add("deleted", n.deleted...)
		for _, b := range n.blocks {
			lines = append(lines, fmt.Sprintf("%s: block %s, %d bytes", key, b.id, b.size))
		}
	})
	return lines
}

func (s *Store) each(bucket string, visit func(key string, n *name)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.containers[bucket]
	if c == nil {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(c.names)) {
		visit(key, c.names[key])
	}
}

// below reports whether a directory holds anything.
func (c *container) below(directory string) bool {
	for key := range c.names {
		if strings.HasPrefix(key, directory+"/") {
			return true
		}
	}
	return false
}

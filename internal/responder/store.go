package responder

import (
	"cmp"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"warp/internal/clock"
)

// object is what is kept of an object.
type object struct {
	size      int64
	content   []byte // nil: zero bytes
	modified  time.Time
	marker    bool // it is a delete marker
	tags      []tag
	parts     []int64 // sizes of the parts that it was uploaded in; nil: in one piece
	etag      string  // empty: that of all objects; see Conditions
	renamedBy string  // token of the request that gave it its name

	version string    // empty: the bucket kept none when it was put
	older   *object   // the version before
	until   time.Time // it is locked until then, in governance mode
	hold    bool      // there is a legal hold on it
}

type tag struct{ Key, Value string }

// bucket holds objects by key, and their keys in order, which are made anew when needed after a change.
type bucket struct {
	objects map[string]object
	sorted  []string
	stale   bool

	versioned bool // it keeps versions
	lock      bool // versions can be locked
}

type store struct {
	mu       sync.RWMutex
	buckets  map[string]*bucket
	versions uint64 // made so far
}

func (s *store) init() { s.buckets = map[string]*bucket{} }

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

// set changes a bucket, if it is there.
func (s *store) set(name string, change func(*bucket)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.buckets[name]; b != nil {
		change(b)
	}
}

// is reports whether a bucket is there and has a property.
func (s *store) is(name string, property func(*bucket) bool) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	b := s.buckets[name]
	return b != nil && property(b)
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

// put stores an object and returns its version; false if there is no such bucket.
func (s *store) put(bucket, key string, size int64, content []byte) (version string, ok bool) {
	return s.putObject(bucket, key, object{size: size, content: content})
}

// putObject is put of an object that was uploaded in parts, or in one piece.
func (s *store) putObject(bucket, key string, o object) (version string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.buckets[bucket]
	if b == nil {
		return "", false
	}
	s.add(b, key, &o)
	return o.version, true
}

// add makes an object the current one of its key.
func (s *store) add(b *bucket, key string, o *object) {
	old, found := b.objects[key]
	if !found {
		b.stale = true
	}
	o.modified = clock.Now()
	if b.versioned {
		s.versions++
		o.version = "v" + strconv.FormatUint(s.versions, 36)
		if found {
			o.older = &old
		}
	}
	b.objects[key] = *o
}

// get returns an object, or a version of it.
func (s *store) get(bucket, key, version string) (o object, found bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	b := s.buckets[bucket]
	if b == nil {
		return o, false
	}
	if o, found = b.objects[key]; !found {
		return o, false
	}
	for at := &o; at != nil; at = at.older {
		if version == "" || version == at.id() {
			return *at, !at.marker
		}
	}
	return o, false
}

// change changes an object, or a version of it, and reports whether it is there.
func (s *store) change(bucket, key, version string, change func(*object)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.buckets[bucket]
	if b == nil {
		return false
	}
	current, found := b.objects[key]
	if !found {
		return false
	}
	for at := &current; at != nil; at = at.older {
		if version != "" && version != at.id() {
			continue
		}
		if at.marker {
			return false
		}
		change(at)
		b.objects[key] = current
		return true
	}
	return false
}

// delete removes an object, or puts a delete marker in its place. It reports whether that is permitted.
func (s *store) delete(bucket, key, version string, marker, bypass bool) (permitted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.buckets[bucket]
	if b == nil {
		return true
	}
	switch {
	case version != "":
		return b.deleteVersion(key, version, bypass)
	case b.versioned:
		s.add(b, key, &object{marker: true})
	default:
		b.stale = true
		if delete(b.objects, key); marker {
			b.objects[key] = object{modified: clock.Now(), marker: true}
		}
	}
	return true
}

// deleteVersion removes a version, unless it is locked.
func (b *bucket) deleteVersion(key, version string, bypass bool) (permitted bool) {
	current, found := b.objects[key]
	if !found {
		return true
	}
	var newer *object
	at := &current
	for at != nil && at.id() != version {
		newer, at = at, at.older
	}
	switch {
	case at == nil:
		return true
	case at.hold || at.until.After(clock.Now()) && !bypass:
		return false
	case newer != nil:
		newer.older = at.older
		b.objects[key] = current
	case at.older != nil:
		b.objects[key] = *at.older
	default:
		delete(b.objects, key)
		b.stale = true
	}
	return true
}

// page is a part of a listing.
type page struct {
	keys     []string
	objects  []object
	prefixes []string
	last     string // last key or prefix listed
	more     bool

	lastVersion string
}

// listing is what a listing is to hold.
type listing struct {
	prefix, delimiter string
	after, version    string // it begins after this key, or after this version of it
	limit             int
	versions          bool // and delete markers
}

// list reads at most limit keys and rolled-up prefixes after the given key; or versions, after a version of that key.
func (s *store) list(name string, l *listing) (p page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.buckets[name]
	if b == nil {
		return p
	}
	if b.stale {
		b.sorted, b.stale = slices.Sorted(maps.Keys(b.objects)), false
	}
	after := l.after
	i, _ := slices.BinarySearch(b.sorted, max(l.prefix, after))
	for ; i < len(b.sorted) && strings.HasPrefix(b.sorted[i], l.prefix); i++ {
		key := b.sorted[i]
		o := b.objects[key]
		first := &o
		switch {
		case key == after && l.version != "":
			for first != nil && first.id() != l.version {
				first = first.older
			}
			if first == nil || first.older == nil {
				continue
			}
			first = first.older
		case key <= after || rolledUp(key, after, l.delimiter) || o.marker && !l.versions:
			continue
		}
		if head, _, found := strings.Cut(key[len(l.prefix):], l.delimiter); l.delimiter != "" && found {
			if p.more = len(p.keys)+len(p.prefixes) == l.limit; p.more {
				return p
			}
			p.last = l.prefix + head + l.delimiter
			p.prefixes = append(p.prefixes, p.last)
			after = p.last
			continue
		}
		for at := first; at != nil; at = at.older {
			if p.more = len(p.keys)+len(p.prefixes) == l.limit; p.more {
				return p
			}
			p.last, p.lastVersion = key, at.id()
			p.keys, p.objects = append(p.keys, key), append(p.objects, *at)
			if !l.versions {
				break
			}
		}
	}
	return p
}

// rolledUp reports whether key is part of the prefix that was listed last.
func rolledUp(key, last, delimiter string) bool {
	return delimiter != "" && strings.HasSuffix(last, delimiter) && strings.HasPrefix(key, last)
}

// id returns the id of a version.
func (o *object) id() string { return cmp.Or(o.version, "null") }

func (o *object) reader(from, length int64) io.Reader { return Reader(o.content, from, length) }

// part returns the range of a part; false if the object has no such part.
func (o *object) part(number string) (from, length int64, ok bool) {
	n, err := strconv.Atoi(number)
	sizes := o.parts
	if len(sizes) == 0 {
		sizes = []int64{o.size}
	}
	if err != nil || n < 1 || n > len(sizes) {
		return 0, 0, false
	}
	for _, size := range sizes[:n-1] {
		from += size
	}
	return from, sizes[n-1], true
}

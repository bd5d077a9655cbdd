package dataset

import (
	"sync"
)

// ExtraBuckets are the extra buckets of a client in a data set.
type ExtraBuckets struct {
	Region string
	Named  bool // they are the data set's own buckets, which stay
	name   func(n int) string

	mu       sync.Mutex
	missing  []int // in the order of their creation: the last deleted comes last
	existing []int // likewise, to be deleted
	unknown  []int // their creation or deletion failed
}

// NewExtraBuckets returns extra buckets; no bucket exists yet.
func NewExtraBuckets(names func(int) string, number int, region string) *ExtraBuckets {
	e := &ExtraBuckets{Region: region, name: names}
	for n := range number {
		e.missing = append(e.missing, n)
	}
	return e
}

// Exist declares that all buckets exist.
func (e *ExtraBuckets) Exist() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.existing, e.missing = append(e.existing, e.missing...), nil
}

// Name returns the name of a bucket.
func (e *ExtraBuckets) Name(n int) string { return e.name(n) }

// ToCreate takes a bucket to create; ok is false if all exist or are being created. The caller reports the result to Created.
func (e *ExtraBuckets) ToCreate() (n int, ok bool) { return e.take(&e.missing) }

// ToDelete takes a bucket to delete; ok is false if there is no bucket. The caller reports the result to Deleted.
func (e *ExtraBuckets) ToDelete() (n int, ok bool) { return e.take(&e.existing) }

func (e *ExtraBuckets) take(from *[]int) (n int, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(*from) == 0 {
		return 0, false
	}
	n = (*from)[0]
	*from = (*from)[1:]
	return n, true
}

// Created records whether a bucket was created.
func (e *ExtraBuckets) Created(n int, err error) { e.settle(n, &e.existing, err) }

// Deleted records whether a bucket was deleted.
func (e *ExtraBuckets) Deleted(n int, err error) { e.settle(n, &e.missing, err) }

func (e *ExtraBuckets) settle(n int, to *[]int, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil {
		to = &e.unknown
	}
	*to = append(*to, n)
}

// Left returns the buckets to be removed, which may exist once no request is in flight.
func (e *ExtraBuckets) Left() (names []string) {
	if e.Named {
		return nil
	}
	for _, list := range [][]int{e.existing, e.unknown} {
		for _, n := range list {
			names = append(names, e.name(n))
		}
	}
	return names
}

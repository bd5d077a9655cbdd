package index

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/s2"
)

// run is a sorted file being merged.
type run struct {
	in           *bufio.Reader
	line         [entrySize]byte
	entry        entry
	major, minor uint64
	number       int
}

// next reads the next entry; false at the end.
func (r *run) next(by order) (bool, error) {
	if _, err := io.ReadFull(r.in, r.line[:]); err != nil {
		if err == io.EOF {
			return false, nil
		}
		return false, fmt.Errorf("read temporary file: %w", err)
	}
	r.entry.decode(r.line[:])
	r.major, r.minor = by(&r.entry)
	return true, nil
}

// before reports whether the entry of r comes before that of o.
func (r *run) before(o *run) bool {
	if r.major != o.major {
		return r.major < o.major
	}
	if r.minor != o.minor {
		return r.minor < o.minor
	}
	return r.number < o.number
}

// merge calls do for the entries of sorted files in order.
func merge(files []*os.File, by order, do func(*entry) error) error {
	var heap []*run
	for i, f := range files {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		in := s2.NewReader(f, s2.ReaderMaxBlockSize(spillSize), s2.ReaderAllocBlock(spillSize))
		r := &run{in: bufio.NewReaderSize(in, 16<<10), number: i}
		more, err := r.next(by)
		if err != nil {
			return err
		}
		if more {
			heap = append(heap, r)
		}
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		sink(heap, i, (*run).before)
	}
	for len(heap) > 0 {
		r := heap[0]
		if err := do(&r.entry); err != nil {
			return err
		}
		more, err := r.next(by)
		if err != nil {
			return err
		}
		if !more {
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		}
		sink(heap, 0, (*run).before)
	}
	return nil
}

// sink moves an element down the heap to its place.
func sink[R any](heap []R, i int, before func(a, b R) bool) {
	for {
		least := 2*i + 1
		if least >= len(heap) {
			return
		}
		if right := least + 1; right < len(heap) && before(heap[right], heap[least]) {
			least = right
		}
		if !before(heap[least], heap[i]) {
			return
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}

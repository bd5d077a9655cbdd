package index

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/s2"

	"warp/internal/heap"
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

// Before reports whether the entry of r comes before that of o.
func (r *run) Before(o *run) bool {
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
	var runs heap.Heap[*run]
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
			runs = append(runs, r)
		}
	}
	runs.Init()
	for len(runs) > 0 {
		r := runs[0]
		if err := do(&r.entry); err != nil {
			return err
		}
		more, err := r.next(by)
		if err != nil {
			return err
		}
		if more {
			runs.Fix()
		} else {
			runs.Pop()
		}
	}
	return nil
}

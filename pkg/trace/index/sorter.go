package index

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/klauspost/compress/s2"

	"warp/pkg/trace/internal/spill"
)

const (
	// sortMemory is the number of entries that are sorted in memory at a time: 40 MB.
	sortMemory = 1 << 19
	// sortFiles is the number of sorted files that are merged at a time. Each takes 200 KB of memory.
	sortFiles = 64
	spillSize = 64 << 10 // of blocks in a file
)

// sorter sorts entries, in temporary files if there are many. The sort is stable.
type sorter struct {
	by     order
	buf    []entry
	places []place
	memory int // number of entries; tests reduce it
	runs   []*os.File
	files  int   // number of files written
	spill  int64 // bytes written
}

// place is an entry in memory by its major key.
type place struct {
	major uint64
	at    uint32 // in the buffer
}

func newSorter(by order) *sorter { return &sorter{by: by, memory: sortMemory} }

// add adds an entry.
func (s *sorter) add(e *entry) error {
	if s.buf == nil { // at full size, since slices that grow leave garbage
		s.buf, s.places = make([]entry, 0, s.memory), make([]place, 0, s.memory)
	}
	if len(s.buf) == s.memory {
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.buf = append(s.buf, *e)
	return nil
}

// arrange sorts the places of the entries in memory.
func (s *sorter) arrange() {
	s.places = slices.Grow(s.places[:0], len(s.buf))
	for i := range s.buf {
		major, _ := s.by(&s.buf[i])
		s.places = append(s.places, place{major, uint32(i)})
	}
	slices.SortFunc(s.places, func(a, b place) int {
		if a.major != b.major {
			if a.major < b.major {
				return -1
			}
			return 1
		}
		_, x := s.by(&s.buf[a.at])
		_, y := s.by(&s.buf[b.at])
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return int(a.at) - int(b.at)
	})
}

// flush writes the entries in memory to a file, and merges files if there are many.
func (s *sorter) flush() error {
	s.arrange()
	err := s.write(func(put func(*entry) error) error {
		for _, p := range s.places {
			if err := put(&s.buf[p.at]); err != nil {
				return err
			}
		}
		return nil
	})
	s.buf = s.buf[:0]
	if err != nil || len(s.runs) < 2*sortFiles {
		return err
	}
	first := s.runs[:sortFiles]
	s.runs = slices.Clone(s.runs[sortFiles:])
	err = s.write(func(put func(*entry) error) error { return merge(first, s.by, put) })
	if n := len(s.runs); err == nil {
		s.runs = slices.Insert(s.runs[:n-1], 0, s.runs[n-1]) // its entries were added first
	}
	return errors.Join(err, spill.Close(first...))
}

// write writes entries to a new file.
func (s *sorter) write(each func(put func(*entry) error) error) (err error) {
	f, err := spill.File()
	if err != nil {
		return err
	}
	s.runs = append(s.runs, f)
	s.files++
	w := s2.NewWriter(f, s2.WriterBlockSize(spillSize), s2.WriterConcurrency(1))
	line := make([]byte, 0, entrySize)
	err = each(func(e *entry) error {
		_, err := w.Write(e.append(line[:0]))
		return err
	})
	if err = errors.Join(err, w.Close()); err != nil {
		return fmt.Errorf("write temporary file: %w", err)
	}
	size, err := f.Seek(0, io.SeekCurrent)
	s.spill += size
	return err
}

// each calls do for all entries in order. Nothing can be added afterwards.
func (s *sorter) each(do func(*entry) error) error {
	if len(s.runs) == 0 {
		s.arrange()
		for _, p := range s.places {
			if err := do(&s.buf[p.at]); err != nil {
				return err
			}
		}
		s.buf, s.places = nil, nil
		return nil
	}
	if len(s.buf) > 0 {
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.buf, s.places = nil, nil
	return merge(s.runs, s.by, do)
}

// close removes the files.
func (s *sorter) close() error {
	err := spill.Close(s.runs...)
	s.runs = nil
	return err
}

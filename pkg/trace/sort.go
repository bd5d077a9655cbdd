package trace

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/klauspost/compress/s2"

	"warp/pkg/op"
)

// entry is an event as it is sorted.
type entry struct {
	object  uint64 // a hash of bucket and key, or its number
	start   int64
	size    int64
	offset  int64
	length  int64
	latency int64
	place   uint64 // in the files
	client  uint32
	status  uint16
	detail  uint16 // number of a part, Listed of a listing, kind of a copy for its source
	kind    uint8  // index in Kinds, or kindSource
	missing bool   // the object is not there by then
}

const entrySize = 7*8 + 10

// op returns what the entry is; it must not be of a source.
func (e *entry) op() op.Kind { return Kinds[e.kind] }

func (e *entry) append(b []byte) []byte {
	for _, v := range [...]uint64{e.object, uint64(e.start), uint64(e.size), uint64(e.offset), uint64(e.length), uint64(e.latency), e.place} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	b = binary.LittleEndian.AppendUint32(b, e.client)
	b = binary.LittleEndian.AppendUint16(b, e.status)
	b = binary.LittleEndian.AppendUint16(b, e.detail)
	flag := byte(0)
	if e.missing {
		flag = 1
	}
	return append(b, e.kind, flag)
}

func (e *entry) decode(b []byte) {
	word := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[8*i:])) }
	e.object, e.start, e.size, e.offset, e.length, e.latency = uint64(word(0)), word(1), word(2), word(3), word(4), word(5)
	e.place = uint64(word(6))
	e.client, e.status = binary.LittleEndian.Uint32(b[56:]), binary.LittleEndian.Uint16(b[60:])
	e.detail, e.kind, e.missing = binary.LittleEndian.Uint16(b[62:]), b[64], b[65] != 0
}

// order is by what entries are sorted: by a first number, and then by a second one.
type order func(e *entry) (major, minor uint64)

// byObject sorts by object, and those of an object by time.
func byObject(e *entry) (major, minor uint64) { return e.object, uint64(e.start) ^ 1<<63 }

// byTime sorts by time, and what is of one time as it is in the files.
func byTime(e *entry) (major, minor uint64) { return uint64(e.start) ^ 1<<63, e.place }

const (
	// sortMemory is how many entries are sorted in memory at a time; 40 MB.
	sortMemory = 1 << 19
	// sortFiles is how many sorted files are merged at a time; each takes 200 KB.
	sortFiles = 64
	spillSize = 64 << 10 // of blocks in a file
)

// sorter sorts entries, in temporary files if there are many. Entries that are equal stay in the order in which they came.
type sorter struct {
	by     order
	buf    []entry
	places []place
	memory int // entries; sortMemory but in tests
	runs   []*os.File
	files  int // that were written
	spill  int64
}

// place is where an entry belongs.
type place struct {
	major uint64
	at    uint32 // in the buffer
}

func newSorter(by order) *sorter { return &sorter{by: by, memory: sortMemory} }

// add adds an entry.
func (s *sorter) add(e *entry) error {
	if s.buf == nil { // at once: slices that grow leave garbage of the same size
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

// arrange sorts the places of what is in memory.
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

// flush writes what is in memory to a file, and merges files if they are many.
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
		s.runs = slices.Insert(s.runs[:n-1], 0, s.runs[n-1]) // it holds what came first
	}
	return errors.Join(err, closeFiles(first))
}

// write makes a file of entries.
func (s *sorter) write(each func(put func(*entry) error) error) (err error) {
	f, err := tempFile()
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

// tempFile makes a file without a name, where the system allows that, so that nothing is left of it however the process ends.
func tempFile() (*os.File, error) {
	f, err := os.CreateTemp("", "warp-trace-*")
	if err != nil {
		return nil, fmt.Errorf("make temporary file: %w", err)
	}
	_ = os.Remove(f.Name())
	return f, nil
}

func closeFiles(files []*os.File) (err error) {
	for _, f := range files {
		err = errors.Join(err, f.Close())
		_ = os.Remove(f.Name()) // where it could not be removed while it was open
	}
	return err
}

// each calls do for all entries in order, and ends the sorter.
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
	err := closeFiles(s.runs)
	s.runs = nil
	return err
}

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

// merge calls do for the entries of sorted files, in order.
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

// sink moves a run down the heap to its place.
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

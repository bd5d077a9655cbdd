package trace

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/klauspost/compress/s2"
)

// nameFile is a temporary file of names, each with the hash of its object.
type nameFile struct {
	file *os.File
	out  *s2.Writer
	in   *bufio.Reader
	line []byte

	hash uint64 // of the name that was read last
	name []byte
}

func newNameFile() (*nameFile, error) {
	f, err := tempFile()
	if err != nil {
		return nil, err
	}
	return &nameFile{file: f, out: s2.NewWriter(f, s2.WriterBlockSize(spillSize), s2.WriterConcurrency(1))}, nil
}

// add writes a name.
func (f *nameFile) add(hash uint64, name []byte) error {
	f.line = binary.AppendUvarint(binary.LittleEndian.AppendUint64(f.line[:0], hash), uint64(len(name)))
	f.line = append(f.line, name...)
	if _, err := f.out.Write(f.line); err != nil {
		return fmt.Errorf("write temporary file: %w", err)
	}
	return nil
}

// rewind ends writing, and begins to read.
func (f *nameFile) rewind() error {
	if err := f.out.Close(); err != nil {
		return fmt.Errorf("write temporary file: %w", err)
	}
	f.out = nil
	_, err := f.file.Seek(0, io.SeekStart)
	f.in = bufio.NewReaderSize(s2.NewReader(f.file, s2.ReaderMaxBlockSize(spillSize), s2.ReaderAllocBlock(spillSize)), 16<<10)
	return err
}

// next reads the next name; false at the end.
func (f *nameFile) next() (bool, error) {
	var hash [8]byte
	if _, err := io.ReadFull(f.in, hash[:]); err == io.EOF {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("read temporary file: %w", err)
	}
	f.hash = binary.LittleEndian.Uint64(hash[:])
	n, err := binary.ReadUvarint(f.in)
	if err == nil {
		f.name = slices.Grow(f.name[:0], int(n))[:n]
		_, err = io.ReadFull(f.in, f.name)
	}
	if err != nil {
		return false, fmt.Errorf("read temporary file: %w", err)
	}
	return true, nil
}

// before reports whether the name that f is at comes before that of o.
func (f *nameFile) before(o *nameFile) bool { return f.hash < o.hash }

// close removes the file.
func (f *nameFile) close() error { return closeFiles([]*os.File{f.file}) }

// nameMemory is how many bytes of names are sorted in memory at a time.
const nameMemory = 16 << 20

// nameSorter sorts names by the hashes of their objects, in temporary files.
type nameSorter struct {
	text   []byte
	list   []nameAt
	memory int      // bytes of text
	recent []uint64 // hashes that were added, which need not be added again
	runs   []*nameFile
	merged nameMerge
}

// nameAt is where a name is in memory.
type nameAt struct {
	hash       uint64
	begin, end uint32
}

func newNameSorter(memory int) *nameSorter {
	return &nameSorter{memory: memory, recent: make([]uint64, 1<<16)}
}

// add adds the name of an object, by its hash: the bucket, if it is known, and the key.
func (s *nameSorter) add(hash uint64, bucket, key []byte) error {
	slot := &s.recent[hash%uint64(len(s.recent))]
	if *slot == hash && hash != 0 {
		return nil
	}
	*slot = hash
	const most = MaxName + 256 // a longer one is shortened
	if len(s.text)+most > s.memory && len(s.list) > 0 {
		if err := s.flush(); err != nil {
			return err
		}
	}
	begin := len(s.text)
	if len(bucket) > 0 {
		s.text = append(append(s.text, bucket...), '/')
	}
	s.text = append(s.text, key...)
	if len(s.text)-begin > MaxName {
		s.text = append(s.text[:begin], Storable(string(s.text[begin:]), MaxName)...)
	}
	s.list = append(s.list, nameAt{hash, uint32(begin), uint32(len(s.text))})
	return nil
}

// flush writes what is in memory to a file, and merges files if they are many.
func (s *nameSorter) flush() error {
	slices.SortFunc(s.list, func(a, b nameAt) int { return cmp.Compare(a.hash, b.hash) })
	f, err := newNameFile()
	if err != nil {
		return err
	}
	s.runs = append(s.runs, f)
	for i, n := range s.list {
		if i > 0 && n.hash == s.list[i-1].hash {
			continue
		}
		if err := f.add(n.hash, s.text[n.begin:n.end]); err != nil {
			return err
		}
	}
	s.list, s.text = s.list[:0], s.text[:0]
	if len(s.runs) < 2*sortFiles {
		return nil
	}
	first := s.runs[:sortFiles]
	if f, err = newNameFile(); err != nil {
		return err
	}
	s.runs = append(slices.Clone(s.runs[sortFiles:]), f)
	m := nameMerge{}
	err = m.begin(first)
	for more := err == nil; more && err == nil; {
		if more, err = m.next(); more && err == nil {
			err = f.add(m.hash, m.name)
		}
	}
	return errors.Join(err, closeNames(first))
}

// begin ends adding; find may be called then.
func (s *nameSorter) begin() error {
	if err := s.flush(); err != nil {
		return err
	}
	s.list, s.text, s.recent = nil, nil, nil
	return s.merged.begin(s.runs)
}

// find returns the name of an object, valid until the next call. Hashes must come in their order.
func (s *nameSorter) find(hash uint64) ([]byte, error) {
	m := &s.merged
	for !m.any || m.hash < hash {
		if more, err := m.next(); err != nil || !more {
			return nil, errors.Join(err, errUnnamed)
		}
	}
	if m.hash != hash {
		return nil, errUnnamed
	}
	return m.name, nil
}

var errUnnamed = errors.New("an object has no name") // of a damaged file

// close removes the files.
func (s *nameSorter) close() error {
	err := closeNames(s.runs)
	s.runs = nil
	return err
}

func closeNames(files []*nameFile) (err error) {
	for _, f := range files {
		err = errors.Join(err, f.close())
	}
	return err
}

// nameMerge reads sorted files of names together, each hash once.
type nameMerge struct {
	heap []*nameFile
	any  bool // one was read
	hash uint64
	name []byte
}

func (m *nameMerge) begin(files []*nameFile) error {
	for _, f := range files {
		if err := f.rewind(); err != nil {
			return err
		}
		more, err := f.next()
		if err != nil {
			return err
		}
		if more {
			m.heap = append(m.heap, f)
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		sink(m.heap, i, (*nameFile).before)
	}
	return nil
}

// next goes on to the next name; false at the end.
func (m *nameMerge) next() (bool, error) {
	for len(m.heap) > 0 {
		f := m.heap[0]
		same := m.any && f.hash == m.hash
		if !same {
			m.any, m.hash, m.name = true, f.hash, append(m.name[:0], f.name...)
		}
		more, err := f.next()
		if err != nil {
			return false, err
		}
		if !more {
			m.heap[0] = m.heap[len(m.heap)-1]
			m.heap = m.heap[:len(m.heap)-1]
		}
		if sink(m.heap, 0, (*nameFile).before); !same {
			return true, nil
		}
	}
	return false, nil
}

package index

import (
	"cmp"
	"errors"
	"slices"

	"warp/pkg/trace"
)

// nameMemory is the number of bytes of names that are sorted in memory at a time.
const nameMemory = 16 << 20

// nameSorter sorts names by the hashes of their objects, in temporary files.
type nameSorter struct {
	text   []byte
	list   []nameAt
	memory int      // bytes of text
	recent []uint64 // cache of hashes that were added, which need not be added again
	runs   []*nameFile
	merged nameMerge
}

// nameAt is the place of a name in memory.
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
	const most = trace.MaxName + 256 // longer names are shortened
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
	if len(s.text)-begin > trace.MaxName {
		s.text = append(s.text[:begin], trace.Storable(string(s.text[begin:]), trace.MaxName)...)
	}
	s.list = append(s.list, nameAt{hash, uint32(begin), uint32(len(s.text))})
	return nil
}

// flush writes the names in memory to a file, and merges files if there are many.
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

// begin ends adding, and prepares for find.
func (s *nameSorter) begin() error {
	if err := s.flush(); err != nil {
		return err
	}
	s.list, s.text, s.recent = nil, nil, nil
	return s.merged.begin(s.runs)
}

// find returns the name of an object, valid until the next call. Calls must be in ascending order of hashes.
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

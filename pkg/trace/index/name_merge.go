package index

import "warp/internal/heap"

// nameMerge merges sorted files of names, each hash once.
type nameMerge struct {
	files heap.Heap[*nameFile]
	any   bool // one was read
	hash  uint64
	name  []byte
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
			m.files = append(m.files, f)
		}
	}
	m.files.Init()
	return nil
}

// next advances to the next name; it returns false at the end.
func (m *nameMerge) next() (bool, error) {
	for len(m.files) > 0 {
		f := m.files[0]
		same := m.any && f.hash == m.hash
		if !same {
			m.any, m.hash, m.name = true, f.hash, append(m.name[:0], f.name...)
		}
		more, err := f.next()
		if err != nil {
			return false, err
		}
		if more {
			m.files.Fix()
		} else {
			m.files.Pop()
		}
		if !same {
			return true, nil
		}
	}
	return false, nil
}

package index

// nameMerge merges sorted files of names, each hash once.
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

// next advances to the next name; it returns false at the end.
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

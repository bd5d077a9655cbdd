package index

import (
	"errors"

	"warp/pkg/trace"
)

// nameTable sorts the names of objects by the numbers of the objects, in temporary files. A nil table does nothing.
type nameTable struct {
	sorted *nameSorter
	hash   *nameHash // nil: names are not hashed
	text   []byte
	first  *nameFile // of objects that must exist first
	rest   *nameFile // of all others
}

func newNameTable(names trace.Names, memory int) (t *nameTable, err error) {
	t = &nameTable{sorted: newNameSorter(memory)}
	if names == trace.HashedNames {
		t.hash = newNameHash()
	}
	if t.first, err = newNameFile(); err == nil {
		t.rest, err = newNameFile()
	}
	if err != nil {
		return nil, errors.Join(err, t.close())
	}
	return t, nil
}

// add adds the name of an object, by its hash.
func (t *nameTable) add(object uint64, bucket, key []byte) error {
	if t == nil {
		return nil
	}
	return t.sorted.add(object, bucket, key)
}

// begin ends adding.
func (t *nameTable) begin() error {
	if t == nil {
		return nil
	}
	return t.sorted.begin()
}

// number assigns the name of an object or a prefix to the next number of its kind.
func (t *nameTable) number(g *group) error {
	if t == nil {
		return nil
	}
	name, err := t.sorted.find(g.hash)
	if err != nil {
		return err
	}
	if t.hash != nil {
		if g.listed {
			t.text = t.hash.appendPrefix(t.text[:0], name)
		} else {
			t.text = t.hash.appendTo(t.text[:0], name)
		}
		if len(t.text) > trace.MaxName {
			t.text = append(t.text[:0], trace.Storable(string(t.text), trace.MaxName)...)
		}
		name = t.text
	}
	to := t.rest
	if g.readSeen {
		to = t.first
	}
	return to.add(0, name)
}

// write writes all names.
func (t *nameTable) write(out *trace.Writer) error {
	if t == nil {
		return nil
	}
	for _, f := range []*nameFile{t.first, t.rest} {
		if err := f.rewind(); err != nil {
			return err
		}
		for more := true; more; {
			var err error
			if more, err = f.next(); more && err == nil {
				err = out.Name(f.name)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// close removes the files.
func (t *nameTable) close() (err error) {
	if t == nil {
		return nil
	}
	for _, f := range []*nameFile{t.first, t.rest} {
		if f != nil {
			err = errors.Join(err, f.close())
		}
	}
	return errors.Join(err, t.sorted.close())
}

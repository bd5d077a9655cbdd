package trace

import (
	"context"
	"fmt"
	"slices"

	"warp/pkg/op"
)

// sources are the objects of other parts that are copied in one part. Each becomes an object of this part that must exist first, and is
// numbered after the others of that kind.
type sources struct {
	places map[sourceOf]int
	list   []foreignSource
}

// sourceOf identifies a source. An object that is copied at several sizes was overwritten in between, and is several sources.
type sourceOf struct {
	object uint64
	size   int64 // Unknown: parts of it are copied
}

// foreignSource is an object of another part.
type foreignSource struct {
	object uint64
	size   int64
}

// maxSources is the maximum number of sources in all parts together.
const maxSources = 1 << 20

// sourceSize returns the minimum size of the source of a copy.
func sourceSize(o *Operation) int64 {
	switch {
	case o.Length > 0:
		return max(0, o.Offset) + o.Length
	case o.Kind == op.CopyPart && o.Size <= 0:
		return MinPart
	}
	return max(0, o.Size)
}

func keyOfSource(o *Operation) sourceOf {
	k := sourceOf{uint64(o.Source), Unknown}
	if o.Kind == op.Copy {
		k.size = o.Size
	}
	return k
}

// findSources finds the sources of copies that lie in another part than the copy.
func (d *division) findSources(ctx context.Context) error {
	if !slices.ContainsFunc(d.whole.Kinds, func(k KindSummary) bool { return k.Kind.Copies() }) {
		return nil
	}
	d.sources = make([]sources, len(d.writers))
	found := 0
	return d.each(ctx, func(o *Operation) error {
		if o.Source < 0 {
			return nil
		}
		part, _ := d.place(o.Object)
		if from, _ := d.place(uint64(o.Source)); from == part {
			return nil
		}
		s, key, size := &d.sources[part], keyOfSource(o), sourceSize(o)
		if k, ok := s.places[key]; ok {
			s.list[k].size = max(s.list[k].size, size)
			return nil
		}
		if found++; found > maxSources {
			const text = "the trace copies more than %d objects to objects of other parts; divide it into fewer parts, or replay it on one machine"
			return fmt.Errorf(text, maxSources)
		}
		if s.places == nil {
			s.places = map[sourceOf]int{}
		}
		s.places[key] = len(s.list)
		s.list = append(s.list, foreignSource{uint64(o.Source), size})
		return nil
	})
}

// extra returns the number of sources in a part.
func (d *division) extra(part int) uint64 {
	if d.sources == nil {
		return 0
	}
	return uint64(len(d.sources[part].list))
}

// source returns the number in a part of the object that one of its operations copies.
func (d *division) source(part int, o *Operation) uint64 {
	from, number := d.place(uint64(o.Source))
	if from == part {
		return number
	}
	own := uint64(d.summaries[part].Objects.First) - d.extra(part)
	return own + uint64(d.sources[part].places[keyOfSource(o)])
}

// writeSources writes the sizes of all sources: they follow the sizes of the other objects that must exist first.
func (d *division) writeSources() error {
	for part := range d.sources {
		o := &d.summaries[part].Objects
		for _, s := range d.sources[part].list {
			o.Count, o.First, o.FirstBytes = o.Count+1, o.First+1, o.FirstBytes+s.size
			if err := d.writers[part].Object(s.size); err != nil {
				return err
			}
		}
	}
	return nil
}

// nameSources writes the names of all sources.
func (d *division) nameSources() error {
	for part := range d.sources {
		for _, s := range d.sources[part].list {
			name, err := d.whole.Name(s.object)
			if err != nil {
				return err
			}
			if err := d.writers[part].Name([]byte(Storable(fmt.Sprintf("%s~%d", name, s.size), MaxName))); err != nil {
				return err
			}
		}
	}
	return nil
}

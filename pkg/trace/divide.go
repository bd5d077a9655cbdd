package trace

import (
	"context"
	"fmt"
	"io"
	"slices"

	"warp/pkg/units"
)

// Divide divides a trace into one part for each writer. A part has some of the objects, all of their operations at the times of the whole
// trace, and as much of the summary as a replay needs. The source of a copy that lies in another part is duplicated: the part of the copy
// has an object of the same size. Memory is about 0.5 MiB for each part, plus at most 100 MB for such sources.
func Divide(ctx context.Context, p *Player, outs []io.Writer) ([]*Summary, error) {
	if n := int64(len(outs)); p.Objects.Numbers() < n {
		objects := units.Plural(p.Objects.Numbers(), "object")
		return nil, fmt.Errorf("the trace has %s, fewer than the %d parts it is divided into", objects, n)
	}
	d := &division{whole: p, first: uint64(max(0, p.Objects.First))}
	for range outs {
		s := &Summary{Reading: Reading{Formats: p.Formats}, Selection: p.Selection, Begin: p.Begin, Span: p.Span}
		for _, k := range p.Kinds {
			s.Kinds = append(s.Kinds, KindSummary{Kind: k.Kind})
		}
		d.summaries = append(d.summaries, s)
	}
	d.summaries[0].OtherKinds = p.OtherKinds
	enc, err := newEncoder()
	if err != nil {
		return nil, err
	}
	for _, out := range outs {
		d.writers = append(d.writers, newWriter(out, enc))
	}
	if err := d.findSources(ctx); err != nil {
		return nil, err
	}
	if err := d.objects(ctx); err != nil {
		return nil, err
	}
	if err := d.operations(ctx); err != nil {
		return nil, err
	}
	for i, w := range d.writers {
		if d.summaries[i].Operations == 0 {
			return nil, fmt.Errorf("part %d of the trace has no operation; use fewer parts", i+1)
		}
		if err := w.End(d.summaries[i]); err != nil {
			return nil, err
		}
	}
	return d.summaries, nil
}

// division is a trace that is being divided.
type division struct {
	whole     *Player
	first     uint64 // number of objects that must exist first
	writers   []*Writer
	summaries []*Summary
	sources   []sources // by part; nil: the trace has no copies
}

// place returns the part of an object, and its number there. In each part the objects that must exist first have the lowest numbers.
func (d *division) place(object uint64) (part int, number uint64) {
	parts := uint64(len(d.writers))
	if object < d.first {
		return int(object % parts), object / parts
	}
	part = int((object - d.first) % parts)
	before := (d.first + parts - 1 - uint64(part)) / parts // objects of its part that must exist first
	return part, before + d.extra(part) + (object-d.first)/parts
}

// objects writes the sizes of the objects that must exist first, and the names.
func (d *division) objects(ctx context.Context) error {
	for n := range uint64(d.whole.Objects.Numbers()) {
		part, _ := d.place(n)
		o := &d.summaries[part].Objects
		o.Count++
		if n >= d.first {
			continue
		}
		size, err := d.whole.Size(n)
		if err != nil {
			return err
		}
		o.First, o.FirstBytes = o.First+1, o.FirstBytes+size
		if err := d.writers[part].Object(size); err != nil {
			return err
		}
	}
	if err := d.writeSources(); err != nil || !d.whole.Named() {
		return err
	}
	return d.names(ctx)
}

// names writes the names of all objects. The names of sources follow the names of objects that must exist first.
func (d *division) names(ctx context.Context) error {
	all := uint64(d.whole.Objects.Numbers())
	for n := range all {
		if n%PerBlock == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if n == d.first {
			if err := d.nameSources(); err != nil {
				return err
			}
		}
		name, err := d.whole.Name(n)
		if err != nil {
			return err
		}
		part, _ := d.place(n)
		if err := d.writers[part].Name([]byte(name)); err != nil {
			return err
		}
	}
	if d.first < all {
		return nil
	}
	return d.nameSources()
}

// operations writes all operations.
func (d *division) operations(ctx context.Context) error {
	return d.each(ctx, func(o *Operation) error {
		part, number := d.place(o.Object)
		s := d.summaries[part]
		s.Operations++
		k := slices.IndexFunc(s.Kinds, func(k KindSummary) bool { return k.Kind == o.Kind })
		if k < 0 {
			return errDamaged
		}
		s.Kinds[k].Operations++
		own := *o
		own.Object = number
		if o.Source >= 0 {
			own.Source = int64(d.source(part, o))
		}
		return d.writers[part].Operation(&own)
	})
}

// each calls do for all operations, in order of time.
func (d *division) each(ctx context.Context, do func(*Operation) error) error {
	for n := range uint64(d.whole.Operations) {
		if n%PerBlock == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		o, err := d.whole.Operation(n)
		if err != nil {
			return err
		}
		if err := do(o); err != nil {
			return err
		}
	}
	return nil
}

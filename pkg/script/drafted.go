package script

import (
	"reflect"
	"strings"
)

// Drafted makes errors of the scenario refer to the text of another tool, its source. A value without a place gets that of
// its parent; at is the outermost place. It returns an error about values that no scenario can hold.
func (f *File) Drafted(from *Source, at Pos) error {
	from.drafted = true
	f.source = from
	c := &complaints{source: from}
	placeWithin(reflect.ValueOf(f).Elem(), at, func(v *Value) {
		if strings.ContainsFunc(v.Text, unreadable) {
			c.add(v.Pos, "", "invalid value %q (want text on one line, without control characters)", v.Text)
		}
	})
	return c.err()
}

// placeWithin gives each part of v that has no place that of its parent, and calls do for each value.
func placeWithin(v reflect.Value, at Pos, do func(*Value)) {
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			placeWithin(v.Index(i), at, do)
		}
	case reflect.Struct:
		h, ok := v.Addr().Interface().(hasNote)
		if !ok || v.IsZero() { // an absent one stays so
			return
		}
		if n := h.note(); n.Pos.IsZero() {
			n.Pos = at
		}
		if value, ok := h.(*Value); ok {
			do(value)
			return
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !f.Anonymous {
				placeWithin(v.Field(i), h.note().Pos, do)
			}
		}
	}
}

// Add adds a key to an operation: a parameter, or one that all operations have.
func (do *Do) Add(p Param) {
	v := reflect.ValueOf(do).Elem()
	if f, ok := fieldsOf(v.Type()).lookup(p.Name); ok && len(p.Values) == 1 {
		if value, ok := v.Field(f.index).Addr().Interface().(*Value); ok {
			*value = p.Values[0]
			return
		}
	}
	do.Params = append(do.Params, p)
}

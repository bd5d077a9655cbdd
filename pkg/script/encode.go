package script

import (
	"reflect"
	"slices"
)

// nodeOf returns the tree of a value of the file's structs; nil for what is absent.
func nodeOf(v reflect.Value) *node {
	switch from := v.Addr().Interface().(type) {
	case *Value:
		if from.IsZero() {
			return nil
		}
		return &node{text: from.Text, note: &from.Note}
	case *DataSets:
		n := &node{kind: mapping, always: true}
		for i := range *from {
			set := &(*from)[i]
			val := nodeOf(reflect.ValueOf(set).Elem())
			if val == nil {
				val = &node{kind: mapping}
			}
			val.note = &set.Note
			n.pairs = append(n.pairs, pair{key: set.Name, val: val})
		}
		return orNil(n, len(n.pairs))
	case *Phase:
		if from.Parallel != nil {
			n := listOf(reflect.ValueOf(from.Parallel), true)
			n.note = &from.Note
			return n
		}
	case *Do:
		return doNode(from)
	}
	if v.Kind() == reflect.Slice {
		if v.Len() == 0 {
			return nil
		}
		_, phases := v.Interface().([]Phase)
		_, do := v.Interface().([]Do)
		return listOf(v, phases || do && v.Len() > 1)
	}
	n := structNode(v)
	if ph, ok := v.Addr().Interface().(*Phase); ok && n != nil {
		n.always = ph.step() == "run" || ph.step() == "repeat"
	}
	return n
}

// orNil returns the node, or nil if it is empty.
func orNil(n *node, size int) *node {
	if size == 0 {
		return nil
	}
	return n
}

func listOf(v reflect.Value, block bool) *node {
	n := &node{kind: list, always: block}
	for i := range v.Len() {
		item := nodeOf(v.Index(i))
		if item == nil {
			item = &node{kind: mapping}
		}
		n.items = append(n.items, item)
	}
	return n
}

// structNode returns the tree of a struct: a scalar, if that is all it holds.
func structNode(v reflect.Value) *node {
	n := &node{kind: mapping, note: v.Addr().Interface().(hasNote).note()}
	fs := fieldsOf(v.Type())
	for _, f := range fs.list {
		val := nodeOf(v.Field(f.index))
		if val == nil {
			continue
		}
		if f.one && val.kind == list && len(val.items) == 1 {
			val = val.items[0]
		}
		n.pairs = append(n.pairs, pair{key: f.key, val: val})
	}
	if fs.rest >= 0 {
		n.pairs = append(n.pairs, paramPairs(v.Field(fs.rest).Interface().([]Param))...)
	}
	if short, ok := fs.short(); ok && len(n.pairs) == 1 && n.pairs[0].key == short.key {
		return withNote(n.pairs[0].val, n.note)
	}
	return orNil(n, len(n.pairs))
}

// withNote returns a node with the comments of another one too, whose place it takes.
func withNote(n *node, outer *Note) *node {
	note := *outer
	if n.note != nil {
		if n.note.Head != "" {
			note.Head = appendLine(note.Head, n.note.Head, "\n")
		}
		if n.note.Line != "" {
			note.Line = appendLine(note.Line, n.note.Line, "; ")
		}
	}
	n.note = &note
	return n
}

// doNode returns the tree of an operation: its name and its data set come first.
func doNode(do *Do) *node {
	op := nodeOf(reflect.ValueOf(&do.Set).Elem())
	if op == nil {
		op = &node{kind: empty}
	}
	n := structNode(reflect.ValueOf(do).Elem())
	if n == nil {
		if op.kind == empty {
			return &node{text: do.Op, note: &do.Note}
		}
		n = &node{kind: mapping, note: &do.Note}
	}
	n.pairs = slices.Insert(n.pairs, 0, pair{key: do.Op, val: op})
	return n
}

func paramPairs(params []Param) (pairs []pair) {
	for i := range params {
		p := &params[i]
		var val *node
		if len(p.Values) == 1 {
			val = withNote(&node{text: p.Values[0].Text, note: &p.Values[0].Note}, &p.Note)
		} else {
			val = listOf(reflect.ValueOf(p.Values), false)
			val.note = &p.Note
		}
		pairs = append(pairs, pair{key: p.Name, val: val})
	}
	return pairs
}

package script

import (
	"reflect"
	"slices"
	"strings"
)

// attach gives each comment to a node: one behind a line to the outermost node that begins there, one alone on its line to
// the next node. Comments below everything are the file's Foot.
func attach(f *File, comments []comment) {
	var notes []*Note
	walkNotes(reflect.ValueOf(f).Elem(), func(n *Note) { notes = append(notes, n) })
	for _, n := range f.Sections {
		notes = append(notes, n)
	}
	notes = slices.DeleteFunc(notes, func(n *Note) bool { return n.Pos.IsZero() })
	slices.SortStableFunc(notes, func(a, b *Note) int { return a.Pos.compare(b.Pos) })
	for _, c := range comments {
		if !c.alone {
			i := slices.IndexFunc(notes, func(n *Note) bool { return n.Pos.Line == c.line && n != &f.Note })
			if i >= 0 {
				notes[i].Line = appendLine(notes[i].Line, c.text, "; ")
				continue
			}
		}
		i := slices.IndexFunc(notes, func(n *Note) bool { return n.Pos.Line > c.line })
		if i < 0 {
			f.Foot = appendLine(f.Foot, c.text, "\n")
			continue
		}
		notes[i].Head = appendLine(notes[i].Head, c.text, "\n")
	}
}

func appendLine(text, line, sep string) string {
	if text == "" {
		return line
	}
	return text + sep + line
}

// walkNotes calls do for the notes of a value and of all that it holds, outer ones first.
func walkNotes(v reflect.Value, do func(*Note)) {
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			walkNotes(v.Index(i), do)
		}
	case reflect.Struct:
		h, ok := v.Addr().Interface().(hasNote)
		if !ok {
			return
		}
		do(h.note())
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !f.Anonymous {
				walkNotes(v.Field(i), do)
			}
		}
	}
}

// commentLines returns a comment as lines of a file.
func commentLines(indent, text string) (lines []string) {
	if text == "" {
		return nil
	}
	for l := range strings.SplitSeq(text, "\n") {
		lines = append(lines, strings.TrimRight(indent+"# "+l, " "))
	}
	return lines
}

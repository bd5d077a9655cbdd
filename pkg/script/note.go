package script

import (
	"cmp"
	"fmt"
)

// Pos is a position in a file; the zero value means that it is unknown.
type Pos struct {
	Line, Column int // from 1; columns count characters
}

// IsZero reports whether the place is not known.
func (p Pos) IsZero() bool { return p.Line == 0 }

func (p Pos) compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// Note is a node's place in its file, and what comments say about it.
type Note struct {
	Head string // comment above the node, without "#"; may have several lines
	Line string // comment behind its first line, or above it where it has none of its own
	Pos  Pos
}

func (n *Note) note() *Note { return n }

// hasNote is what embeds a Note.
type hasNote interface{ note() *Note }

// Value is a scalar as it is written: variables of the form ${NAME} and ${NAME:-default} are not yet expanded.
// The zero value is that of a key which is absent.
type Value struct {
	Text string
	Note
}

// Text returns the value that is written so.
func Text(text string) Value { return Value{Text: text} }

// Textf returns a formatted value.
func Textf(format string, args ...any) Value { return Value{Text: fmt.Sprintf(format, args...)} }

// Texts returns a list of values.
func Texts(texts ...string) (list []Value) {
	for _, t := range texts {
		list = append(list, Text(t))
	}
	return list
}

// IsZero reports whether the key is absent.
func (v Value) IsZero() bool { return v.Text == "" && v.Pos.IsZero() }

// With returns the value with a comment behind it.
func (v Value) With(comment string) Value {
	v.Note.Line = comment
	return v
}

// At returns the value with a place in a file.
func (v Value) At(p Pos) Value {
	v.Pos = p
	return v
}

package script

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/option"
)

// place is a node of a file.
type place struct {
	pos  Pos
	path string
}

// indexed returns the path of an item of a list.
func indexed(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }

// joined returns the path of a key; the path of the file itself is empty.
func joined(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Complaint is a mistake in a file.
type Complaint struct {
	Pos  Pos
	Path string // of the node, as in phases[1].do[0].weight; may be empty
	Text string // what is wrong, and what was expected
}

// Error is all that is wrong with a file.
type Error struct {
	Complaints []Complaint // in the order of the file
	source     *Source
}

// maxComplaints is how many complaints an error prints.
const maxComplaints = 10

// Error returns the first complaints, each with the line that it is about, and the number of the others.
func (e *Error) Error() string {
	var b strings.Builder
	for i, c := range e.Complaints {
		if i > 0 {
			b.WriteByte('\n')
		}
		if i == maxComplaints {
			fmt.Fprintf(&b, "and %d more", len(e.Complaints)-i)
			break
		}
		e.source.write(&b, c)
	}
	return b.String()
}

// complaints collects what is wrong with a file.
type complaints struct {
	source *Source
	list   []Complaint
}

// add adds a complaint. Those beyond the first of a place are consequences of it.
func (c *complaints) add(pos Pos, path, format string, args ...any) {
	path = c.source.path(pos, path)
	if !pos.IsZero() && slices.ContainsFunc(c.list, func(o Complaint) bool { return o.Pos == pos && o.Path == path }) {
		return
	}
	c.list = append(c.list, Complaint{pos, path, fmt.Sprintf(format, args...)})
}

// report complains about errors of options where they were set, and about others at pos.
func (c *complaints) report(err error, at map[string]place, pos Pos, path string) {
	if err == nil {
		return
	}
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range list.Unwrap() {
			c.report(e, at, pos, path)
		}
		return
	}
	var o *option.Error
	if errors.As(err, &o) {
		for _, name := range o.Names {
			if p, ok := at[name]; ok {
				if p.pos.IsZero() { // it follows from what the file does not say
					p.pos = pos
				}
				c.once(Complaint{p.pos, p.path, o.Err.Error()})
				return
			}
		}
	}
	c.once(Complaint{pos, path, err.Error()})
}

// once adds a complaint that is not there yet: all operations on a data set have the same about it.
func (c *complaints) once(one Complaint) {
	one.Path = c.source.path(one.Pos, one.Path)
	if !slices.Contains(c.list, one) {
		c.list = append(c.list, one)
	}
}

// err returns all complaints as one error, in the order of the file; nil without any.
func (c *complaints) err() error {
	slices.SortStableFunc(c.list, func(a, b Complaint) int { return a.Pos.compare(b.Pos) })
	return c.source.Error(c.list...)
}

package script

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/option"
	"warp/pkg/units"
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
	source     *source
}

// source is a file's text, for excerpts.
type source struct {
	name  string
	lines []string
}

func newSource(name string, text []byte) *source {
	return &source{name, strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")}
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

// write writes a complaint: its place, its text, and the line with a mark below its column.
func (s *source) write(b *strings.Builder, c Complaint) {
	if s != nil {
		b.WriteString(s.name + ":")
	}
	if !c.Pos.IsZero() {
		fmt.Fprintf(b, "%d:%d:", c.Pos.Line, c.Pos.Column)
	}
	if s != nil || !c.Pos.IsZero() {
		b.WriteByte(' ')
	}
	if c.Path != "" {
		b.WriteString(c.Path + ": ")
	}
	b.WriteString(c.Text)
	if s == nil || c.Pos.Line < 1 || c.Pos.Line > len(s.lines) {
		return
	}
	line := []rune(units.Line(s.lines[c.Pos.Line-1]))
	column := min(max(c.Pos.Column, 1), len(line)+1)
	cut := max(0, min(column-maxExcerpt/2, len(line)-maxExcerpt)) // of a long line, what is around the column
	line = line[cut:min(len(line), cut+maxExcerpt)]
	number := fmt.Sprintf("%6d | ", c.Pos.Line)
	fmt.Fprintf(b, "\n%s%s\n%s| %s^", number, string(line), strings.Repeat(" ", len(number)-2), strings.Repeat(" ", column-cut-1))
}

// maxExcerpt is the maximum length, in characters, of a line in a complaint.
const maxExcerpt = 110

// complaints collects what is wrong with a file.
type complaints struct {
	source *source
	list   []Complaint
}

// add adds a complaint. Those beyond the first of a place are consequences of it.
func (c *complaints) add(pos Pos, path, format string, args ...any) {
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
	if !slices.Contains(c.list, one) {
		c.list = append(c.list, one)
	}
}

// err returns all complaints as one error, in the order of the file; nil without any.
func (c *complaints) err() error {
	if len(c.list) == 0 {
		return nil
	}
	slices.SortStableFunc(c.list, func(a, b Complaint) int { return a.Pos.compare(b.Pos) })
	return &Error{c.list, c.source}
}

package script

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"warp/pkg/units"
)

// Source is the text of a file, for errors: a scenario, or the file of another tool.
type Source struct {
	name    string
	lines   []string
	drafted bool           // it is the file of another tool
	options map[Pos]string // names of that tool's options, by the places of their values
	secrets *regexp.Regexp // its last group is hidden; nil: there are none
}

// NewSource returns the text of a file; the name is for errors.
func NewSource(name, text string) *Source {
	return &Source{name: name, lines: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")}
}

// Name names the option whose value is at a place.
func (s *Source) Name(at Pos, option string) {
	if s.options == nil {
		s.options = map[Pos]string{}
	}
	s.options[at] = option
}

// Hide makes errors show the values of secret options as asterisks.
func (s *Source) Hide(options ...string) {
	names := []string{"AWS_[A-Z_]*", "WARP_[A-Z_]*KEY"}
	for _, o := range options {
		names = append(names, regexp.QuoteMeta(o))
	}
	s.secrets = regexp.MustCompile(`(?:^|[\s"'{;,<.-])(?:` + strings.Join(names, "|") + `)["']?(?:\s*[:=]\s*|\s+)["']?([^\s"';,}<]+)`)
}

// Error returns mistakes in the file as one error; nil without any.
func (s *Source) Error(list ...Complaint) error {
	if len(list) == 0 {
		return nil
	}
	for i := range list {
		list[i].Path = s.path(list[i].Pos, list[i].Path)
	}
	return &Error{list, s}
}

// write writes a complaint: its place, its text, and the line with a mark below its column.
func (s *Source) write(b *strings.Builder, c Complaint) {
	if s != nil {
		b.WriteString(s.name + ":")
	}
	if !c.Pos.IsZero() {
		fmt.Fprintf(b, "%d:", c.Pos.Line)
	}
	if c.Pos.Column > 0 {
		fmt.Fprintf(b, "%d:", c.Pos.Column)
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
	line := []rune(s.masked(units.Line(s.lines[c.Pos.Line-1])))
	column := min(max(c.Pos.Column, 1), len(line)+1)
	cut := max(0, min(column-maxExcerpt/2, len(line)-maxExcerpt)) // of a long line, what is around the column
	line = line[cut:min(len(line), cut+maxExcerpt)]
	number := fmt.Sprintf("%6d | ", c.Pos.Line)
	fmt.Fprintf(b, "\n%s%s", number, string(line))
	if c.Pos.Column > 0 {
		fmt.Fprintf(b, "\n%s| %s^", strings.Repeat(" ", len(number)-2), strings.Repeat(" ", column-cut-1))
	}
}

// maxExcerpt is the maximum length, in characters, of a line in a complaint.
const maxExcerpt = 110

// path names what is at a place: in the file of another tool the option, or the last key of the path.
func (s *Source) path(at Pos, path string) string {
	if s == nil || !s.drafted {
		return path
	}
	if option, ok := s.options[at]; ok {
		return option
	}
	if key := path[strings.LastIndexByte(path, '.')+1:]; !strings.HasSuffix(key, "]") {
		return key
	}
	return ""
}

// masked returns a line without secrets, in its length.
func (s *Source) masked(line string) string {
	if s.secrets == nil {
		return line
	}
	found := s.secrets.FindAllStringSubmatchIndex(line, -1)
	for _, at := range slices.Backward(found) {
		line = line[:at[2]] + strings.Repeat("*", utf8.RuneCountInString(line[at[2]:at[3]])) + line[at[3]:]
	}
	return line
}

package trace

import (
	"bytes"
	"unicode"
)

// spaces is the separator that stands for white space, with quotes and brackets around texts.
const spaces = 0

// separators are those of columns, in the order in which they are tried.
var separators = []byte{'\t', spaces, ',', ';', '|'}

// findSeparator finds the separator by a line of values: the first by which the columns are there and a time is where it should be. It
// reports false if there is none, so that the next line decides.
func (p *columnParser) findSeparator(line []byte) bool {
	most := 0
	for at := range p.places {
		most = max(most, at+1)
	}
	for _, p.sep = range separators {
		if p.count(line) < most {
			continue
		}
		p.split(line)
		stamp := p.fields["time"]
		if stamp == nil {
			stamp = p.fields["end"]
		}
		if _, _, ok := anyTime(stamp); ok {
			return true
		}
	}
	p.sep = spaces
	if bytes.IndexByte(line, '\t') >= 0 {
		p.sep = '\t'
	}
	return false
}

// count returns the number of columns.
func (p *columnParser) count(line []byte) (n int) {
	for rest := line; rest != nil; n++ {
		_, rest = p.cut(rest)
	}
	return n
}

// isHeading reports whether a line has names of columns, and no values: none of its columns begins with a digit, whatever separates them.
func isHeading(line []byte) bool {
	inside := false
	for _, r := range string(line) {
		switch {
		case unicode.IsLetter(r), r == '_', r == '-', r == '.', r == '(', r == ')', r == '/':
			inside = true
		case unicode.IsDigit(r):
			if !inside {
				return false
			}
		default:
			inside = false
		}
	}
	return true
}

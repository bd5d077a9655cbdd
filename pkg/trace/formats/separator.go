package formats

import "unicode"

// spaces is the separator that stands for white space, with quotes and brackets around texts.
const spaces = 0

// separators are the possible separators of columns, in the order of trials.
var separators = []byte{'\t', spaces, ',', ';', '|'}

// isHeading reports whether a line has names of columns, not values: no column begins with a digit, whatever separates columns.
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

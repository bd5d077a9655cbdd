package units

import (
	"strings"
	"unicode"
)

// Line takes control characters out of what servers and files said, so that it stays on one line and cannot steer the
// terminal.
func Line(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

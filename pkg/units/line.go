package units

import (
	"strings"
	"unicode"
)

// Line takes control characters out of what servers and files said, so that it stays on one line, in the order in which
// it was written, and cannot steer the terminal.
func Line(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

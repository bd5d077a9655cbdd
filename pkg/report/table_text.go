package report

import (
	"strings"

	"warp/pkg/units"
)

// formulas are the characters that formulas begin with, in full width too.
const formulas = "=+-@\uff1d\uff0b\uff0d\uff20"

// tableText returns a text as a cell of a table that people open in a spreadsheet: on one line, and with an
// apostrophe first where a spreadsheet would take it for a formula. Labels, phases and errors come from scenarios and
// stores of others. Numbers are no texts: -1 stays -1.
func tableText(text string) string {
	text = units.Line(text)
	if strings.IndexAny(strings.TrimLeft(text, " "), formulas) == 0 {
		return "'" + text
	}
	return text
}

package terminal

import (
	"math"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// The colours of a bar: what is done, and what is not.
const (
	sgrDone  = "\x1b[32m"
	sgrRest  = "\x1b[90m"
	sgrReset = "\x1b[0m"
)

// DrawBar draws a progress bar with blanks at both ends; fraction is from 0 to 1. Each colour is switched once.
func DrawBar(cells int, fraction float64, colored, ascii bool) string {
	done, tip, rest := "━", "╸", "─"
	if ascii {
		done, tip, rest = "=", ">", "-"
	}
	var green, grey, reset string
	if colored {
		green, grey, reset = sgrDone, sgrRest, sgrReset
	}
	if cells -= 2; cells <= 0 {
		return strings.Repeat(" ", max(cells+2, 0))
	}
	n := int(math.Ceil(fraction * float64(cells)))
	filled := grey
	if n > 0 {
		filled = green + strings.Repeat(done, n-1) + tip + grey
	}
	return " " + filled + strings.Repeat(rest, cells-n) + reset + " "
}

// Cells returns the number of columns that a text takes on a terminal: East Asian characters take two, combining and control characters
// none.
func Cells(s string) int { return ansi.StringWidth(s) }

// Shorten cuts s to a number of cells, with a mark where something is missing.
func Shorten(s string, cells int) string {
	const mark = ".."
	switch {
	case Cells(s) <= cells:
		return s
	case cells <= len(mark):
		return mark[:max(0, cells)]
	}
	return strings.TrimRight(ansi.Truncate(s, cells-len(mark), ""), " ") + mark
}

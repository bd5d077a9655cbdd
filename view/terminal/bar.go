package terminal

import (
	"math"
	"strings"
	"unicode"

	"golang.org/x/text/width"
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

// Cells is how many columns of a terminal a text takes: East Asian characters take two, combining and control characters none.
func Cells(s string) (n int) {
	for _, r := range s {
		switch kind := width.LookupRune(r).Kind(); {
		case ' ' <= r && r <= '~':
			n++
		case kind == width.EastAsianWide || kind == width.EastAsianFullwidth:
			n += 2
		case !unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Cc):
			n++
		}
	}
	return n
}

// Shorten cuts s to a number of cells, with a mark where something is missing.
func Shorten(s string, cells int) string {
	if Cells(s) <= cells {
		return s
	}
	const mark = ".."
	if cells <= len(mark) {
		return mark[:max(0, cells)]
	}
	for cut, r := range s {
		if cells -= Cells(string(r)); cells < len(mark) {
			return strings.TrimRight(s[:cut], " ") + mark
		}
	}
	return s
}

package terminal

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/cheggaaa/pb/v3"
	"github.com/mattn/go-runewidth"
)

// The library of the bar counts lines as two columns in an East Asian locale; ansi, and most terminals, count one.
func init() { runewidth.DefaultCondition.EastAsianWidth = false }

// The colours of a bar: what is done, and what is not.
const (
	sgrDone  = "\x1b[32m"
	sgrRest  = "\x1b[90m"
	sgrReset = "\x1b[0m"
)

// BarLine is a line of exactly this width: a name, a bar, how much of 1 is done in percent, and how long it will take. The bar gets the
// columns that the others leave. The library draws the line, and no more: its writer, with a goroutine of its own, is never started.
func BarLine(width int, name string, fraction float64, left string, colored, ascii bool) string {
	bar := barTemplate(colored, ascii).New(100).SetCurrent(int64(fraction * 100)) // 100% only for all of it
	return bar.SetWidth(width).Set("name", name).Set("left", left).String()
}

// barTemplate has the arguments of the library's bar: left end, done, tip, rest, right end, left end if nothing is done. Each colour is
// switched once.
func barTemplate(colored, ascii bool) pb.ProgressBarTemplate {
	done, tip, rest := "━", "╸", "─"
	if ascii {
		done, tip, rest = "=", ">", "-"
	}
	var green, grey, reset string
	if colored {
		green, grey, reset = sgrDone, sgrRest, sgrReset
	}
	return pb.ProgressBarTemplate(fmt.Sprintf(`{{string . "name"}}{{bar . %q %q %q %q %q %q}} {{percent . "%%3.0f%%%%"}}{{string . "left"}}`,
		" "+green, done, tip+grey, rest, reset+" ", " "+grey))
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

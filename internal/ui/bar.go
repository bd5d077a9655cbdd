package ui

import (
	"io"
	"strconv"
	"strings"

	"github.com/cheggaaa/pb/v3"
)

// bar draws one line with a progress bar that takes the room which the texts leave.
type bar struct{ pb *pb.ProgressBar }

// barSteps is the resolution of a bar, finer than any terminal is wide.
const barSteps = 100_000

// The colours of a bar: what is done, and what is not.
const (
	sgrDone  = "\x1b[32m"
	sgrRest  = "\x1b[90m"
	sgrReset = "\x1b[0m"
)

// newBar makes a bar. It is drawn on request and never by itself, so the writer of the library is not used.
func newBar(colored, ascii bool) *bar {
	done, tip, rest := "━", "╸", "─"
	if ascii {
		done, tip, rest = "=", ">", "-"
	}
	// The borders are blanks, since the library wants them a cell wide; colours ride on them and on the tip, so that
	// each is switched once and not for every cell.
	left, leftEmpty, right := " ", " ", " "
	if colored {
		left, leftEmpty = " "+sgrDone, " "+sgrRest
		tip += sgrRest
		right = sgrReset + " "
	}
	args := make([]string, 0, 6)
	for _, s := range []string{left, done, tip, rest, right, leftEmpty} {
		args = append(args, strconv.Quote(s))
	}
	b := pb.New(barSteps).SetWriter(io.Discard)
	b.SetTemplateString(`{{string . "before"}}{{bar . ` + strings.Join(args, " ") + `}}{{string . "after"}}`)
	return &bar{b}
}

// line draws the bar between two texts, in width cells; fraction is from 0 to 1.
func (b *bar) line(before, after string, width int, fraction float64) string {
	b.pb.Set("before", before).Set("after", after).SetWidth(width)
	return b.pb.SetCurrent(int64(fraction * barSteps)).String()
}

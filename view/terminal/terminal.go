package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/fatih/color"
)

// Widths of the terminal in columns.
const (
	minWidth    = 20  // below, nothing can be laid out
	narrowWidth = 60  // below, words are saved so that a bar remains
	maxWidth    = 120 // above, a line is hard to follow with the eye
)

// ANSI sequences. A frame is one write: it goes back to the start of the block, overwrites line by line and clears only
// what is left over, so nothing flickers.
const (
	hideCursor = "\x1b[?25l"
	showCursor = "\x1b[?25h"
	clearLine  = "\x1b[K" // from the cursor to the end of the line
	clearBelow = "\x1b[J" // from the cursor to the end of the screen
)

// terminal draws a block of lines that is redrawn in place; messages stay above it.
type terminal struct {
	mu     sync.Mutex
	w      io.Writer
	paint  palette
	opts   Options
	now    Current
	height int    // lines of the block on the screen
	reveal func() // tells the guard that the cursor is shown again; nil: it is not hidden
}

func newTerminal(w io.Writer, o Options) *terminal {
	return &terminal{w: w, paint: newPalette(o.Color), opts: o}
}

func (t *terminal) Stage(s Stage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := t.end()
	t.now = Current{Stage: s, active: true}
	t.draw(lines)
}

func (t *terminal) Update(u Update) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.now.active {
		return
	}
	t.now.Last = u
	t.draw("")
}

func (t *terminal) Message(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.draw(Fold(message(text), max(t.opts.Width(), minWidth)-1)) // the last column stays free
}

func (t *terminal) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.draw(t.end())
}

// end gives the line that stays of the stage, if there is one, and forgets the stage.
func (t *terminal) end() string {
	if !t.now.active {
		return ""
	}
	t.now.active = false
	return t.now.Summary() + "\n"
}

// draw prints whole lines where the block is and the block anew below them. Without a stage there is no block, and the
// cursor is as it was found.
func (t *terminal) draw(above string) {
	var frame strings.Builder
	var lines []string
	if t.now.active {
		lines = t.block()
		if t.reveal == nil {
			t.reveal = t.opts.Guard.hold(change{Undo: leaveLine})
			frame.WriteString(hideCursor)
		}
	}
	if t.height > 0 {
		frame.WriteByte('\r')
		if t.height > 1 {
			fmt.Fprintf(&frame, "\x1b[%dA", t.height-1)
		}
	}
	frame.WriteString(strings.ReplaceAll(above, "\n", clearLine+"\n"))
	frame.WriteString(strings.Join(lines, clearLine+"\n"))
	if t.height > 0 || len(lines) > 0 {
		frame.WriteString(clearBelow)
	}
	revealed := func() {}
	if !t.now.active && t.reveal != nil {
		frame.WriteString(showCursor)
		revealed, t.reveal = t.reveal, nil
	}
	t.height = len(lines)
	if frame.Len() > 0 {
		io.WriteString(t.w, frame.String())
	}
	revealed()
}

// block is the lines of the stage. The last column stays free, because some terminals wrap when it is written.
func (t *terminal) block() []string {
	width := min(max(t.opts.Width(), minWidth), maxWidth) - 1
	u := &t.now.Last
	var lines []string
	if list := t.now.PhaseList(width); list != "" {
		lines = append(lines, t.paint.faint(list))
	}
	lines = append(lines, t.head(width))
	if len(u.Kinds) == 0 {
		all := Kind{"", u.Errors, u.BytesPerSec, u.ObjPerSec, u.P50, u.P99}
		return append(lines, rows([]Kind{all}, width, t.paint)...)
	}
	all := Kind{"All", u.Errors, u.BytesPerSec, u.ObjPerSec, u.P50, u.P99}
	return append(lines, rows(append([]Kind{all}, u.Kinds...), width, t.paint)...)
}

// head is the line with the bar; without a known end, how much was done and for how long.
func (t *terminal) head(width int) string {
	name := t.now.Title()
	if threads := t.now.Last.threads(); threads != "" {
		name += ", " + threads
	}
	name = Shorten(name, width*2/5)
	left := t.now.Remaining()
	f, known := t.now.Fraction()
	if !known {
		text := t.now.Amount()
		if left != "" {
			text = left
		} else if e := t.now.Last.Elapsed; e > 0 {
			text += "  " + elapsed(e)
		}
		return t.paint.strong(name) + "  " + Shorten(text, width-Cells(name)-2)
	}
	if left != "" {
		// As wide as most of what may stand here, so that the bar does not change its length all the time.
		usual := len("59m59s left")
		if width < narrowWidth {
			left = strings.TrimSuffix(left, " left")
			usual = len("59s")
		}
		left = t.paint.faint(fmt.Sprintf("  %-*s", usual, left))
	}
	return BarLine(width, t.paint.strong(name)+" ", f, left, t.opts.Color, t.opts.ASCII)
}

// palette paints parts of a line.
type palette struct{ strong, faint, bad func(a ...any) string }

func newPalette(colored bool) palette {
	if !colored {
		return palette{fmt.Sprint, fmt.Sprint, fmt.Sprint}
	}
	paint := func(a color.Attribute) func(a ...any) string {
		c := color.New(a)
		c.EnableColor() // the caller has decided; the library would ask what standard output is
		return c.Sprint
	}
	return palette{paint(color.Bold), paint(color.FgHiBlack), paint(color.FgRed)}
}

package report

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"

	"warp/pkg/units"
)

// bullet may precede the text of a line.
const bullet = " *-"

// printer collects the lines of a text report.
type printer struct {
	buf   bytes.Buffer
	width int // lines are folded to this width; 0: never
	head  *color.Color
	title *color.Color
	good  *color.Color
	bad   *color.Color
	warn  *color.Color
}

func newPrinter(colored bool, width int) *printer {
	p := &printer{width: width}
	if colored {
		p.head = always(color.FgCyan, color.Bold)
		p.title = always(color.Bold)
		p.good = always(color.FgGreen)
		p.bad = always(color.FgRed)
		p.warn = always(color.FgYellow)
	}
	return p
}

// always is a colour that does not depend on standard output: the caller has decided.
func always(a ...color.Attribute) *color.Color {
	c := color.New(a...)
	c.EnableColor()
	return c
}

// line prints one line of text in the given colour (nil: none), folded at spaces.
func (p *printer) line(c *color.Color, text string) {
	text = units.Line(text)
	body := strings.TrimLeft(text, bullet)
	p.fold(c, text[:len(text)-len(body)], strings.Split(body, " "), " ")
}

// list prints items after a prefix, separated by commas, folded between items only.
func (p *printer) list(c *color.Color, prefix string, items []string) {
	for i := range items {
		items[i] = units.Line(items[i])
	}
	p.fold(c, units.Line(prefix), items, ", ")
}

func (p *printer) blank() { p.buf.WriteByte('\n') }

// fold writes items after prefix, and starts a new line, indented past the prefix's bullet, where the next would not
// fit.
func (p *printer) fold(c *color.Color, prefix string, items []string, sep string) {
	indent := strings.Repeat(" ", len(prefix)-len(strings.TrimLeft(prefix, bullet))+2)
	var line strings.Builder
	line.WriteString(prefix)
	used, fresh := utf8.RuneCountInString(prefix), true
	for i, item := range items {
		need := utf8.RuneCountInString(item)
		if i < len(items)-1 {
			need += len(strings.TrimRight(sep, " "))
		}
		if p.width > 0 && !fresh && used+len(sep)+need > p.width {
			line.WriteString(strings.TrimRight(sep, " "))
			p.emit(c, line.String())
			line.Reset()
			line.WriteString(indent)
			used, fresh = len(indent), true
		}
		if !fresh {
			line.WriteString(sep)
			used += len(sep)
		}
		line.WriteString(item)
		used += utf8.RuneCountInString(item)
		fresh = false
	}
	p.emit(c, line.String())
}

// emit writes one line unchanged.
func (p *printer) emit(c *color.Color, line string) {
	if c != nil && line != "" {
		line = c.Sprint(line)
	}
	p.buf.WriteString(line)
	p.buf.WriteByte('\n')
}

// rule is printed above each kind of operation.
const rule = "----------------------------------------"

// classicRule is printed above kinds of operations with a headline.
const classicRule = "-------------------"

package screen

import (
	"strings"

	"charm.land/lipgloss/v2"

	"warp/view/terminal"
)

// paint colours a text; nil leaves it as it is.
type paint func(strs ...string) string

// Style is how a Model is drawn.
type Style struct {
	ascii bool
	color bool

	strong, faint, good, warn, bad, failed, key paint

	kinds []paint // of kinds of operations, in their order
	band  paint   // from the median to the 99th percentile
	tail  paint   // up to the 99.9th
	both  paint   // a cell whose upper half is tail, and whose lower half is band

	heat   []string // cells from none to many
	spark  []string // from none to full
	frozen paint
}

// Characters of charts, from none to full.
const (
	sparks      = " ▁▂▃▄▅▆▇█"
	sparksASCII = " .:-=+*#@"
	shades      = " ·░▒▓█"
	shadesASCII = " .:=*#"
)

// The colours are of terminals with 256, picked so that they can be told apart without seeing red and green alike; a terminal
// with fewer shows the nearest.
var (
	kindColors = []string{"39", "214", "43", "205", "228", "141", "113", "209"}
	heatColors = []string{"17", "18", "54", "90", "126", "162", "197", "203", "209", "215", "221", "229"}
)

// newStyle returns the style of a terminal. Without color it has attributes at most, and charts of shades.
func newStyle(color, ascii bool) *Style {
	s := &Style{ascii: ascii, color: color, spark: strings.Split(sparks, ""), heat: strings.Split(shades, "")}
	if ascii {
		s.spark, s.heat = strings.Split(sparksASCII, ""), strings.Split(shadesASCII, "")
	}
	if !color {
		return s
	}
	fg := func(c string) paint { return lipgloss.NewStyle().Foreground(lipgloss.Color(c)).Render }
	s.strong = lipgloss.NewStyle().Bold(true).Render
	s.faint, s.good, s.key, s.failed = fg("245"), fg("42"), fg("39"), fg("203")
	s.warn = lipgloss.NewStyle().Foreground(lipgloss.Color("16")).Background(lipgloss.Color("220")).Render
	s.bad = lipgloss.NewStyle().Foreground(lipgloss.Color("231")).Background(lipgloss.Color("160")).Render
	s.frozen = lipgloss.NewStyle().Reverse(true).Render
	for _, c := range kindColors {
		s.kinds = append(s.kinds, fg(c))
	}
	s.band, s.tail = fg("39"), fg("24")
	s.both = lipgloss.NewStyle().Foreground(lipgloss.Color("24")).Background(lipgloss.Color("39")).Render
	if ascii {
		return s
	}
	s.heat = []string{" "}
	for _, c := range heatColors {
		s.heat = append(s.heat, fg(c)("█"))
	}
	return s
}

// of returns the paint of a kind of operations.
func (s *Style) of(kind int) paint {
	if len(s.kinds) == 0 {
		return nil
	}
	return s.kinds[kind%len(s.kinds)]
}

// line is a line being written, which never becomes wider than the screen.
type line struct {
	b     strings.Builder
	left  int // cells
	cells int
}

func newLine(width int) *line { return &line{left: width} }

// add adds a text, as far as it fits.
func (l *line) add(p paint, text string) *line {
	text = terminal.Shorten(text, l.left)
	n := terminal.Cells(text)
	l.left, l.cells = l.left-n, l.cells+n
	if p != nil && text != "" {
		text = p(text)
	}
	l.b.WriteString(text)
	return l
}

// cell adds what is one cell wide, and painted already.
func (l *line) cell(text string) {
	if l.left > 0 {
		l.left, l.cells = l.left-1, l.cells+1
		l.b.WriteString(text)
	}
}

// to adds blanks up to a column.
func (l *line) to(column int) *line {
	if n := column - l.cells; n > 0 {
		l.add(nil, strings.Repeat(" ", n))
	}
	return l
}

// right adds a text at the right end, if there is room for all of it.
func (l *line) right(p paint, text string) *line {
	if n := terminal.Cells(text); n < l.left {
		l.to(l.cells+l.left-n).add(p, text)
	}
	return l
}

func (l *line) String() string { return l.b.String() }

package screen

import (
	"fmt"
	"strings"
	"time"

	"warp/pkg/units"
	"warp/view/terminal"
)

// Sizes of a screen below which nothing can be laid out, and above which a line is hard to follow with the eye.
const (
	minWidth    = 20
	leastHeight = 4
	maxWidth    = 240
)

// Render draws a model on a screen with these columns and lines.
func Render(m *Model, s *Style, width, height int) string {
	width, height = min(max(width, minWidth), maxWidth), max(height, leastHeight)
	lines := append(head(m, s, width, height), tabs(m, s, width))
	foot := footer(m, s, width)
	if height < len(lines)+6 {
		foot = nil
	}
	room := height - len(lines) - len(foot)
	lines = append(lines[:min(len(lines), height)], fit(panel(m, s, width, room), room)...)
	return strings.Join(append(lines, foot...), "\n")
}

// Final draws what stays of a model when the screen is left: the overview, whatever was looked at last, without keys, and no higher than
// it needs to be.
func Final(m *Model, s *Style, width, height int) string {
	c := *m
	c.Panel, c.Help, c.Paused, c.Stopping = Overview, false, false, false
	width = min(max(width, minWidth), maxWidth) - 1
	lines := append(head(&c, s, width, height), panel(&c, s, width, max(height-8, 10))...)
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return strings.Join(lines, "\n") + "\n"
}

// fit returns exactly this number of lines.
func fit(lines []string, n int) []string {
	for len(lines) < n {
		lines = append(lines, "")
	}
	return lines[:max(0, n)]
}

func panel(m *Model, s *Style, width, rows int) []string {
	if m.Help {
		return helpPanel(m, s, width)
	}
	switch m.panel() {
	case Latency:
		return latencyPanel(m, s, width, rows)
	case Errors:
		return errorsPanel(m, s, width, rows)
	case Hosts:
		return hostsPanel(m, s, width, rows)
	case Phases:
		return phasesPanel(m, s, width, rows)
	}
	return overview(m, s, width, rows)
}

// head is what all panels have: what runs, where, how far it is, and what to look at.
func head(m *Model, s *Style, width, height int) []string {
	c := &m.Current
	title := newLine(width).add(s.strong, c.Title())
	if threads := c.Last.Threads; threads > 0 {
		title.add(nil, ", "+units.Plural(int64(threads), "thread"))
	}
	if m.Where != "" && width >= 60 {
		title.add(s.faint, "  "+units.Line(m.Where))
	}
	if c.Last.Elapsed > 0 {
		title.right(nil, c.Last.Elapsed.Truncate(time.Second).String())
	}
	lines := append([]string{title.String(), progress(m, s, width)}, chips(m, s, width, max(1, height/8))...)
	if list := c.PhaseList(width); list != "" && m.panel() != Phases {
		lines = append(lines, newLine(width).add(s.faint, list).String())
	}
	return lines
}

// progress is the bar, and what is left.
func progress(m *Model, s *Style, width int) string {
	c := &m.Current
	left := c.Remaining()
	f, known := c.Fraction()
	if !known {
		text := c.Amount()
		if left != "" {
			text += ", " + left
		}
		return newLine(width).add(nil, text).String()
	}
	return strings.TrimPrefix(terminal.BarLine(width+1, "", f, "  "+left, s.color, s.ascii), " ")
}

// chips are what to look at, in at most a number of lines: each is there only if there is something to say.
func chips(m *Model, s *Style, width, limit int) (lines []string) {
	l := newLine(width)
	add := func(p paint, text string) {
		if l.cells > 0 && terminal.Cells(text)+len(" []") > l.left && len(lines)+1 < limit {
			lines = append(lines, l.String())
			l = newLine(width)
		}
		if l.cells > 0 {
			l.add(nil, " ")
		}
		ends := "[]"
		if s.color {
			ends = "  "
		}
		l.add(p, ends[:1]+terminal.Shorten(text, l.left-len(ends))+ends[1:])
	}
	if m.Stopping {
		add(s.warn, "stopping")
	}
	if m.Paused {
		add(s.frozen, "display paused, the run goes on")
	}
	if n := m.Current.Last.Errors; n > 0 {
		add(s.bad, units.Plural(n, "error"))
	}
	if n := m.Current.Last.Resent; n > 0 {
		add(s.warn, fmt.Sprintf("%d resent", n))
	}
	if m.Moment.Limit != "" {
		add(s.bad, "client-limited: "+m.Moment.Limit)
	}
	if n := m.Moment.Detail.Late; n > 0 {
		add(s.warn, fmt.Sprintf("%d late", n))
	}
	if m.Moment.Rate != "" {
		add(s.frozen, "rate "+m.Moment.Rate)
	}
	if n := len(m.Marks); n > 0 {
		add(nil, units.Plural(int64(n), "mark"))
	}
	if l.cells > 0 {
		lines = append(lines, l.String())
	}
	return lines
}

// panelNames are what the panels are called, in their order.
var panelNames = []string{"overview", "latency", "errors", "hosts", "phases"}

// tabs names the panels, with the present one set off.
func tabs(m *Model, s *Style, width int) string {
	l := newLine(width)
	short := width < 60
	for i, name := range panelNames {
		if !m.shows(Panel(i)) {
			continue
		}
		if i > 0 {
			l.add(nil, " ")
		}
		if short && Panel(i) != m.panel() {
			name = ""
		}
		text := strings.TrimSpace(fmt.Sprintf("%d %s", i+1, name))
		switch {
		case Panel(i) != m.panel():
			l.add(s.faint, " "+text+" ")
		case s.color:
			l.add(s.frozen, " "+text+" ")
		default:
			l.add(nil, "["+text+"]")
		}
	}
	if !short {
		l.right(s.faint, scope(m, width))
	}
	return l.String()
}

// scope says what charts and tables show.
func scope(m *Model, width int) string {
	switch {
	case m.history.fits(width - axisWidth):
		return "whole run"
	case m.Whole:
		return "whole run (z)"
	}
	return "last seconds (z)"
}

// footer is the last line: the newest message, or the keys.
func footer(m *Model, s *Style, width int) []string {
	keys := newLine(width)
	for _, k := range keysOf(m) {
		text := k.key + " " + k.what
		if terminal.Cells(text)+2 > keys.left {
			break
		}
		keys.add(s.key, k.key).add(s.faint, " "+k.what+"  ")
	}
	lines := []string{keys.String()}
	if n := len(m.Log); n > 0 && m.panel() != Phases {
		lines = append([]string{newLine(width).add(nil, units.Line(m.Log[n-1])).String()}, lines...)
	}
	return lines
}

// keyHelp is a key, and what it does.
type keyHelp struct{ key, what, more string }

// keysOf are the keys that do something at the moment, the most important first.
func keysOf(m *Model) []keyHelp {
	keys := []keyHelp{
		{"q", "stop", "stop, and print the report"},
		{"?", "help", "show these keys, or what was there before"},
		{"d", "detach", "leave this view; the run goes on with a line of progress"},
	}
	if m.Moment.Rate != "" {
		keys = append(keys, keyHelp{"+/-", "rate", "change the rate of an open loop by a tenth; the recording keeps it"})
	}
	keys = append(keys,
		keyHelp{"m", "mark", "mark this moment; the recording keeps it"},
		keyHelp{"space", "pause", "hold the display; the run goes on"})
	var names []string
	for i, name := range panelNames {
		if m.shows(Panel(i)) {
			names = append(names, name)
		}
	}
	if m.shows(Hosts) {
		keys = append(keys, keyHelp{"s", "sort", "sort hosts and clients by p99, errors, rate or name"})
	}
	return append(keys,
		keyHelp{"z", "zoom", "charts of the last seconds, or of the whole run"},
		keyHelp{"1-5", "panel", strings.Join(names, ", ")},
	)
}

func helpPanel(m *Model, s *Style, width int) (lines []string) {
	lines = append(lines, "")
	keys := keysOf(m)
	if m.shows(Hosts) {
		keys = append(keys, keyHelp{"↑ ↓", "", "scroll hosts and clients"})
	}
	for _, k := range append(keys, keyHelp{"Ctrl-C", "", "end the phase, or the run; twice: leave at once"}) {
		key := k.key
		if s.ascii && key == "↑ ↓" {
			key = "up/down"
		}
		lines = append(lines, newLine(width).add(nil, "  ").add(s.key, key).to(10).add(nil, " "+k.more).String())
	}
	return lines
}

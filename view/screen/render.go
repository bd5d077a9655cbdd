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
	lines := head(m, s, width)
	foot := footer(m, s, width)
	if height < len(lines)+6 {
		foot = nil
	}
	room := height - len(lines) - len(foot)
	lines = append(lines[:min(len(lines), height)], fit(panel(m, s, width, room), room)...)
	return strings.Join(append(lines, foot...), "\n")
}

// Final draws what stays of a model when the screen is left: without keys, and no higher than it needs to be.
func Final(m *Model, s *Style, width, height int) string {
	c := *m
	c.Help, c.Paused = false, false
	width = min(max(width, minWidth), maxWidth) - 1
	lines := append(head(&c, s, width), panel(&c, s, width, max(height-8, 10))...)
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
	switch {
	case m.Help:
		return helpPanel(s, width)
	case m.Panel == Latency:
		return latencyPanel(m, s, width, rows)
	case m.Panel == Errors:
		return errorsPanel(m, s, width, rows)
	case m.Panel == Hosts:
		return hostsPanel(m, s, width, rows)
	case m.Panel == Phases:
		return phasesPanel(m, s, width, rows)
	}
	return overview(m, s, width, rows)
}

// head is what all panels have: what runs, where, how far it is, and what to look at.
func head(m *Model, s *Style, width int) []string {
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
	lines := []string{title.String(), progress(m, s, width)}
	if chips := chips(m, s, width); chips != "" {
		lines = append(lines, chips)
	}
	if list := c.PhaseList(width); list != "" && m.Panel != Phases {
		lines = append(lines, newLine(width).add(s.faint, list).String())
	}
	return append(lines, tabs(m, s, width))
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

// chips are what to look at: each is there only if there is something to say.
func chips(m *Model, s *Style, width int) string {
	const limited = "client-limited"
	type chip struct {
		paint paint
		text  string
	}
	var list []chip
	add := func(p paint, text string) { list = append(list, chip{p, text}) }
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
		add(s.bad, limited)
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
	room := width // for the reason
	for _, c := range list {
		room -= terminal.Cells(c.text) + len("[] ")
	}
	l := newLine(width)
	for i, c := range list {
		if reason := ": " + m.Moment.Limit; c.text == limited && terminal.Cells(reason) <= room+1 {
			c.text += reason
		}
		if s.color {
			c.text = " " + c.text + " "
		} else {
			c.text = "[" + c.text + "]"
		}
		if i > 0 {
			l.add(nil, " ")
		}
		l.add(c.paint, c.text)
	}
	return l.String()
}

// tabs names the panels, with the present one set off.
func tabs(m *Model, s *Style, width int) string {
	l := newLine(width)
	short := width < 60
	for i, name := range []string{"overview", "latency", "errors", "hosts", "phases"} {
		if i > 0 {
			l.add(nil, " ")
		}
		if short && Panel(i) != m.Panel {
			name = ""
		}
		text := strings.TrimSpace(fmt.Sprintf("%d %s", i+1, name))
		switch {
		case Panel(i) != m.Panel:
			l.add(s.faint, " "+text+" ")
		case s.color:
			l.add(s.frozen, " "+text+" ")
		default:
			l.add(nil, "["+text+"]")
		}
	}
	if text := scope(m); !short {
		l.right(s.faint, text)
	}
	return l.String()
}

// scope says what charts and tables show.
func scope(m *Model) string {
	if m.Whole {
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
	if n := len(m.Log); n > 0 {
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
	if m.Moment.Rate != "" || m.Help {
		keys = append(keys, keyHelp{"+/-", "rate", "change the rate of an open loop by a tenth; the recording keeps it"})
	}
	return append(keys,
		keyHelp{"m", "mark", "mark this moment; the recording keeps it"},
		keyHelp{"space", "pause", "hold the display; the run goes on"},
		keyHelp{"s", "sort", "sort hosts and clients by p99, errors, rate or name"},
		keyHelp{"z", "zoom", "charts of the last seconds, or of the whole run"},
		keyHelp{"1-5", "panel", "overview, latency, errors, hosts, phases"},
	)
}

func helpPanel(s *Style, width int) (lines []string) {
	lines = append(lines, "")
	keys := append(keysOf(&Model{Help: true}),
		keyHelp{"↑ ↓", "", "scroll hosts and clients"},
		keyHelp{"Ctrl-C", "", "end the phase, or the run; twice: leave at once"})
	for _, k := range keys {
		key := k.key
		if s.ascii && key == "↑ ↓" {
			key = "up/down"
		}
		lines = append(lines, newLine(width).add(nil, "  ").add(s.key, key).to(10).add(nil, " "+k.more).String())
	}
	return lines
}

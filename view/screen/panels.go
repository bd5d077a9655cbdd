package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/pkg/hist"
	"warp/pkg/units"
	"warp/view/terminal"
)

// overview has a line for each kind of operations, and charts of latency in what is left of the screen.
func overview(m *Model, s *Style, width, rows int) (lines []string) {
	lines = kindTable(m, s, width, max(1, min(rows/3, 9)))
	if len(m.Moment.Detail.Errors) > 0 {
		e := &m.Moment.Detail.Errors[0]
		lines = append(lines, newLine(width).add(s.bad, " "+e.Class+" ").add(s.faint, " "+units.Line(e.Sample.Err)).String())
	}
	return append(lines, latencyCharts(m, s, width, rows-len(lines))...)
}

// latencyCharts are the band and the strip, and the time below.
func latencyCharts(m *Model, s *Style, width, rows int) (lines []string) {
	columns := m.history.columns(width-axisWidth, m.Whole)
	rows -= 3 // two titles and the axis
	if rows < 2 || len(columns) == 0 {
		return nil
	}
	upper := rows / 2
	if upper >= 3 {
		title := newLine(width).add(s.strong, "Latency").add(s.faint, ": p50 to ").add(s.band, "p99")
		title.add(s.faint, ", faintly to ").add(s.tail, "p99.9")
		lines = append(lines, title.String())
		lines = append(lines, band(s, columns, width, upper)...)
	} else {
		upper = -1
	}
	lower := rows - max(upper, 0)
	title := newLine(width).add(s.strong, "Operations").add(s.faint, " by latency: ").add(nil, strings.Join(s.heat[1:], ""))
	if s.color && !s.ascii { // the cells are painted: count them by their number
		title = newLine(width).add(s.strong, "Operations").add(s.faint, " by latency: few ")
		for _, c := range s.heat[1:] {
			title.cell(c)
		}
		title.add(s.faint, " many")
	}
	lines = append(lines, title.String())
	lines = append(lines, heatStrip(s, columns, width, lower)...)
	return append(lines, timeAxis(s, m, columns, width))
}

// Columns of the table of kinds.
const (
	nameWidth   = 12
	figureWidth = 11
	kindCells   = 2 + nameWidth + 2*figureWidth
	timesCells  = 3 * 9
)

// kindTable has a line for each kind: its rates, latency and how the rate went.
func kindTable(m *Model, s *Style, width, limit int) (lines []string) {
	u := &m.Current.Last
	list := u.Kinds
	all := terminal.Kind{Name: "All", Errors: u.Errors, BytesPerSec: u.BytesPerSec, ObjPerSec: u.ObjPerSec, P50: u.P50, P99: u.P99}
	if len(list) == 0 {
		all.Name = cmp.Or(strings.Join(m.history.kinds, ", "), "All")
	}
	list = append([]terminal.Kind{all}, list...)
	list = list[:min(len(list), limit)]
	failures := failureCells(list, width)
	columns := m.history.columns(width-axisWidth, m.Whole) // as the charts below
	for i := range list {
		k := &list[i]
		l := newLine(width)
		paint := s.strong
		if i > 0 || len(list) == 1 {
			paint = s.of(slices.Index(m.history.kinds, k.Name) + len(kindColors))
		}
		l.add(paint, terminal.Shorten(units.Line(k.Name), nameWidth)).to(nameWidth)
		l.add(nil, fmt.Sprintf("%*s", figureWidth, perSecond(k)))
		if width >= kindCells+timesCells {
			l.add(nil, fmt.Sprintf("%*s", figureWidth+2, mibs(k)))
			l.add(s.faint, "  p50").add(nil, fmt.Sprintf("%7s", latency(k.P50))).add(s.faint, "  p99").add(nil, fmt.Sprintf("%7s", latency(k.P99)))
			if failures > 0 {
				l.add(s.failed, fmt.Sprintf("%*s", failures, failureText(k)))
			}
		} else {
			l.add(nil, fmt.Sprintf("  %7s", latency(k.P99))).add(s.faint, " p99")
		}
		if room := l.left - 2; room >= 8 && len(columns) > 0 {
			name := k.Name
			if i == 0 {
				name = ""
			}
			l.add(nil, "  ")
			l.b.WriteString(spark(s, paint, rates(columns, name), room))
		}
		lines = append(lines, l.String())
	}
	return lines
}

// failureCells is the width of the column of errors: none without errors, or if that takes the room of charts; the panel of errors has
// them too.
func failureCells(list []terminal.Kind, width int) (cells int) {
	if width < 110 {
		return 0
	}
	for i := range list {
		if text := failureText(&list[i]); text != "" {
			cells = max(cells, 2+len(text))
		}
	}
	return cells
}

func failureText(k *terminal.Kind) string {
	if k.Errors == 0 {
		return ""
	}
	return units.Plural(k.Errors, "error")
}

// rates returns the operations per second of columns; an empty name: all kinds.
func rates(columns []column, name string) (list []float64) {
	for i := range columns {
		n := columns[i].all.ops
		if name != "" {
			n = columns[i].kinds[name].ops
		}
		list = append(list, float64(n)/float64(max(1, columns[i].seconds)))
	}
	return list
}

func perSecond(k *terminal.Kind) string {
	if k.ObjPerSec >= 100 {
		return fmt.Sprintf("%.0f/s", k.ObjPerSec)
	}
	return units.PerSecond(k.ObjPerSec) + "/s"
}

func mibs(k *terminal.Kind) string {
	if k.BytesPerSec <= 0 {
		return ""
	}
	return units.MiBs(k.BytesPerSec, 1) + " MiB/s"
}

// latency is "-" if it is not known.
func latency(d time.Duration) string {
	if d <= 0 {
		return "-"
	}
	return units.Duration(d)
}

// latencyPanel has percentiles of each kind, and larger charts.
func latencyPanel(m *Model, s *Style, width, rows int) (lines []string) {
	columns := m.history.columns(width-axisWidth, m.Whole)
	percentiles := []float64{50, 90, 99, 99.9}
	if width < 70 {
		percentiles = []float64{50, 99}
	}
	l := newLine(width).to(nameWidth)
	for _, p := range percentiles {
		l.add(s.faint, fmt.Sprintf("%9s", fmt.Sprintf("p%g", p)))
	}
	lines = append(lines, l.add(s.faint, fmt.Sprintf("%9s%12s", "max", "operations")).String())
	for i, name := range append([]string{"All"}, m.history.kinds...) {
		if i > max(1, rows/3) || i > 0 && len(m.history.kinds) == 1 {
			break
		}
		var sum sums
		for k := range columns {
			if i == 0 {
				sum = sum.add(columns[k].all)
			} else {
				sum = sum.add(columns[k].kinds[name])
			}
		}
		p := s.strong
		if i > 0 {
			p = s.of(i - 1)
		}
		l := newLine(width).add(p, terminal.Shorten(units.Line(name), nameWidth-1)).to(nameWidth)
		for _, p := range percentiles {
			l.add(nil, fmt.Sprintf("%9s", figure(sum.latency, p)))
		}
		lines = append(lines, l.add(nil, fmt.Sprintf("%9s%12d", latency(time.Duration(max(0, sum.latency.Max()))), sum.ops)).String())
	}
	return append(lines, latencyCharts(m, s, width, rows-len(lines))...)
}

// figure is a percentile, or "-" if there are too few samples.
func figure(h *hist.Histogram, p float64) string {
	v, enough := h.Percentile(p)
	if !enough && p != 50 || h.Count() == 0 {
		return "-"
	}
	return units.Duration(time.Duration(v))
}

// errorsPanel has a line for each class of errors, with the last message, or the first one of clients.
func errorsPanel(m *Model, s *Style, width, rows int) (lines []string) {
	d := &m.Moment.Detail
	if len(d.Errors) == 0 {
		text := "No errors."
		if n := m.Current.Last.Errors; n > 0 {
			text = units.Plural(n, "error") + ", which are not known yet."
		}
		return []string{"", newLine(width).add(nil, text).String()}
	}
	columns := m.history.columns(width-axisWidth, m.Whole)
	var failed []float64
	for i := range columns {
		failed = append(failed, float64(columns[i].failed)/float64(max(1, columns[i].seconds)))
	}
	l := newLine(width).add(s.faint, "errors/s ")
	l.b.WriteString(spark(s, s.key, failed, l.left))
	lines = append(lines, l.String())
	which := "last at "
	if len(m.Moment.Clients) > 0 {
		which = "first at "
	}
	for i := range d.Errors {
		if len(lines)+2 > rows {
			lines = append(lines, newLine(width).add(s.faint, fmt.Sprintf("%d more classes", len(d.Errors)-i)).String())
			break
		}
		e := &d.Errors[i]
		l := newLine(width).add(s.bad, fmt.Sprintf(" %s ", e.Class))
		l.add(nil, fmt.Sprintf("  %d, %s of operations", e.Count, units.Percent(e.Count, max(e.Count, m.Current.Last.Ops))))
		if e.Sample.Time.IsZero() {
			lines = append(lines, l.String())
			continue
		}
		l.right(s.faint, which+e.Sample.Time.Local().Format("15:04:05"))
		text := units.Line(e.Sample.Err)
		if e.Sample.Host != "" && width >= 60 {
			text += "  " + e.Sample.Host
		}
		lines = append(lines, l.String(), newLine(width).add(nil, "  "+text).String())
	}
	return lines
}

// phasesPanel has the phases, the marks and the log.
func phasesPanel(m *Model, s *Style, width, rows int) (lines []string) {
	c := &m.Current
	phases := c.Phases
	if len(phases) == 0 && c.Name != "" {
		phases = []string{c.Name}
	}
	for i, name := range phases {
		l := newLine(width)
		if i == c.Phase {
			l.add(s.strong, "> "+units.Line(name)).add(s.faint, "  "+c.Amount()+" in "+units.Seconds(max(0, c.Last.Elapsed)))
		} else {
			l.add(s.faint, "  "+units.Line(name))
		}
		lines = append(lines, l.String())
	}
	if highest := max(1, rows/2); len(lines) > highest { // those around the present one
		from := min(max(0, c.Phase-highest/2), len(lines)-highest)
		lines = lines[from : from+highest]
	}
	for _, k := range m.Marks[max(0, len(m.Marks)-max(1, rows/4)):] {
		lines = append(lines, newLine(width).add(s.key, k.At.Local().Format("15:04:05")).add(nil, "  "+units.Line(k.Text)).String())
	}
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	room := max(0, rows-len(lines))
	for _, text := range m.Log[max(0, len(m.Log)-room):] {
		lines = append(lines, newLine(width).add(nil, units.Line(text)).String())
	}
	return lines
}

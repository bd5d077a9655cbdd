package screen

import (
	"math"
	"slices"
	"strings"
	"time"

	"warp/pkg/hist"
	"warp/pkg/units"
)

// axisWidth is what the labels of a chart take, with the blank after them.
const axisWidth = 7

// spark draws values as bars of one line, as high as their share in the greatest.
func spark(s *Style, p paint, values []float64, width int) string {
	if width <= 0 {
		return ""
	}
	values = resample(values, width)
	highest := 0.0
	for _, v := range values {
		highest = max(highest, v)
	}
	var b strings.Builder
	for _, v := range values {
		b.WriteString(s.spark[level(v, highest, len(s.spark))])
	}
	if p != nil {
		return p(b.String())
	}
	return b.String()
}

// resample returns a number of values over the same time: means of several, or the same several times.
func resample(values []float64, width int) (out []float64) {
	for i := range width {
		from := i * len(values) / width
		part := values[from:max(min(from+1, len(values)), (i+1)*len(values)/width)]
		sum := 0.0
		for _, v := range part {
			sum += v
		}
		out = append(out, sum/float64(max(1, len(part))))
	}
	return out
}

// stretch repeats elements until they fill a width, so that charts are full from the first second.
func stretch[T any](list []T, width int) []T {
	if len(list) == 0 {
		return nil
	}
	out := make([]T, width)
	for i := range out {
		out[i] = list[i*len(list)/width]
	}
	return out
}

// level returns the level of a value, of a number of levels: 0 only for nothing.
func level(v, limit float64, levels int) int {
	if v <= 0 || limit <= 0 {
		return 0
	}
	return min(max(1, int(math.Ceil(v/limit*float64(levels-1)))), levels-1)
}

// scale is a logarithmic axis of latency, from the bottom up.
type scale struct {
	low, high float64 // nanoseconds
	rows      int
}

// scaleOf returns the axis on which all latencies of columns lie.
func scaleOf(columns []column, rows int) (s scale, ok bool) {
	s = scale{math.Inf(1), 0, rows}
	for i := range columns {
		if h := columns[i].all.latency; h.Count() > 0 {
			s.low, s.high = min(s.low, float64(max(1000, h.Min()))), max(s.high, float64(h.Max()))
		}
	}
	if s.high == 0 {
		return s, false
	}
	s.high = max(s.high, 2*s.low) * 1.0001
	return s, true
}

// row returns the row of a latency, or of a part of rows; 0 is the lowest.
func (s *scale) row(ns float64, parts int) int {
	n := s.rows * parts
	at := math.Log(max(ns, s.low)/s.low) / math.Log(s.high/s.low) * float64(n)
	return min(max(0, int(at)), n-1)
}

// at returns the latency at the lower edge of a row.
func (s *scale) at(row float64) time.Duration {
	return time.Duration(s.low * math.Pow(s.high/s.low, row/float64(s.rows)))
}

// label returns what stands next to a row: the latency at the edges and in the middle.
func (s *scale) label(row int) string {
	text := ""
	switch row {
	case s.rows - 1:
		text = units.Duration(s.at(float64(s.rows)))
	case s.rows / 2:
		if s.rows > 4 {
			text = units.Duration(s.at(float64(row)))
		}
	case 0:
		text = units.Duration(s.at(0))
	}
	return strings.Repeat(" ", max(0, axisWidth-1-len([]rune(text)))) + text + " "
}

// heatStrip draws time from left to right, latency upwards, and how many operations took so long.
func heatStrip(s *Style, columns []column, width, rows int) (lines []string) {
	width -= axisWidth
	axis, ok := scaleOf(columns, rows)
	if !ok || width <= 0 || rows <= 0 {
		return nil
	}
	cells := make([][]float64, len(columns))
	highest := 0.0
	for i := range columns {
		cells[i] = make([]float64, rows)
		for ns, n := range columns[i].all.latency.Buckets {
			cells[i][axis.row(float64(ns), 1)] += float64(n) / float64(columns[i].seconds)
		}
		highest = max(highest, slices.Max(cells[i]))
	}
	cells = stretch(cells, width)
	for row := rows - 1; row >= 0; row-- {
		l := newLine(width+axisWidth).add(s.faint, axis.label(row))
		for i := range cells {
			l.cell(s.heat[shade(cells[i][row], highest, len(s.heat))])
		}
		lines = append(lines, l.String())
	}
	return lines
}

// shade is level on a logarithmic scale, so that few slow operations are seen among many fast ones.
func shade(v, limit float64, levels int) int {
	if v <= 0 {
		return 0
	}
	return level(math.Log1p(v)/math.Log1p(max(limit, v)), 1, levels)
}

// Parts of a cell of a band.
const (
	none = iota
	tail
	body
)

// band draws percentiles over time: filled from the median to the 99th, and faintly from there to the 99.9th.
func band(s *Style, columns []column, width, rows int) (lines []string) {
	width -= axisWidth
	axis, ok := bandScale(columns, rows)
	if !ok || width <= 0 || rows <= 0 {
		return nil
	}
	parts := 2
	if s.ascii {
		parts = 1
	}
	cells := make([][]int, len(columns))
	for i := range columns {
		cells[i] = make([]int, rows*parts)
		h := columns[i].all.latency
		if h.Count() == 0 {
			continue
		}
		low, high, top := percentile(h, 50), percentile(h, 99), percentile(h, 99.9)
		for k := axis.row(low, parts); k <= axis.row(top, parts); k++ {
			cells[i][k] = tail
			if k <= axis.row(high, parts) {
				cells[i][k] = body
			}
		}
	}
	cells = stretch(cells, width)
	for row := rows - 1; row >= 0; row-- {
		l := newLine(width+axisWidth).add(s.faint, axis.label(row))
		for i := range cells {
			if parts == 1 {
				l.cell([]string{" ", ":", "#"}[cells[i][row]])
				continue
			}
			l.cell(s.halves(cells[i][2*row+1], cells[i][2*row]))
		}
		lines = append(lines, l.String())
	}
	return lines
}

// bandScale is the axis on which the percentiles lie.
func bandScale(columns []column, rows int) (s scale, ok bool) {
	s = scale{math.Inf(1), 0, rows}
	for i := range columns {
		if h := columns[i].all.latency; h.Count() > 0 {
			s.low, s.high = min(s.low, max(1000, percentile(h, 50))), max(s.high, percentile(h, 99.9))
		}
	}
	if s.high == 0 {
		return s, false
	}
	s.low *= 0.8
	s.high = max(s.high, 2*s.low) * 1.1
	return s, true
}

// halves draws a cell of two halves.
func (s *Style) halves(upper, lower int) string {
	paints, shades := []paint{none: nil, tail: s.tail, body: s.band}, []string{none: " ", tail: "░", body: "█"}
	if s.color {
		shades[tail] = "█"
	}
	char, p := "", paint(nil)
	switch {
	case upper == lower:
		char, p = shades[upper], paints[upper]
	case upper == none:
		char, p = "▄", paints[lower]
	case lower == none:
		char, p = "▀", paints[upper]
	case s.color:
		char, p = "▀", s.both
	default:
		char = "▒"
	}
	if p == nil {
		return char
	}
	return p(char)
}

func percentile(h *hist.Histogram, p float64) float64 {
	v, _ := h.Percentile(p)
	return float64(v)
}

// timeAxis draws what the columns of a chart span, from when to when, with marks and beginnings of phases.
func timeAxis(s *Style, m *Model, columns []column, width int) string {
	n := width - axisWidth
	if n <= 0 || len(columns) == 0 {
		return ""
	}
	tick, mark, begin := "─", "▲", "┼"
	if s.ascii {
		tick, mark, begin = "-", "^", "+"
	}
	cells := slices.Repeat([]string{tick}, n)
	for i, c := range columns {
		at := (i*n + len(columns) - 1) / len(columns) // its first cell, when stretched
		if i > 0 && c.phase != columns[i-1].phase {
			cells[at] = begin
		}
		for _, k := range m.Marks {
			if !k.At.Before(c.at) && k.At.Before(c.end()) {
				cells[at] = mark
			}
		}
	}
	from, to := columns[0].at, columns[len(columns)-1].end()
	write := func(at int, text string) { // unless that hides something
		if at >= 0 && at+len(text) <= n && !slices.ContainsFunc(cells[at:at+len(text)], func(c string) bool { return c != tick }) {
			copy(cells[at:], strings.Split(text, ""))
		}
	}
	start, end := from.Local().Format(time.TimeOnly)+" ", " "+to.Local().Format(time.TimeOnly)
	span := " " + units.Span(to.Sub(from).Round(time.Second)) + " "
	write(0, start)
	write(n-len(end), end)
	write((n-len(span))/2, span)
	return newLine(width).to(axisWidth).add(s.faint, strings.Join(cells, "")).String()
}

package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/search"
	"warp/pkg/units"
)

// Sweep prints a sweep for people: for each curve a table, a plot of latency over throughput, and what it shows.
func Sweep(w io.Writer, sw *search.Sweep, s *aggregate.Snapshot, o TextOptions) error {
	r := &sweepReport{printer: newPrinter(o.Color, o.Width), Sweep: sw}
	curves := sweepCurves(sw, s)
	for _, c := range curves {
		r.emit(r.head, rule)
		r.line(r.head, fmt.Sprintf("%s of %s over %s: %s.", sweepTitle(sw), c.name(sw), sw.Over[0], units.Plural(int64(len(c.rows)), "point")))
		r.blank()
		r.curveTable(c)
		if len(c.rows) >= minPlotted {
			r.blank()
			for _, line := range plot(c.Points, plotWidthFor(o.Width)) {
				r.emit(nil, line)
			}
		}
		r.blank()
		for _, text := range findings(c, sw.Over[0]) {
			r.line(nil, text)
		}
	}
	if len(curves) == 0 {
		r.emit(r.head, rule)
		r.line(r.head, sweepTitle(sw)+": no point was measured.")
	}
	_, err := w.Write(r.buf.Bytes())
	return err
}

// sweepTitle names a sweep, which may be one of several in a run.
func sweepTitle(sw *search.Sweep) string {
	if sw.Stream == "" {
		return "Sweep"
	}
	return "Sweep " + sw.Stream
}

// sweepReport is a sweep being printed.
type sweepReport struct {
	*printer
	*search.Sweep
}

// curveTable prints a line for each point.
func (r *sweepReport) curveTable(c *sweepCurve) {
	rows := [][]string{{"", r.Over[0], "op/s", "95% interval", "MiB/s", "mean", "p50", "p99", ownColumn, "errors"}}
	moves, failed := false, false
	for i := range c.rows {
		row, p := &c.rows[i], &c.Points[i]
		moves, failed = moves || row.moves, failed || row.errors > 0
		cells := []string{
			string(markOf(i)), row.value.Text, missing, missing, missing, missing, missing, missing, missing,
			fmt.Sprint(row.errors),
		}
		if p.Throughput > 0 {
			cells[2], cells[4] = units.PerSecond(p.Throughput), units.MiBs(row.bytes, 2)
		}
		if ci, ok := p.Interval(); ok {
			cells[3] = units.PerSecond(ci[0]) + " to " + units.PerSecond(ci[1])
		}
		if p.Response > 0 {
			cells[5] = units.Duration(inSeconds(p.Response))
			for k, rank := range []float64{50, 99} {
				if v, enough := row.latency.Percentile(rank); enough {
					cells[6+k] = units.Duration(time.Duration(v))
				}
			}
		}
		if sh, ok := aggregate.ShareOf("", row.latency, &row.own); ok && row.own.Known() {
			cells[8] = ownShare(sh)
		}
		rows = append(rows, cells)
	}
	if !moves {
		dropColumn(rows, "MiB/s")
	}
	if !failed {
		dropColumn(rows, "errors")
	}
	dropEmpty(rows, ownColumn)
	r.table(rows, firstColumn, ownColumn, "p50", "95% interval")
}

// ownColumn is the client's own part of the latency as a share of it, at the highest percentile that both have.
const ownColumn = "client"

// findings are the sentences about a curve.
func findings(c *sweepCurve, flag string) (list []string) {
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if best := &c.Points[c.Best]; best.Throughput > 0 {
		text := fmt.Sprintf("Highest throughput: %s op/s", units.PerSecond(best.Throughput))
		if c.rows[c.Best].moves {
			text += " (" + units.Throughput(c.rows[c.Best].bytes) + ")"
		}
		say("%s with %s=%s%s.", text, flag, c.rows[c.Best].value.Text, c.beyond(flag))
	}
	if want, few := c.TooFew(); few {
		say("Too few points for a knee or a scaling law: operations succeeded at %d (want %d or more).", c.Measured, want)
	}
	if k := c.Knee; k != nil {
		text := "Kneedle agrees"
		if !k.Confirmed {
			text = "Kneedle puts it at " + units.Digits(k.Kneedle) + ", so the curve has no clear one"
		}
		say("Knee: %s=%s (95%% interval %s to %s): the highest ratio of throughput to latency. %s.", flag, units.Digits(k.Level),
			units.Digits(k.CI[0]), units.Digits(k.CI[1]), text)
	}
	if law := c.Scaling(); law != "" {
		say("%s.", law)
	}
	if v := c.Servers; v != nil {
		about := "about"
		if c.Trend == search.Rising {
			about = "at least"
		}
		say("As a queue: the store performs %s %s operations at a time, in %s each.", about, units.Digits(v.Count),
			units.Duration(inSeconds(v.Service)))
	}
	if l := c.Size; l != nil {
		say("%s.", sizeLaw(l))
	}
	return list
}

// beyond describes the throughput beyond the best point.
func (c *sweepCurve) beyond(flag string) string {
	last := len(c.Points) - 1
	for last > 0 && c.Points[last].Throughput == 0 {
		last--
	}
	switch c.Trend {
	case search.Rising:
		return ", where it still rises"
	case search.Flat:
		return ", and flat from there on"
	case search.Falling:
		return fmt.Sprintf(". It falls beyond: %s op/s with %s=%s", units.PerSecond(c.Points[last].Throughput), flag, c.rows[last].value.Text)
	case search.Unknown:
		return ". Whether it falls beyond is not known: the points are too short for intervals"
	}
	return ""
}

// sizeLaw says how latency depends on the size.
func sizeLaw(l *search.LinearFit) string {
	if l.PerByte <= 0 {
		return "Latency does not grow with the size"
	}
	return fmt.Sprintf("Latency: %s + size / (%s)", units.Duration(inSeconds(max(0, l.Base))), units.Throughput(1/l.PerByte))
}

// Of plots.
const (
	minPlotted = 3
	plotHeight = 12
	plotWidth  = 64
	logFrom    = 8 // ratio of latencies from which their axis is logarithmic
)

// plotWidthFor returns the width of a plot on a terminal; 0: its width is not known.
func plotWidthFor(terminal int) int {
	if terminal == 0 {
		return plotWidth
	}
	return min(plotWidth, max(20, terminal-16))
}

// marks stand for points, in the order of the table.
const marks = "123456789abcdefghijklmnopqrstuvwxyz"

func markOf(i int) byte { return marks[min(i, len(marks)-1)] }

// plot draws latency over throughput.
func plot(points []search.Point, width int) []string {
	low, high, fastest := math.Inf(1), 0.0, 0.0
	for _, p := range points {
		if p.Response > 0 {
			low, high, fastest = min(low, p.Response), max(high, p.Response), max(fastest, p.Throughput)
		}
	}
	if fastest == 0 {
		return nil
	}
	scale, kind := func(v float64) float64 { return v / high }, "average latency"
	if high/low >= logFrom {
		scale, kind = func(v float64) float64 { return math.Log(v/low) / math.Log(high/low) }, "average latency (logarithmic)"
	}
	grid := make([][]byte, plotHeight)
	for i := range grid {
		grid[i] = []byte(strings.Repeat(" ", width))
	}
	for i, p := range points {
		if p.Response <= 0 {
			continue
		}
		x, y := int(math.Round(p.Throughput/fastest*float64(width-1))), int(math.Round(scale(p.Response)*(plotHeight-1)))
		cell := &grid[plotHeight-1-y][x]
		if *cell != ' ' {
			*cell = '*'
			continue
		}
		*cell = markOf(i)
	}
	top, bottom := units.Duration(inSeconds(high)), "0"
	if high/low >= logFrom {
		bottom = units.Duration(inSeconds(low))
	}
	lines := []string{kind}
	margin := max(len(top), len(bottom))
	for i, row := range grid {
		label := ""
		switch i {
		case 0:
			label = top
		case plotHeight - 1:
			label = bottom
		}
		lines = append(lines, strings.TrimRight(strings.Repeat(" ", margin-len(label))+label+" |"+string(row), " "))
	}
	end := units.PerSecond(fastest) + " op/s"
	lines = append(lines, strings.Repeat(" ", margin)+" +"+strings.Repeat("-", width),
		strings.Repeat(" ", margin+2)+"0"+strings.Repeat(" ", max(1, width-1-len(end)))+end)
	return slices.Clip(lines)
}

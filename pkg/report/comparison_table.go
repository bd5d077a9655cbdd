package report

import (
	"strings"

	"github.com/fatih/color"

	"warp/pkg/compare"
	"warp/pkg/units"
)

// tableMetric is a metric that may be a row of the table.
type tableMetric struct {
	metric, name string
	always       bool // otherwise only if tested
}

// The unit of rates is part of the name: in each cell it would make the table wider than 80 columns.
var rateMetrics = []tableMetric{
	{"throughput", "Throughput MiB/s", true},
	{"objects", "Objects/s", true},
	{"fastest", "Fastest MiB/s", true},
	{"median", "Median MiB/s", true},
	{"slowest", "Slowest MiB/s", true},
}

// objectSegments replace the segments of kinds that move no bytes.
var objectSegments = map[string]tableMetric{
	"fastest": {metric: "fastest.objects", name: "Fastest obj/s"},
	"median":  {metric: "median.objects", name: "Median obj/s"},
	"slowest": {metric: "slowest.objects", name: "Slowest obj/s"},
}

var timeMetrics = []tableMetric{
	{"avg", "Latency mean", true},
	{"p50", "Latency p50", true},
	{"p90", "Latency p90", true},
	{"p95", "Latency p95", true},
	{"p99", "Latency p99", true},
	{"p99.9", "Latency p99.9", true},
	{"ttfb", "First byte mean", false},
	{"ttfb.p50", "First byte p50", false},
	{"ttfb.p90", "First byte p90", false},
	{"ttfb.p95", "First byte p95", false},
	{"ttfb.p99", "First byte p99", false},
	{"own.p50", "Client's own part p50", false},
	{"own.p99", "Client's own part p99", false},
}

// tableRow is the cells of one line and its colour.
type tableRow struct {
	cells []string // metric, before, after, change, interval, verdict
	color *color.Color
}

// changes prints the figures of both sides and their change. A total has no latencies: different kinds of operations are not
// comparable.
func (r *comparisonReport) changes(k *compare.Kind) {
	metrics := rateMetrics
	if !k.Total {
		metrics = append(metrics[:len(metrics):len(metrics)], timeMetrics...)
	}
	var rows []tableRow
	for _, m := range metrics {
		if name, c := shown(k, m); c != nil {
			rows = append(rows, r.row(name, c))
		}
	}
	if len(rows) == 0 {
		return
	}
	if !wasTested(k) { // the notes say why
		for i := range rows {
			rows[i].cells[5] = "~"
		}
	}
	head := []string{"", "before", "after", "change", level(r.c.Confidence) + " interval", "verdict"}
	cells, colors := [][]string{head}, []*color.Color{nil}
	for _, row := range rows {
		cells, colors = append(cells, row.cells), append(colors, row.color)
	}
	interval := head[4]
	if r.width > 0 && rowWidth(columnWidths(cells), " ") > r.width {
		r.stack(rows)
		return
	}
	dropEmpty(cells, interval)
	r.paintedTable(cells, colors, func(i int) bool { return i == 0 || i == len(cells[0])-1 })
}

// shown returns the change in the row of a metric, and the name of the row; nil if there is none.
func shown(k *compare.Kind, m tableMetric) (name string, c *compare.Change) {
	name, c = m.name, k.Change(m.metric)
	if k.Kind.Upload() { // counted from the last byte sent
		name = strings.Replace(name, "First byte", "Response after body", 1)
	}
	if objects, ofSegment := objectSegments[m.metric]; ofSegment {
		if !severalSegments(k) {
			return "", nil
		}
		if c == nil {
			name, c = objects.name, k.Change(objects.metric)
		}
	}
	if c == nil || !m.always && c.P == nil || !c.Before.Enough && !c.After.Enough {
		return "", nil
	}
	return name, c
}

func (r *comparisonReport) row(name string, c *compare.Change) tableRow {
	row := tableRow{cells: []string{name, figureText(c.Before, c.Unit), figureText(c.After, c.Unit), missing, missing, r.verdict(c)}}
	if enough(c) {
		row.cells[3] = percentChange(c)
		if c.CI != nil {
			row.cells[4] = units.Change(c.CI.Low) + " to " + units.Change(c.CI.High)
		}
	}
	switch c.Verdict {
	case compare.Improved:
		row.color = r.good
	case compare.Regressed:
		row.color = r.bad
	}
	return row
}

// figureText formats a figure, times with their unit; one with too few samples is missing.
func figureText(f compare.Figure, unit compare.Unit) string {
	switch {
	case !f.Enough:
		return missing
	case unit == compare.BytesPerSec:
		return units.MiBs(f.Value, 2)
	case unit == compare.ObjectsPerSec:
		return units.PerSecond(f.Value)
	}
	return nanoseconds(f.Value)
}

// verdict returns the claim, or "~" with the obstacle; the notes have details.
func (r *comparisonReport) verdict(c *compare.Change) string {
	switch {
	case c.Significant:
		return string(c.Verdict)
	case !enough(c) || c.TooFew:
		return "~ too few"
	case c.Verdict == compare.Correlated:
		return "~ correlated"
	case c.P == nil:
		return "~ untested"
	}
	return "~"
}

// stack prints one line per row, for terminals too narrow for the table: "Objects/s: 6600.13 -> 7257.62, +9.96% (-1.43%
// to +22.66%), improved".
func (r *comparisonReport) stack(rows []tableRow) {
	for _, row := range rows {
		name, before, after, change, interval, verdict := row.cells[0], row.cells[1], row.cells[2], row.cells[3], row.cells[4], row.cells[5]
		if interval != missing {
			change += " (" + interval + ")"
		}
		r.list(row.color, name+": ", []string{before + " -> " + after, change, verdict})
	}
}

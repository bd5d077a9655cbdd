package report

import (
	"slices"
	"strconv"

	"warp/pkg/aggregate"
	"warp/pkg/op"
	"warp/pkg/units"
)

// row is a line of a table: a kind of operation, or a total.
type row struct {
	phase, name string
	group       *aggregate.Group
}

// rows returns the kinds of operations without the preparation and what the answer of a search or sweep has, each total behind its kinds.
func (r *textReport) rows() (rows []row) {
	for _, s := range sections(r.s) {
		if s.name == op.PhasePrepare || r.o.Answered != nil && s.name != "" && r.o.Answered(s.name) {
			continue
		}
		for _, g := range s.groups {
			rows = append(rows, row{s.name, units.Line(string(g.Kind)), g})
		}
		if s.total != nil {
			rows = append(rows, row{s.name, "total", s.total})
		}
		if s.concurrent != nil {
			rows = append(rows, row{s.concurrent.Phase, "total", s.concurrent})
		}
	}
	return rows
}

// nameCells returns the first cells of rows: of several phases the phase too, where it changes.
func (r *textReport) nameCells(rows []row, head string) (cells [][]string) {
	if !r.several {
		cells = append(cells, []string{head})
		for _, one := range rows {
			cells = append(cells, []string{one.name})
		}
		return cells
	}
	cells = append(cells, []string{head, ""})
	before := ""
	for _, one := range rows {
		phase := units.Line(one.phase)
		if one.phase == before {
			phase = ""
		}
		before = one.phase
		cells = append(cells, []string{phase, one.name})
	}
	return cells
}

// names reports whether a column of these tables has names.
func (r *textReport) names(column int) bool { return column == 0 || r.several && column == 1 }

// figuresTable prints the figures of each kind.
func (r *textReport) figuresTable() {
	list := r.rows()
	if len(list) == 0 {
		return
	}
	rows := r.nameCells(list, "")
	rows[0] = append(rows[0], "ops", "op/s", "obj/s", "MiB/s", "p50", "p90", "p99", "p99.9", "max", "errors", "client")
	for i, one := range list {
		rows[i+1] = append(rows[i+1], figuresOf(one.group)...)
	}
	dropEmpty(rows, "op/s", "obj/s", "MiB/s", "p50", "p90", "p99", "p99.9", "max", "client")
	r.table(rows, r.names, "p90", "p99.9", "client", "max", "ops", "p50", "MiB/s")
}

// figuresOf returns the cells of a kind of operation, or of a total.
func figuresOf(g *aggregate.Group) []string {
	cells := []string{strconv.FormatInt(g.Requests, 10), missing, missing, missing}
	if g.Window.Duration() > 0 {
		v := partRate(&g.Part, g.Window)
		cells[1] = shortRate(v.ops)
		if differPerOp(g) && g.CountsObjects() {
			cells[2] = shortRate(v.objects)
		}
		if g.MovesBytes() {
			cells[3] = shortRate(v.bytes / units.MiB)
		}
	}
	return append(cells, latenciesOf(g)...)
}

// latenciesOf returns the cells of latencies, errors, and the client's own part of the latency.
func latenciesOf(g *aggregate.Group) []string {
	cells := []string{missing, missing, missing, missing, missing, strconv.FormatInt(g.Errors, 10), missing}
	switch {
	case g.Kind == "": // latencies of different kinds are not comparable
	case g.Latency.Count() > 0:
		for i, p := range []float64{50, 90, 99, 99.9} {
			cells[i] = summaryPercentile(g.Latency, p)
		}
		cells[4] = duration(g.Latency.Max())
		if sh, ok := aggregate.ShareOf("", g.Latency, &g.Own); ok && sh.Measured && sh.Latency > 0 {
			cells[6] = ownShare(sh)
		}
	case g.Approx != nil:
		t := &g.Approx.Latency
		for i, v := range []int64{int64(t.P50), int64(t.P90), int64(t.P99)} {
			if v > 0 {
				cells[i] = "~" + duration(v)
			}
		}
		if t.Max > 0 {
			cells[4] = units.Duration(t.Max)
		}
	}
	return cells
}

// segmentsTable prints the fastest, median and slowest segment of each kind. Of two segments, the median is one of the others.
func (r *textReport) segmentsTable(totals bool) {
	length := r.s.Segment
	list := slices.DeleteFunc(r.rows(), func(one row) bool {
		return len(one.group.Segments) < 2 || !succeeded(one.group) || one.group.Kind == "" && !totals
	})
	if len(list) == 0 || r.o.Form == Brief && len(list) > maxSegmentRows {
		return
	}
	rows := r.nameCells(list, "segments of "+units.Span(length))
	rows[0] = append(rows[0], "fastest", "at", "median", "at", "slowest", "at")
	for i, one := range list {
		g := one.group
		ranks, _ := rank(g, g.Segments)
		for k, at := range []int{ranks.fastest, ranks.median, ranks.slowest} {
			if k == 1 && len(g.Segments) < 3 {
				rows[i+1] = append(rows[i+1], missing, missing)
				continue
			}
			rows[i+1] = append(rows[i+1], segmentText(g, segmentRate(&g.Segments[at], length)),
				segmentStart(g, at, length).In(r.o.Location).Format(clockLayout(length)))
		}
	}
	dropEmpty(rows, "median")
	if k := slices.Index(rows[0], "median"); k < 0 {
		for i := range rows { // its time
			rows[i] = slices.Delete(rows[i], len(rows[i])-3, len(rows[i])-2)
		}
	}
	if r.width > 0 && rowWidth(columnWidths(rows), " ") > r.width {
		for slices.Contains(rows[0], "at") {
			dropColumn(rows, "at")
		}
	}
	r.table(rows, r.names)
}

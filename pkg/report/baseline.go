package report

import (
	"fmt"
	"io"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/compare"
	"warp/pkg/search"
	"warp/pkg/units"
)

// Baseline prints what the searches of a baseline found, a line for each. The snapshot has the figures of the trials.
func Baseline(w io.Writer, version int, list []search.Record, s *aggregate.Snapshot, o TextOptions) error {
	p := newPrinter(o.Color, o.Width)
	p.emit(p.head, rule)
	p.line(p.head, fmt.Sprintf("Baseline %d: the highest rates at which the store meets the objectives, each held for a while.", version))
	p.blank()
	rows := [][]string{{"operation", "held/s", "MiB/s", "p50", "p99", "boundary", "fails first", "result"}}
	for i := range list {
		rows = append(rows, baselineRow(&searchReport{Record: &list[i], result: list[i].Result(), s: s}))
	}
	p.table(rows, func(col int) bool { return col == 0 || rows[0][col] == "fails first" || rows[0][col] == "result" },
		"p50", "fails first", "boundary")
	_, err := w.Write(p.buf.Bytes())
	return err
}

// baselineRow returns the cells of a search.
func baselineRow(r *searchReport) []string {
	row := []string{r.Stream, missing, missing, missing, missing, missing, r.result.Binding, string(r.result.Status)}
	b := &r.result.Boundary
	if len(b.CI) == 2 {
		row[5] = units.PerSecond(b.CI[0]) + " to " + units.PerSecond(b.CI[1])
	}
	i := r.HeldTrial()
	if i < 0 {
		return row
	}
	row[1] = units.PerSecond(b.Held)
	g := r.group(i, &r.Config.Objectives[0])
	if g == nil {
		return row
	}
	figure := func(metric string) (float64, bool) {
		m, _ := compare.Lookup(metric)
		v, enough, ok := m.Of(g, r.s.Segment)
		return v, enough && ok
	}
	if v, ok := figure("throughput"); ok {
		row[2] = units.MiBs(v, 2)
	}
	for k, metric := range []string{"p50", "p99"} {
		if v, ok := figure(metric); ok {
			row[3+k] = units.Duration(time.Duration(v))
		}
	}
	return row
}

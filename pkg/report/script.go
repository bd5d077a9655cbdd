package report

import (
	"fmt"
	"io"

	"warp/pkg/aggregate"
	"warp/pkg/units"
)

// ScriptRun is a run of a shell script.
type ScriptRun struct {
	Name    string // what distinguishes it from the others
	Figures *aggregate.Snapshot
}

// ScriptRuns writes a table of a script's runs, with a row for each kind of operations.
func ScriptRuns(w io.Writer, name string, runs []ScriptRun, o TextOptions) error {
	p := newPrinter(o.Color, o.Width)
	rows := [][]string{{"run", "operation", "op/s", "MiB/s", "p50", "p99", "errors"}}
	for _, r := range runs {
		several := severalPhases(r.Figures)
		for _, g := range r.Figures.Groups {
			if isPreparation(g) || g.Kind.IsComposite() {
				continue
			}
			kind := string(g.Kind)
			if several && g.Phase != kind {
				kind = g.Phase + " " + kind
			}
			row := []string{
				r.Name, kind, missing, missing, summaryPercentile(g.Latency, 50), summaryPercentile(g.Latency, 99), fmt.Sprint(g.Errors),
			}
			if g.Window.Duration() > 0 {
				row[2] = units.PerSecond(g.OpsPerSec())
				if g.MovesBytes() {
					row[3] = units.MiBs(g.BytesPerSec(), 2)
				}
			}
			rows = append(rows, row)
		}
	}
	if len(rows) < 2 {
		return nil
	}
	p.blank()
	p.emit(p.head, fmt.Sprintf("Runs of %s:", units.Line(name)))
	p.table(rows, func(column int) bool { return column < 2 }, "p50")
	_, err := w.Write(p.buf.Bytes())
	return err
}

package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"warp/internal/ui"
	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/distributed"
	"warp/pkg/op"
	"warp/pkg/report"
	"warp/pkg/report/units"
)

// reportView is a report, ready to be printed.
type reportView struct {
	snapshot   *aggregate.Snapshot
	operations int64 // read, whether they are reported or not
	config     config
	plan       json.RawMessage // as it was recorded, whatever this version knows of it
	warnings   []string        // beside those of the snapshot
	incomplete []string        // why the run or its recording is not whole; all of it stands in warnings too
	live       bool            // this is of the live statistics, since the recording is not whole
	runs       []aRun          // what the recordings say that they are of; none if there is no recording
	client     *client         // nil if it is not known
	clients    []distributed.ClientReport
	parts      []part
	links      bench.Connections
	extra      []string // remarks beside those made of the fields
}

// mostParts is of how many recordings the clients have a line each, unless more is asked for. Those that were the limit are
// warned of.
const mostParts = 10

// remarks are what a person should know about the run beside its figures.
func (v *reportView) remarks(verbose bool) (lines []string) {
	if v.config.Engine != "" {
		lines = append(lines, "Engine: "+v.config.Engine)
	}
	if n := v.links.Made; n > 0 {
		lines = append(lines, fmt.Sprintf("Connections: %d made while measuring, in %s on average (longest %s), which is part of the latency of their first operation",
			n, units.Duration(v.links.Spent/time.Duration(n)), units.Duration(v.links.Longest)))
	}
	if l := v.client.line(); l != "" {
		lines = append(lines, l)
	}
	for i := range v.parts {
		if i == mostParts && !verbose {
			lines = append(lines, fmt.Sprintf("%d more clients: --analyze.v shows them", len(v.parts)-i))
			break
		}
		if l := v.parts[i].line(); l != "" {
			lines = append(lines, l)
		}
	}
	lines = append(lines, v.extra...)
	if verbose {
		lines = append(lines, clientLines(v.clients)...)
	}
	return lines
}

// only leaves out all kinds of operations but one; empty: none.
func (v *reportView) only(kind op.Kind) {
	if kind != "" {
		v.snapshot.Groups = slices.DeleteFunc(v.snapshot.Groups, func(g *aggregate.Group) bool { return g.Kind != kind })
		v.snapshot.Totals = nil // those of all kinds
	}
}

// title names the recording whose report follows.
func (a *app) title(name string) { fmt.Fprintf(a.env.Stdout, "\n%s\n", name) }

// print prints a report as the flags ask for.
func (a *app) print(v *reportView, out *outputFlags, an *analyzeFlags) error {
	if len(v.snapshot.Groups) == 0 && (an.op != "" || an.host != "") {
		return an.unmatched()
	}
	err := a.printReport(v, out, an)
	if an.out != "" && !v.live { // live statistics have no such series
		err = errors.Join(err, writeSeries(an.out, v.snapshot, an.verbose, out.overwrite))
	}
	return err
}

// printReport prints it to standard output.
func (a *app) printReport(v *reportView, out *outputFlags, an *analyzeFlags) error {
	if out.json {
		doc := report.Document{
			Snapshot: v.snapshot, Warnings: v.warnings, WarpVersion: Version(), Command: v.config.Command,
			Engine: v.config.Engine, Plan: v.plan, Incomplete: v.incomplete,
		}
		if v.config.Environment != (machine{}) {
			var err error
			if doc.Environment, err = json.Marshal(v.config.Environment); err != nil {
				return err
			}
		}
		var err error
		if doc.Client, err = v.client.json(); err != nil {
			return err
		}
		if doc.Clients, err = clientsJSON(v.clients, v.parts); err != nil {
			return err
		}
		return report.JSON(a.env.Stdout, doc)
	}
	text := report.TextOptions{Verbose: an.verbose, Color: a.color(a.env.TTYOut, out), Location: time.Local, Warnings: v.warnings, Remarks: v.remarks(an.verbose)}
	if a.env.TTYOut {
		text.Width = ui.TerminalWidth()
	}
	return report.Text(a.env.Stdout, v.snapshot, text)
}

// color tells whether to print with colours to a stream that is a terminal or not.
func (a *app) color(tty bool, out *outputFlags) bool {
	return tty && !out.noColor && a.env.Getenv("NO_COLOR") == "" && a.env.Getenv("TERM") != "dumb"
}

func writeSeries(path string, s *aggregate.Snapshot, verbose, overwrite bool) error {
	if err := checkNew("analyze.out", path, overwrite); err != nil { // it may have come up during the run
		return err
	}
	f, err := os.Create(path)
	if err == nil {
		if err = report.CSV(f, s, verbose); err == nil {
			return f.Close()
		}
		_ = f.Close()
	}
	return fmt.Errorf("analyze.out: %s: %w", path, bare(err))
}

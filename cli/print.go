package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"warp/internal/option"
	"warp/internal/ui"
	"warp/pkg/aggregate"
	"warp/pkg/op"
	"warp/pkg/report"
	"warp/pkg/runinfo"
	"warp/pkg/units"
)

// reportView is a report, ready to be printed.
type reportView struct {
	snapshot   *aggregate.Snapshot
	operations int64 // read, whether they are reported or not
	runinfo.Info
	live  bool     // the figures are live statistics, since the recording is incomplete
	extra []string // remarks beside those made of the fields
}

// mostClients is how many clients have a line each without --analyze.v. There is a warning for those that were the limit.
const mostClients = 10

// remarks are what a person should know about the run beside its figures.
func (v *reportView) remarks(verbose bool) (lines []string) {
	if v.Head.Engine != "" {
		lines = append(lines, "Engine: "+v.Head.Engine)
	}
	if n := v.Connections.Made; n > 0 {
		lines = append(lines, fmt.Sprintf("Connections: %d made while measuring, in %s on average (longest %s), which is part of the latency of their first operation",
			n, units.Duration(v.Connections.Spent/time.Duration(n)), units.Duration(v.Connections.Longest)))
	}
	clients := v.ClientLines()
	if more := len(clients) - mostClients; more > 0 && !verbose {
		clients = append(clients[:mostClients], fmt.Sprintf("%d more clients: --analyze.v shows them", more))
	}
	lines = append(append(lines, clients...), v.extra...)
	if verbose {
		lines = append(lines, v.ReportLines()...)
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
			Snapshot: v.snapshot, Warnings: v.Warnings, WarpVersion: Version(), Command: v.Head.Command,
			Engine: v.Head.Engine, Plan: v.Plan, Incomplete: v.Incomplete,
		}
		var err error
		if v.Head.Environment != (runinfo.Machine{}) {
			if doc.Environment, err = json.Marshal(v.Head.Environment); err != nil {
				return err
			}
		}
		if doc.Client, err = v.SelfJSON(); err != nil {
			return err
		}
		if doc.Clients, err = v.ClientsJSON(); err != nil {
			return err
		}
		return report.JSON(a.env.Stdout, doc)
	}
	text := report.TextOptions{Verbose: an.verbose, Color: a.color(a.env.TTYOut, out), Location: time.Local, Warnings: v.Warnings, Remarks: v.remarks(an.verbose)}
	if a.env.TTYOut {
		text.Width = ui.TerminalWidth()
	}
	return report.Text(a.env.Stdout, v.snapshot, text)
}

// color reports whether to print with colours to a stream that is a terminal or not.
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
	return option.Errorf("analyze.out", "%s: %w", path, withoutPath(err))
}

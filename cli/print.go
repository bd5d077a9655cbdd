package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"warp/internal/ui"
	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/distributed"
	"warp/pkg/report"
	"warp/pkg/report/units"
)

// reportView is a report, ready to be printed.
type reportView struct {
	snapshot *aggregate.Snapshot
	config   config
	plan     json.RawMessage // as it was recorded, whatever this version knows of it
	warnings []string        // beside those of the snapshot
	runs     []aRun          // what the recordings say that they are of; none if there is no recording
	client   *client         // nil if it is not known
	clients  []distributed.ClientReport
	parts    []part
	links    bench.Connections
	extra    []string // remarks beside those made of the fields
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

// title names the recording whose report follows.
func (a *app) title(name string) { fmt.Fprintf(a.env.Stdout, "\n%s\n", name) }

// print prints a report as the flags ask for.
func (a *app) print(v *reportView, out *outputFlags, an *analyzeFlags) error {
	if len(v.snapshot.Groups) == 0 && (an.op != "" || an.host != "") {
		return an.unmatched()
	}
	if an.out != "" {
		if err := writeSeries(an.out, v.snapshot, an.verbose); err != nil {
			return err
		}
	}
	if out.json {
		doc := report.Document{
			Snapshot: v.snapshot, Warnings: v.warnings, WarpVersion: Version(), Command: v.config.Command,
			Engine: v.config.Engine, Plan: v.plan,
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

func writeSeries(path string, s *aggregate.Snapshot, verbose bool) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("analyze.out: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return report.CSV(f, s, verbose)
}

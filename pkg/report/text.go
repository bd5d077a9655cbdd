// Package report shows a snapshot of statistics: as text for a person, as JSON for a program, as a table of segments
// for a spreadsheet. It computes nothing but rates and orders; all figures come from package aggregate.
//
// Text answers, for each type of operation in turn: what ran, how long single requests took, what went through per
// second, and what went wrong. JSON holds the same figures; docs/json.md describes its fields.
package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/units"
)

// TextOptions says how Text prints.
type TextOptions struct {
	Color    bool           // colour headlines, errors and warnings
	Verbose  bool           // requests by host and by client, segments by host, every error that is known
	Location *time.Location // of the times of day; nil: local time
	Width    int            // fold longer lines, for a terminal; 0: never, for files and pipes
	Remarks  []string       // about the run, printed after its figures; of a comparison before them
	Warnings []string       // of the run, printed before those of the snapshot
}

// rule stands above each type of operation.
const rule = "----------------------------------------"

// textReport is one report being printed.
type textReport struct {
	*printer
	s *aggregate.Snapshot
	o TextOptions
}

// Text prints s for a person.
func Text(w io.Writer, s *aggregate.Snapshot, o TextOptions) error {
	if o.Location == nil {
		o.Location = time.Local
	}
	r := &textReport{printer: newPrinter(o.Color, o.Width), s: s, o: o}
	for i, g := range s.Groups {
		if i > 0 {
			r.blank()
		}
		if isPreparation(g) {
			r.preparation(g)
		} else {
			r.group(g)
		}
	}
	for _, t := range s.Totals {
		if !isPreparation(t) {
			r.blank()
			r.total(t)
		}
	}
	if len(s.Groups) == 0 {
		r.line(nil, "No operations.")
	}
	if len(o.Remarks) > 0 {
		r.blank()
	}
	for _, remark := range o.Remarks {
		r.line(nil, remark)
	}
	r.warnings()
	_, err := w.Write(r.buf.Bytes())
	return err
}

// group prints one type of operation in full.
func (r *textReport) group(g *aggregate.Group) {
	r.emit(r.head, rule)
	r.headline("Operation: "+string(g.Kind), g)
	if g.Window.Duration() > 0 {
		r.requests(g)
		r.sizeClasses(g)
		r.throughput(g)
		r.hosts(g)
		r.clients(g)
		r.segments(g)
	} else {
		r.noWindow()
	}
	r.errors(g)
}

// preparation prints what uploaded the data set, in short: it is not what the benchmark measures.
func (r *textReport) preparation(g *aggregate.Group) {
	r.emit(r.head, rule)
	r.headline("Preparation: "+string(g.Kind), g)
	if g.Window.Duration() > 0 {
		r.list(nil, " * Average: ", averageItems(g, partRate(&g.Part, g.Window)))
	}
	r.errors(g)
}

// total prints all types of a phase together, with the share of each.
func (r *textReport) total(t *aggregate.Group) {
	r.emit(r.head, rule)
	r.headline("Cluster Total", t)
	if t.Window.Duration() > 0 {
		r.throughput(t)
		r.shares(t)
		r.segments(t)
	} else {
		r.noWindow()
	}
	if t.Errors > 0 {
		r.blank()
		r.line(r.bad, errorCount(t))
	}
}

// headline says what ran: "GET (261320). Ran 1m0s. Size: 4000 bytes. Concurrency: 40. Warp Instances: 4."
func (r *textReport) headline(title string, g *aggregate.Group) {
	parts := []string{fmt.Sprintf("%s (%d).", title, g.Requests)}
	if t := totalOf(r.s, g.Phase); t != nil && g.Kind != "" {
		parts = append(parts, units.Percent(g.Requests, t.Requests)+" of operations.")
	}
	if g.Phase != "" && !isPreparation(g) {
		parts = append(parts, "Phase: "+g.Phase+".")
	}
	parts = append(parts, "Ran "+ran(g.Last.Sub(g.First))+".")
	if g.Kind != "" {
		parts = append(parts, shapeOf(g)...)
	}
	parts = append(parts, fmt.Sprintf("Concurrency: %d.", g.Threads))
	if n := len(g.Hosts); n > 1 {
		parts = append(parts, fmt.Sprintf("Hosts: %d.", n))
	}
	if n := len(g.Clients); n > 1 {
		parts = append(parts, fmt.Sprintf("Warp Instances: %d.", n))
	}
	for i := range parts {
		parts[i] = units.Line(parts[i])
	}
	r.fold(r.head, "", parts, " ")
}

// ran prints how long operations went on; whole seconds are enough once there are ten.
func ran(d time.Duration) string {
	if d >= 10*time.Second {
		d = d.Round(time.Second)
	}
	return units.Span(d)
}

// shapeOf says how large the operations of g were, as far as that applies.
func shapeOf(g *aggregate.Group) (parts []string) {
	if g.MovesBytes() {
		parts = append(parts, sizeText(g)+".")
	}
	switch {
	case g.MaxObjects <= 1 && g.MinObjects == g.MaxObjects:
	case g.MinObjects == g.MaxObjects:
		parts = append(parts, fmt.Sprintf("Objects per operation: %d.", g.MaxObjects))
	default:
		parts = append(parts, fmt.Sprintf("Objects per operation: %d to %d.", g.MinObjects, g.MaxObjects))
	}
	return parts
}

func sizeText(g *aggregate.Group) string {
	if g.MinSize == g.MaxSize {
		return fmt.Sprintf("Size: %d bytes", g.MinSize)
	}
	text := "Sizes: " + units.Size(g.MinSize) + " to " + units.Size(g.MaxSize)
	if _, bytes, ok := perOp(g); ok {
		text += fmt.Sprintf(", average %d bytes", int64(math.Round(bytes)))
	}
	return text
}

// noWindow says why there are no figures.
func (r *textReport) noWindow() {
	r.blank()
	r.line(nil, "Nothing was measured: too few operations, or too short a run, to leave a window between its start and its end.")
}

// clock prints a time of day with the name of its zone.
func (r *textReport) clock(t time.Time, layout string) string {
	return t.In(r.o.Location).Format(layout + " MST")
}

// warnings prints what puts the figures in doubt, last, where it is seen.
func (r *textReport) warnings() {
	all := append(append([]string(nil), r.o.Warnings...), r.s.Warnings...)
	if len(all) > 0 {
		r.blank()
	}
	for _, w := range all {
		r.line(r.warn, "Warning: "+strings.TrimSpace(w))
	}
}

// perSec joins a figure and its unit per second.
func perSec(v float64, unit string) string { return units.PerSecond(v) + " " + unit + "/s" }

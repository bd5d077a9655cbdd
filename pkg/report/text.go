// Package report renders a snapshot of statistics: as text for people, as JSON for programs, as a table of segments for
// spreadsheets. It computes nothing but rates and rankings; all figures come from package aggregate.
//
// Text covers each kind of operation in turn: what ran, the latency of requests, the throughput, and the errors. JSON
// holds the same figures; docs/reference/json.md describes its fields.
package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/units"
)

// textReport is one report being printed.
type textReport struct {
	*printer
	s       *aggregate.Snapshot
	o       TextOptions
	several bool // phases
}

// Text prints s for people.
func Text(w io.Writer, s *aggregate.Snapshot, o TextOptions) error {
	if o.Location == nil {
		o.Location = time.Local
	}
	r := &textReport{printer: newPrinter(o.Color, o.Width), s: s, o: o, several: severalPhases(s)}
	switch o.Form {
	case Classic:
		r.classic()
	case Brief:
		r.overview()
	default:
		r.overview()
		r.details()
	}
	_, err := w.Write(r.buf.Bytes())
	return err
}

// details prints a block for each kind of operation, then remarks, and the warnings that are not in the overview.
func (r *textReport) details() {
	blocks := r.capture(func() {
		if r.several {
			r.phases()
		} else {
			r.onePhase()
		}
	})
	remarks := r.capture(func() {
		for _, remark := range r.o.Remarks {
			r.line(nil, remark)
		}
	})
	warnings := r.capture(func() {
		all := r.allWarnings()
		for _, w := range all[min(len(all), maxWarnings):] {
			r.line(r.warn, "Warning: "+w)
		}
	})
	for _, part := range [][]byte{blocks, remarks, warnings} {
		if len(part) > 0 {
			if r.buf.Len() > 0 {
				r.blank()
			}
			r.buf.Write(bytes.TrimRight(part, "\n"))
			r.blank()
		}
	}
}

// onePhase prints each kind of operation of the only phase, and their total.
func (r *textReport) onePhase() {
	groups := slices.DeleteFunc(slices.Clone(r.s.Groups), emptyPreparation)
	for i, g := range groups {
		if i > 0 {
			r.blank()
		}
		if isPreparation(g) {
			r.preparation(g)
		} else {
			r.emit(r.head, rule)
			r.group(g)
		}
	}
	for _, t := range r.s.Totals {
		if !isPreparation(t) {
			r.blank()
			r.emit(r.head, rule)
			r.total(t)
		}
	}
	for i := range r.o.Expected {
		switch e := &r.o.Expected[i]; {
		case i > 0 && e.Stream == r.o.Expected[i-1].Stream:
		case e.Stream == "":
			r.verdicts("", "")
		default:
			r.verdicts(e.Stream, " in "+e.Stream)
		}
	}
}

// group prints one kind of operation in full.
func (r *textReport) group(g *aggregate.Group) {
	r.headline("Operation: "+string(g.Kind), g)
	if g.Window.Duration() > 0 {
		r.requests(g)
		r.sizeClasses(g)
		r.throughput(g)
		r.used(g)
		r.parts(g)
		if r.o.Verbose || !r.several || totalOf(r.s, g.Phase) == nil {
			r.segments(g) // otherwise the total has segments
		}
	} else {
		r.noWindow()
	}
	r.errors(g)
}

// preparation prints the uploads of the data set, in brief: they are not what the benchmark measures.
func (r *textReport) preparation(g *aggregate.Group) {
	r.emit(r.head, rule)
	r.headline("Preparation: "+string(g.Kind), g)
	if g.Window.Duration() > 0 {
		r.list(nil, " * Average: ", averageItems(g, partRate(&g.Part, g.Window)))
	}
	r.errors(g)
}

// emptyPreparation reports whether a group has nothing to say of the preparation, such as a single request.
func emptyPreparation(g *aggregate.Group) bool {
	return isPreparation(g) && g.Window.Duration() == 0 && g.Errors == 0 && !g.MovesBytes()
}

// total prints all kinds of a phase together, with the share of each.
func (r *textReport) total(t *aggregate.Group) {
	title := "Cluster Total"
	if t.Combined() {
		title = "In parallel: " + t.Phase
	}
	r.headline(title, t)
	if t.Window.Duration() > 0 {
		r.throughput(t)
		r.shares(t)
		r.used(t)
		r.segments(t)
	} else {
		r.noWindow()
	}
	if t.Errors > 0 {
		r.blank()
		r.line(r.bad, errorCount(t))
	}
}

// headline prints what ran: "GET (261320). Ran 1m0s. Size: 4000 bytes. Concurrency: 40. Warp Instances: 4."
func (r *textReport) headline(title string, g *aggregate.Group) {
	parts := []string{fmt.Sprintf("%s (%d).", title, g.Requests)}
	if t := totalOf(r.s, g.Phase); t != nil && !t.Combined() && g.Kind != "" && !g.Kind.IsComposite() {
		parts = append(parts, units.Percent(g.Requests, t.Requests)+" of operations.")
	}
	if g.Phase != "" && !isPreparation(g) && !r.several {
		parts = append(parts, "Phase: "+g.Phase+".")
	}
	parts = append(parts, "Ran "+ran(g.Last.Sub(g.First))+".")
	if g.Kind != "" {
		parts = append(parts, shapeOf(g)...)
	}
	parts = append(parts, fmt.Sprintf("Concurrency: %d.", g.Concurrency()))
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

// shapeOf returns the sizes and objects per operation of g, as far as they apply.
func shapeOf(g *aggregate.Group) (parts []string) {
	if g.MovesBytes() {
		parts = append(parts, sizeText(g)+".")
	}
	switch {
	case g.MaxObjects <= 1:
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

// noWindow explains why there are no figures.
func (r *textReport) noWindow() {
	r.blank()
	r.line(nil, "Nothing was measured: too few operations, or too short a run, for an active window.")
}

// clock formats a time of day with its zone.
func (r *textReport) clock(t time.Time, layout string) string {
	return t.In(r.o.Location).Format(layout + " MST")
}

// Limits without Verbose.
const (
	maxClasses     = 10
	maxPartClasses = 3
	maxFirstErrors = 5
	maxErrorText   = 300 // characters of one error
)

// errors prints the number of failed operations, the classes of their errors, and the first errors; nothing if none failed.
func (r *textReport) errors(g *aggregate.Group) {
	if g.Errors == 0 {
		return
	}
	r.blank()
	classes := sortedClasses(g.ErrorsByClass)
	head := errorCount(g)
	if len(classes) > 0 {
		head += ":"
	}
	r.line(r.bad, head)
	shown := len(classes)
	if !r.o.Verbose {
		shown = min(shown, maxClasses)
	}
	for _, c := range classes[:shown] {
		r.line(nil, fmt.Sprintf(" * %s: %d", c, g.ErrorsByClass[c]))
	}
	if rest := len(classes) - shown; rest > 0 {
		r.line(nil, fmt.Sprintf(" * %d more kinds of error", rest))
	}
	r.errorsByHost(g)
	r.errorsOverTime(g)
	r.firstErrors(g)
}

// errorsByHost prints the classes of each host that failed, if there are several.
func (r *textReport) errorsByHost(g *aggregate.Group) {
	if len(g.Hosts) < 2 {
		return
	}
	hosts := slices.DeleteFunc(slices.Sorted(maps.Keys(g.ByHost)), func(name string) bool { return g.ByHost[name].Failed == 0 })
	slices.SortStableFunc(hosts, func(a, b string) int { return cmp.Compare(g.ByHost[b].Failed, g.ByHost[a].Failed) })
	shown := len(hosts)
	if !r.o.Verbose {
		shown = min(shown, maxClasses)
	}
	for _, name := range hosts[:shown] {
		p := g.ByHost[name]
		text := fmt.Sprintf(" * On %s: %d of %d", name, p.Failed, p.Total)
		if len(p.ErrorsByClass) > 0 {
			text += " (" + classCounts(p.ErrorsByClass, "%s: %d", ", ", r.maxClassesShown()) + ")"
		}
		r.line(nil, text)
	}
	if rest := len(hosts) - shown; rest > 0 {
		r.line(nil, fmt.Sprintf(" * %d more hosts with errors", rest))
	}
}

// maxClassesShown returns the number of classes of errors to list for a host or a segment.
func (r *textReport) maxClassesShown() int {
	if r.o.Verbose {
		return math.MaxInt
	}
	return maxPartClasses
}

// classCounts formats the most frequent classes of errors, and then how many others there are.
func classCounts(byClass map[string]int64, format, separator string, limit int) string {
	var list []string
	classes := sortedClasses(byClass)
	for _, c := range classes[:min(limit, len(classes))] {
		list = append(list, fmt.Sprintf(format, c, byClass[c]))
	}
	if rest := len(classes) - len(list); rest > 0 {
		list = append(list, fmt.Sprintf("%d more", rest))
	}
	return strings.Join(list, separator)
}

// errorsOverTime distinguishes a burst of failures from a steady trickle; it prints nothing if no whole segment has
// failures.
func (r *textReport) errorsOverTime(g *aggregate.Group) {
	with, worst := 0, 0
	for i := range g.Segments {
		if g.Segments[i].Errors == 0 {
			continue
		}
		with++
		if g.Segments[i].Errors > g.Segments[worst].Errors {
			worst = i
		}
	}
	if with == 0 || len(g.Segments) == 1 {
		return
	}
	length, highest := r.s.Segment, &g.Segments[worst]
	text := fmt.Sprintf(" * Over time: in %d of %d segments of %s, the most (%d) in that starting %s", with, len(g.Segments),
		units.Span(length), highest.Errors, r.clock(segmentStart(g, worst, length), clockLayout(length)))
	if len(g.ErrorsByClass) > 1 && len(highest.ErrorsByClass) > 0 {
		text += " (" + classCounts(highest.ErrorsByClass, "%s: %d", ", ", r.maxClassesShown()) + ")"
	}
	r.line(nil, text)
}

func (r *textReport) firstErrors(g *aggregate.Group) {
	samples := g.FirstErrors
	if !r.o.Verbose {
		samples = samples[:min(len(samples), maxFirstErrors)]
	}
	if len(samples) == 0 {
		return
	}
	r.blank()
	r.line(r.title, "First errors:")
	for _, e := range samples {
		text := " * " + r.clock(e.Time, "15:04:05.000") + ", " + e.Host
		if e.Key != "" {
			text += ", " + units.Truncate(e.Key, maxErrorText)
		}
		r.line(nil, text+": "+units.Truncate(e.Err, maxErrorText))
	}
}

// errorCount returns the headline of the errors of g.
func errorCount(g *aggregate.Group) string {
	return fmt.Sprintf("Errors: %d (%s of operations)", g.Errors, units.Percent(g.Errors, g.Requests))
}

// sortedClasses orders error classes by frequency, then by name.
func sortedClasses(byClass map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(byClass), func(a, b string) int {
		return cmp.Or(cmp.Compare(byClass[b], byClass[a]), cmp.Compare(a, b))
	})
}

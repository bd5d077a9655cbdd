package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"warp/pkg/compare"
	"warp/pkg/op"
	"warp/pkg/search"
	"warp/pkg/units"
)

// Limits of differing parameters without Verbose.
const (
	maxParams    = 20
	maxParamText = 60 // characters of one value
)

// comparisonReport is one comparison being printed.
type comparisonReport struct {
	*printer
	c *compare.Comparison
	o TextOptions
}

// Comparison prints c for people: the parameters that differ, then what searches found, each kind of operation that both sides have, then
// what only one side has. Tables fit into 80 columns unless figures are very large; where Width is less than a table
// needs, it becomes lines that can be folded. Remarks come first. With Verbose all differing parameters are shown.
// Location is ignored: there are no times of day.
func Comparison(w io.Writer, c *compare.Comparison, searches []search.Change, o TextOptions) error {
	r := &comparisonReport{printer: newPrinter(o.Color, o.Width), c: c, o: o}
	for _, remark := range o.Remarks {
		r.line(nil, remark)
	}
	if len(o.Remarks) > 0 {
		r.blank()
	}
	r.params()
	switch {
	case len(c.Kinds)+len(searches) > 0:
		r.legend()
	default:
		r.line(nil, "No kind of operation is on both sides.")
	}
	for i := range searches {
		r.blank()
		printBoundary(r, &searches[i])
	}
	for _, k := range c.Kinds {
		r.blank()
		r.oneKind(k)
	}
	r.onOneSide()
	printSummary(r)
	r.notes()
	_, err := w.Write(r.buf.Bytes())
	return err
}

// params lists the parameters that differ, minor ones by name only.
func (r *comparisonReport) params() {
	if len(r.c.Params) == 0 {
		return
	}
	var lines, minor []string // minor: by name
	for _, p := range r.c.Params {
		if p.Minor && !r.o.Verbose {
			minor = append(minor, p.Path)
			continue
		}
		lines = append(lines, fmt.Sprintf("%s: %s -> %s", p.Path, paramValue(p.Path, p.Before), paramValue(p.Path, p.After)))
	}
	if len(lines) == 0 {
		r.list(nil, "Minor parameters that differ: ", minor)
		r.blank()
		return
	}
	r.line(r.title, "Parameters that differ:")
	shown := len(lines)
	if !r.o.Verbose {
		shown = min(shown, maxParams)
	}
	for _, l := range lines[:shown] {
		r.line(nil, " * "+l)
	}
	if rest := len(lines) - shown; rest > 0 {
		r.line(nil, fmt.Sprintf(" * %d more", rest))
	}
	if len(minor) > 0 {
		r.list(nil, " * minor: ", minor)
	}
	r.blank()
}

// paramValue formats the value of a parameter; values named *_ns as durations.
func paramValue(path, v string) string {
	if v == "" {
		return "(not set)"
	}
	if ns, err := strconv.ParseInt(v, 10, 64); err == nil && strings.HasSuffix(path, "_ns") {
		return units.Span(time.Duration(ns))
	}
	return units.Truncate(v, maxParamText)
}

// legend explains the notation once.
func (r *comparisonReport) legend() {
	if r.c.Method != compare.Bootstrap {
		text := fmt.Sprintf("Runs: %d -> %d. Figures are medians of the runs; operations, errors and durations are totals.",
			r.c.Before, r.c.After)
		if r.c.Method == compare.Ranks {
			text += " A change is the median over all pairs of a run before and one after, which may differ from that of the medians."
		}
		r.line(nil, text)
	}
	claims := "improved, regressed = more than chance at " + level(r.c.Confidence) + " confidence"
	if r.c.Threshold > 0 {
		claims += ", and by more than " + level(r.c.Threshold)
	}
	r.line(nil, "Legend: ~ = no claim: it may be chance, or could not be tested; "+claims+".")
}

// oneKind prints one kind of operation.
func (r *comparisonReport) oneKind(k *compare.Kind) {
	r.emit(r.head, rule)
	r.line(r.head, kindTitle(k.Name))
	r.line(nil, fmt.Sprintf("Operations: %d -> %d", k.Before.Operations, k.After.Operations))
	r.line(nil, fmt.Sprintf("Duration: %s -> %s", ran(k.Before.Duration), ran(k.After.Duration)))
	r.errorChange(k)
	r.averageLine(k)
	if k.Phase == op.PhasePrepare { // not what the benchmark measures
		return
	}
	if !k.Total {
		r.firstByteLine(k)
	}
	r.segmentLines(k)
	r.blank()
	r.line(nil, r.method(k))
	r.table(k)
}

func kindTitle(n compare.Name) string {
	switch {
	case n.Phase == op.PhasePrepare && n.Total:
		return "Preparation: total"
	case n.Phase == op.PhasePrepare:
		return "Preparation: " + string(n.Kind)
	}
	title := "Operation: " + string(n.Kind)
	if n.Total {
		title = "Cluster Total"
	}
	if n.Phase != "" {
		title += ". Phase: " + n.Phase
	}
	return title
}

// errorChange prints how many operations failed. It makes no claim: failures come in bursts, so their number says
// little about chance.
func (r *comparisonReport) errorChange(k *compare.Kind) {
	b, a := k.Before, k.After
	text := fmt.Sprintf("Errors: %d -> %d", b.Errors, a.Errors)
	if b.Errors == 0 && a.Errors == 0 {
		r.line(nil, text)
		return
	}
	paint := r.bad
	if a.Errors == 0 {
		paint = nil
	}
	r.line(paint, fmt.Sprintf("%s (%s -> %s of operations)", text,
		units.Percent(b.Errors, b.Operations), units.Percent(a.Errors, a.Operations)))
}

// method names the basis of the verdicts on k: "Method: block bootstrap over 59 segments each, 16768 and 17105
// requests".
func (r *comparisonReport) method(k *compare.Kind) string {
	requests := each(k.Before.Considered, k.After.Considered, "request")
	segments := each(int64(k.Before.Segments), int64(k.After.Segments), "segment")
	runs := each(int64(k.Before.Runs), int64(k.After.Runs), "run")
	tested := false
	for i := range k.Changes {
		tested = tested || k.Changes[i].P != nil
	}
	switch {
	case r.c.Method == compare.Bootstrap && tested:
		return "Method: block bootstrap over " + segments + ", " + requests
	case r.c.Method == compare.Bootstrap:
		return "Method: none, nothing could be tested over " + segments + ", " + requests
	case tested:
		return "Method: Mann-Whitney over " + runs + ", " + requests
	}
	return "Method: none, nothing could be tested over " + runs + ", " + requests
}

// each formats the counts of both sides: "59 segments each", "1 and 6 runs".
func each(before, after int64, noun string) string {
	if before == after {
		return units.Plural(before, noun) + " each"
	}
	return fmt.Sprintf("%d and %s", before, units.Plural(after, noun))
}

// onOneSide lists the kinds that only one side has.
func (r *comparisonReport) onOneSide() {
	side := func(where string, names []compare.Name) {
		if len(names) == 0 {
			return
		}
		phases, list := phasesOf(r.c, names)
		for _, n := range phases {
			r.line(r.warn, "Phase only "+where+": "+n)
		}
		if len(list) > 0 {
			r.list(nil, "Only "+where+": ", list)
		}
	}
	if len(r.c.OnlyBefore)+len(r.c.OnlyAfter) > 0 {
		r.blank()
	}
	side("before", r.c.OnlyBefore)
	side("after", r.c.OnlyAfter)
}

// notes prints caveats, reasons for missing claims, and the warnings of the runs.
func (r *comparisonReport) notes() {
	notes := append(changeNotes(r.c), r.c.Notes...)
	if len(notes)+len(r.o.Warnings) > 0 {
		r.blank()
	}
	for _, n := range notes {
		r.line(nil, "Note: "+n)
	}
	for _, w := range r.o.Warnings {
		r.line(r.warn, "Warning: "+strings.TrimSpace(w))
	}
}

// averageLine prints "* Average: +2.10% (+11.7 MiB/s) throughput, +2.10% (+11.7) obj/s".
func (r *comparisonReport) averageLine(k *compare.Kind) {
	r.rateLine("Average", k, "throughput", "objects")
}

// segmentLines prints the same for the fastest, median and slowest segment, if there are several segments.
func (r *comparisonReport) segmentLines(k *compare.Kind) {
	if !severalSegments(k) {
		return
	}
	r.rateLine("Fastest", k, "fastest", "fastest.objects")
	r.rateLine("50% Median", k, "median", "median.objects")
	r.rateLine("Slowest", k, "slowest", "slowest.objects")
}

func (r *comparisonReport) rateLine(name string, k *compare.Kind, bytes, objects string) {
	var items []string
	if c := k.Change(bytes); enough(c) {
		items = append(items, percentChange(c)+" ("+units.Signed(units.MiBs(c.Absolute, 1))+" MiB/s) throughput"+mark(c))
	}
	if c := k.Change(objects); enough(c) {
		items = append(items, percentChange(c)+" ("+units.Signed(units.MiBs(c.Absolute*units.MiB, 1))+") obj/s"+mark(c))
	}
	if len(items) > 0 {
		r.list(nil, "* "+name+": ", items)
	}
}

// firstByteLine prints the changes of times to first byte, if there are any.
func (r *comparisonReport) firstByteLine(k *compare.Kind) {
	var items []string
	for _, m := range []struct{ name, metric string }{
		{"Average", "ttfb"}, {"Median", "ttfb.p50"}, {"Best", "ttfb.min"}, {"Worst", "ttfb.max"},
	} {
		if c := k.Change(m.metric); enough(c) {
			items = append(items, m.name+": "+units.Signed(nanoseconds(c.Absolute))+" ("+percentChange(c)+")"+mark(c))
		}
	}
	if len(items) > 0 {
		r.list(nil, "* First Byte: ", items)
	}
}

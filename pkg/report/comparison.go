package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"warp/pkg/compare"
	"warp/pkg/op"
	"warp/pkg/units"
)

// What is shown of parameters that differ without Verbose.
const (
	maxParams    = 20
	maxParamText = 60 // characters of one value
)

// unclaimed stands after every figure that is not shown to be more than chance.
const unclaimed = " ~"

// comparisonReport is one comparison being printed.
type comparisonReport struct {
	*printer
	c *compare.Comparison
	o TextOptions
}

// Comparison prints c for a person: what differs in the parameters, then each type of operation that both sides have, then
// what only one side has. Tables fit into 80 columns unless figures are very large; where Width is less than one needs,
// it becomes lines that can be folded.
// Remarks come first. With Verbose all parameters that differ are shown. Location means nothing here: there are no times of day.
func Comparison(w io.Writer, c *compare.Comparison, o TextOptions) error {
	r := &comparisonReport{printer: newPrinter(o.Color, o.Width), c: c, o: o}
	for _, remark := range o.Remarks {
		r.line(nil, remark)
	}
	if len(o.Remarks) > 0 {
		r.blank()
	}
	r.params()
	if len(c.Types) > 0 {
		r.legend()
	} else {
		r.line(nil, "No type of operation is on both sides.")
	}
	for _, t := range c.Types {
		r.blank()
		r.oneType(t)
	}
	r.onOneSide()
	r.notes()
	_, err := w.Write(r.buf.Bytes())
	return err
}

// params lists the parameters that differ, those that hardly matter by name only.
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
		r.list(nil, "Parameters that differ, but hardly matter: ", minor)
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
		r.list(nil, " * hardly matter: ", minor)
	}
	r.blank()
}

// paramValue prints the value of a parameter; times, whose names end in _ns, as such.
func paramValue(path, v string) string {
	if v == "" {
		return "(not set)"
	}
	if ns, err := strconv.ParseInt(v, 10, 64); err == nil && strings.HasSuffix(path, "_ns") {
		return units.Span(time.Duration(ns))
	}
	return cut(v, maxParamText)
}

// legend explains once what all the types below use.
func (r *comparisonReport) legend() {
	if r.c.Method != compare.Bootstrap {
		text := fmt.Sprintf("Runs: %d -> %d. Figures are medians of the runs; operations, errors and durations are of all together.",
			r.c.Before, r.c.After)
		if r.c.Method == compare.Ranks {
			text += " A change is the median of those between any run before and any after, so it need not be that of the medians."
		}
		r.line(nil, text)
	}
	claims := "improved, regressed = more than chance at " + level(r.c.Confidence) + " confidence"
	if r.c.Threshold > 0 {
		claims += ", and by more than " + level(r.c.Threshold)
	}
	r.line(nil, "Legend: ~ = no claim, it may be chance or could not be tested; "+claims+".")
}

// oneType prints one type of operation.
func (r *comparisonReport) oneType(t *compare.Type) {
	r.emit(r.head, rule)
	r.line(r.head, typeTitle(t.Name))
	r.line(nil, fmt.Sprintf("Operations: %d -> %d", t.Before.Operations, t.After.Operations))
	r.line(nil, fmt.Sprintf("Duration: %s -> %s", ran(t.Before.Duration), ran(t.After.Duration)))
	r.errorChange(t)
	r.averageLine(t)
	if t.Phase == op.PhasePrepare { // not what the benchmark measures
		return
	}
	if !t.Total {
		r.firstByteLine(t)
	}
	r.segmentLines(t)
	r.blank()
	r.line(nil, r.method(t))
	r.table(t)
}

func typeTitle(n compare.Name) string {
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

// errorChange prints how many operations failed. It is no claim: failures come in bursts, so their number says little of
// chance.
func (r *comparisonReport) errorChange(t *compare.Type) {
	b, a := t.Before, t.After
	text := fmt.Sprintf("Errors: %d -> %d", b.Errors, a.Errors)
	if b.Errors == 0 && a.Errors == 0 {
		r.line(nil, text)
		return
	}
	mood := r.bad
	if a.Errors == 0 {
		mood = nil
	}
	r.line(mood, fmt.Sprintf("%s (%s -> %s of operations)", text,
		units.Percent(b.Errors, b.Operations), units.Percent(a.Errors, a.Operations)))
}

// method says what the verdicts on t rest on: "Method: block bootstrap over 59 segments each, 16768 and 17105 requests".
func (r *comparisonReport) method(t *compare.Type) string {
	requests := each(t.Before.Considered, t.After.Considered, "request")
	segments := each(int64(t.Before.Segments), int64(t.After.Segments), "segment")
	runs := each(int64(t.Before.Runs), int64(t.After.Runs), "run")
	tested := false
	for i := range t.Changes {
		tested = tested || t.Changes[i].P != nil
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

// each joins how many there are on both sides: "59 segments each", "1 and 6 runs".
func each(before, after int64, noun string) string {
	if before == after {
		return units.Plural(before, noun) + " each"
	}
	return fmt.Sprintf("%d and %s", before, units.Plural(after, noun))
}

// onOneSide lists what there was nothing to compare with.
func (r *comparisonReport) onOneSide() {
	side := func(where string, names []compare.Name) {
		if len(names) == 0 {
			return
		}
		var list []string
		for _, n := range names {
			list = append(list, n.String())
		}
		r.list(nil, "Only "+where+": ", list)
	}
	if len(r.c.OnlyBefore)+len(r.c.OnlyAfter) > 0 {
		r.blank()
	}
	side("before", r.c.OnlyBefore)
	side("after", r.c.OnlyAfter)
}

// notes prints what puts the claims in doubt and why there are none, and the warnings of the runs.
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

package report

import (
	"fmt"
	"io"
	"slices"
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
// needs, it becomes lines that can be folded. Remarks come first. With Verbose all differing parameters are shown, and the preparation.
// Location is ignored: there are no times of day. The form Classic has the blocks of MinIO warp and nothing else.
func Comparison(w io.Writer, c *compare.Comparison, searches []search.Change, o TextOptions) error {
	r := &comparisonReport{printer: newPrinter(o.Color, o.Width), c: c, o: o}
	if o.Form == Classic {
		for _, k := range c.Kinds {
			classicChange(r, k)
		}
	} else {
		r.body(searches)
	}
	_, err := w.Write(r.buf.Bytes())
	return err
}

// body prints remarks, parameters, and the comparison of each kind of operation.
func (r *comparisonReport) body(searches []search.Change) {
	for _, remark := range r.o.Remarks {
		r.line(nil, remark)
	}
	if len(r.o.Remarks) > 0 {
		r.blank()
	}
	r.params()
	kinds := r.shownKinds()
	switch {
	case len(kinds)+len(searches) > 0:
		r.legend()
	default:
		r.line(nil, "No kind of operation is on both sides.")
	}
	for i := range searches {
		r.blank()
		printBoundary(r, &searches[i])
	}
	for _, k := range kinds {
		r.blank()
		r.oneKind(k)
	}
	r.onOneSide()
	printSummary(r)
	r.notes()
}

// shownKinds returns the kinds of operations, of the preparation only with Verbose: it is not what the benchmark measures.
func (r *comparisonReport) shownKinds() []*compare.Kind {
	return slices.DeleteFunc(slices.Clone(r.c.Kinds), func(k *compare.Kind) bool { return k.Phase == op.PhasePrepare && !r.o.Verbose })
}

// params lists the parameters that differ, minor ones by name only.
func (r *comparisonReport) params() {
	if len(r.c.Params) == 0 {
		return
	}
	var lines, minor []string // minor: by name
	for _, p := range compare.Joined(r.c.Params) {
		if p.Minor && !r.o.Verbose {
			minor = append(minor, p.Name)
			continue
		}
		lines = append(lines, fmt.Sprintf("%s: %s -> %s", p.Name, paramValue(p.Path, p.Was), paramValue(p.Path, p.Is)))
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
	r.line(r.head, fmt.Sprintf("%s (%d -> %d). Ran %s -> %s.", kindTitle(k.Name), k.Before.Operations, k.After.Operations,
		ran(k.Before.Duration), ran(k.After.Duration)))
	r.errorChange(k)
	r.changes(k)
	if wasTested(k) {
		r.line(nil, r.method(k))
	}
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

// errorChange prints how many operations failed, if any did. It makes no claim: failures come in bursts, so their number says
// little about chance.
func (r *comparisonReport) errorChange(k *compare.Kind) {
	b, a := k.Before, k.After
	if b.Errors == 0 && a.Errors == 0 {
		return
	}
	paint := r.bad
	if a.Errors == 0 {
		paint = nil
	}
	r.line(paint, fmt.Sprintf("Errors: %d -> %d (%s -> %s of operations)", b.Errors, a.Errors,
		units.Percent(b.Errors, b.Operations), units.Percent(a.Errors, a.Operations)))
}

// wasTested reports whether any change of a kind was tested.
func wasTested(k *compare.Kind) bool {
	return slices.ContainsFunc(k.Changes, func(c compare.Change) bool { return c.P != nil })
}

// method names the basis of the verdicts on k: "Method: block bootstrap over 59 segments each, 16768 and 17105
// requests".
func (r *comparisonReport) method(k *compare.Kind) string {
	over := each(int64(k.Before.Runs), int64(k.After.Runs), "run")
	name := "Mann-Whitney"
	if r.c.Method == compare.Bootstrap {
		name, over = "block bootstrap", each(int64(k.Before.Segments), int64(k.After.Segments), "segment")
	}
	return "Method: " + name + " over " + over + ", " + each(k.Before.Considered, k.After.Considered, "request")
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

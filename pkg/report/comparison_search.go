package report

import (
	"fmt"

	"github.com/fatih/color"

	"warp/pkg/compare"
	"warp/pkg/search"
	"warp/pkg/units"
)

// printBoundary prints how the boundary moved between two searches, or several.
func printBoundary(r *comparisonReport, c *search.Change) {
	r.emit(r.head, rule)
	r.line(r.head, searchTitle(c.Stream, c.Objectives))
	load := func(v float64) string { return Load(c.Control, v) }
	r.line(nil, fmt.Sprintf("Held: %s -> %s", load(c.Before.Held), load(c.After.Held)))
	if c.Relative == nil {
		r.line(nil, "Boundary: no claim, "+c.Note)
		return
	}
	paint, verdict := map[compare.Verdict]*color.Color{compare.Improved: r.good, compare.Regressed: r.bad}[c.Verdict], ": "+string(c.Verdict)
	if !c.Significant {
		verdict = notSignificant
	}
	r.line(paint, fmt.Sprintf("Boundary: %s -> %s, %s (%s interval %s to %s)%s",
		load(c.Before.Boundary), load(c.After.Boundary), units.Change(*c.Relative),
		level(r.c.Confidence), units.Change(c.CI.Low), units.Change(c.CI.High), verdict))
}

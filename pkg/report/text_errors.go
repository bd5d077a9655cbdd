package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"warp/pkg/aggregate"
	"warp/pkg/units"
)

// Limits without Verbose.
const (
	maxClasses     = 10
	maxFirstErrors = 5
	maxErrorText   = 300 // characters of one error
)

// errors prints how many operations failed, the classes of errors, and the first errors; nothing without any.
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
	r.errorsOverTime(g)
	r.firstErrors(g)
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
	length := r.s.Segment
	r.line(nil, fmt.Sprintf(" * Over time: in %d of %d segments of %s, the most (%d) in that starting %s", with, len(g.Segments),
		units.Span(length), g.Segments[worst].Errors, r.clock(segmentStart(g, worst, length), clockLayout(length))))
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

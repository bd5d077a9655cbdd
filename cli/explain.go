package cli

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"warp/pkg/bench"
	"warp/pkg/units"
)

// explain returns what a run of a scenario would do.
func explain(s *scenario) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", s.name)
	if need := s.compiled.Need(); need > 0 {
		fmt.Fprintf(&b, "  preparation: uploads %s\n", units.Size(need))
	}
	var least time.Duration
	open := false
	for i := range s.Plan.Phases {
		ph := &s.Plan.Phases[i]
		for j, st := range ph.Streams() {
			beside := ""
			if j > 0 {
				beside = " (side by side with the one above)"
			}
			fmt.Fprintf(&b, "  %s%s\n", streamLine(st), beside)
		}
		least += ph.Length()
		open = open || ph.Length() == 0
	}
	fmt.Fprintf(&b, "  measured for %s", units.Span(least))
	if open {
		b.WriteString(", and what has no limit of time")
	}
	b.WriteString("; at most " + units.Plural(int64(s.compiled.Connections()), "connection") + " at a time\n")
	for _, rule := range s.Rules {
		fmt.Fprintf(&b, "  expected%s: %s\n", inStream(rule.Stream), rule.Text)
	}
	return b.String()
}

// streamLine says what a stream does.
func streamLine(st *bench.Stream) string {
	var parts []string
	if st.Set != "" {
		parts = append(parts, "data set "+st.Set)
	}
	switch {
	case st.Rate > 0:
		parts = append(parts, units.PerSecond(st.Rate)+" operations/s of each client, at most "+units.Plural(int64(st.Concurrency), "thread"))
	case !st.Schedule.IsZero():
		parts = append(parts, st.Schedule.String()+" operations/s, at most "+units.Plural(int64(st.Concurrency), "thread"))
	default:
		parts = append(parts, units.Plural(int64(st.Concurrency), "thread"))
	}
	if st.Duration > 0 {
		parts = append(parts, units.Span(st.Duration))
		if st.Rate > 0 {
			parts = append(parts, fmt.Sprintf("%.0f operations", st.Rate*st.Duration.Seconds()))
		}
	}
	what := st.Workload
	for i, t := range st.Tasks {
		if i > 0 {
			what += " + "
		}
		what += fmt.Sprintf("%s %s (weight %g)", t.Workload, t.Set, cmp.Or(t.Weight, 1))
	}
	return cmp.Or(st.Name, st.Workload) + ": " + what + ", " + strings.Join(parts, ", ")
}

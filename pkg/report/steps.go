package report

import (
	"fmt"
	"strings"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/hist"
	"warp/pkg/load"
	"warp/pkg/units"
)

// Steps returns a line for each step of the load of a phase that began at a time, with the figures of a group of it: those of the segments
// that lie wholly in the step. A step without any has no line.
func Steps(g *aggregate.Group, segment time.Duration, began time.Time, steps []load.Step, unit string) (lines []string) {
	first := g.Window.Start.Sub(began) // of the first segment
	for _, step := range steps {
		all, latency := aggregate.Segment{}, (*hist.Histogram)(nil)
		length := time.Duration(0)
		for i := range g.Segments {
			if from := first + time.Duration(i)*segment; from < step.Start || from+segment > step.End {
				continue
			}
			s := &g.Segments[i]
			all.Bytes, all.Objects, all.Ended, all.Errors = all.Bytes+s.Bytes, all.Objects+s.Objects, all.Ended+s.Ended, all.Errors+s.Errors
			length += segment
			if s.Latency != nil {
				latency = hist.Join(latency, s.Latency)
			}
		}
		if length == 0 {
			continue
		}
		items := averageItems(g, segmentRate(&all, length))
		for _, p := range []float64{50, 99} {
			if latency == nil {
				break
			}
			if v, enough := latency.Percentile(p); enough {
				items = append(items, fmt.Sprintf("%g%%: %s", p, units.Duration(time.Duration(v))))
			}
		}
		if all.Errors > 0 {
			items = append(items, units.Plural(all.Errors, "error"))
		}
		lines = append(lines, fmt.Sprintf("%s at %s, for %s: %s", g.Kind, levels(step, unit), units.Span(step.End-step.Start), strings.Join(items, ", ")))
	}
	return lines
}

// levels returns the level of a step, or both of a part of a ramp.
func levels(s load.Step, unit string) string {
	switch {
	case s.From == 1 && s.To == 1:
		return "1 " + strings.Replace(unit, "s", "", 1)
	case s.From == s.To:
		return fmt.Sprintf("%.6g %s", s.From, unit)
	}
	return fmt.Sprintf("%.6g to %.6g %s", s.From, s.To, unit)
}

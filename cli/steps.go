package cli

import (
	"encoding/json"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/report"
)

// addSteps notes how each step of a load did that changes over time.
func (v *reportView) addSteps() {
	var plan bench.Plan
	if json.Unmarshal(v.Plan, &plan) != nil {
		return
	}
	for i := range plan.Phases {
		for _, s := range plan.Phases[i].Streams() {
			shape, unit := s.Schedule, "operations/s"
			if shape.IsZero() {
				shape, unit = s.Threads, "threads"
			}
			if len(v.Clients) > 1 && unit == "threads" {
				unit = "threads of each client"
			}
			began, ended := phaseTime(v.snapshot, s.Name)
			for _, g := range v.snapshot.Groups {
				if g.Phase == s.Name && !g.Kind.Whole() {
					v.addCurve(report.NewLoadCurve(g, v.snapshot.Segment, began, load.Steps(shape, ended.Sub(began)), unit))
				}
			}
		}
	}
}

// addCurve adds the steps of a load, unless it has but one, or none is longer than a segment.
func (v *reportView) addCurve(c *report.LoadCurve) {
	if lines := c.Lines(); len(lines) > 0 {
		v.Notes, v.curves = append(v.Notes, lines...), append(v.curves, c)
	}
}

// needSteps reports whether histograms of segments are needed, for a load that may change: not of so short segments as somebody chose.
func needSteps(o aggregate.Options) bool { return len(o.AllTime) > 0 && o.Segment == 0 }

// phaseTime returns when the first operation of a phase began, and when the last one ended.
func phaseTime(s *aggregate.Snapshot, phase string) (began, ended time.Time) {
	for _, g := range s.Groups {
		if g.Phase != phase || g.Phase == op.PhasePrepare {
			continue
		}
		if began.IsZero() || g.First.Before(began) {
			began = g.First
		}
		if g.Last.After(ended) {
			ended = g.Last
		}
	}
	return began, ended
}

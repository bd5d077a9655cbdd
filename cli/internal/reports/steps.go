package reports

import (
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/op"
)

// NeedSteps reports whether histograms of segments are needed, for a load that may change: not of so short segments as somebody chose.
func NeedSteps(o aggregate.Options) bool { return len(o.AllTime) > 0 && o.Segment == 0 }

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

package page

import (
	"fmt"
	"testing"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/op"
)

// A page of more kinds of operations than it has charts for says how many have none, and so does each side of a comparison.
func TestOmittedChartsAreCounted(t *testing.T) {
	const more = 5
	s := &aggregate.Snapshot{Segment: time.Second}
	for i := range maxCharts + more {
		g := made(op.Get, 2, time.Second, 1)
		g.Phase = fmt.Sprint("p", i)
		s.Groups = append(s.Groups, g)
	}
	if charts, omitted := chartsOf(s, fileLimits); len(charts) != maxCharts || omitted != more {
		t.Errorf("%d charts, %d omitted, want %d and %d", len(charts), omitted, maxCharts, more)
	}
	few := &aggregate.Snapshot{Segment: time.Second, Groups: s.Groups[:maxCharts]}
	sides := sidesOf([]Side{{Name: "many", Runs: []*aggregate.Snapshot{s}}, {Name: "few", Runs: []*aggregate.Snapshot{few}}})
	if sides[0].Omitted != more || sides[1].Omitted != 0 {
		t.Errorf("%d and %d omitted, want %d and none", sides[0].Omitted, sides[1].Omitted, more)
	}
}

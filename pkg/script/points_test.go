package script_test

import (
	"strings"
	"testing"

	"warp/pkg/script"
	"warp/pkg/search"
)

// TestPointsOfOtherTargets: what all requests have in common cannot vary.
func TestPointsOfOtherTargets(t *testing.T) {
	grid, err := search.ParseGrid([]string{"threads=1,2"})
	if err != nil {
		t.Fatal(err)
	}
	points := script.NewPoints("", grid)
	for i, values := range grid.Points() {
		cmd := newCommand("get")
		if i > 0 {
			cmd.plan.Target.Bucket = "other"
		}
		plan, err := cmd.Plan()
		if err != nil {
			t.Fatal(err)
		}
		if err := points.Add(values, plan); (err != nil) != (i > 0) || err != nil && !strings.Contains(err.Error(), "threads cannot vary within a run") {
			t.Errorf("point %d: %v", i, err)
		}
	}
}

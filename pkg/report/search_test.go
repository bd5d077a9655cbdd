package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"warp/pkg/search"
)

// TestSearchWithoutEnd: a search that had too little time says what was held and what was not.
func TestSearchWithoutEnd(t *testing.T) {
	objectives, err := search.ParseObjectives("p99<100ms")
	if err != nil {
		t.Fatal(err)
	}
	capacity, floor, bracket := observed(search.Capacity, 0, 0), observed(search.Floor, 20, 0), observed(search.Bracket, 250, 0)
	for _, c := range []struct {
		trials     []search.Observation
		want, none string
	}{
		{[]search.Observation{capacity, floor, bracket, observed(search.Hold, 250, 0)}, "No higher load failed", "Not held"},
		{[]search.Observation{capacity, floor, bracket, observed(search.Hold, 250, 5000)}, "Not held: 250.00 op/s failed", "Held 250"},
		{[]search.Observation{capacity, floor, bracket}, "The highest load that passed is 250.00 op/s", "failed"},
	} {
		rec := search.Record{Config: search.Config{Objectives: objectives, Control: search.Rate, MaxInflight: 4, Budget: time.Hour}, Trials: c.trials}
		var out bytes.Buffer
		if err := Search(&out, &rec, nil, TextOptions{}); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); !strings.Contains(got, c.want) || strings.Contains(got, c.none) {
			t.Errorf("want %q, not %q:\n%s", c.want, c.none, got)
		}
	}
}

// observed returns a trial of a rate with 10,000 operations; a share, bad, misses the objective.
func observed(p search.Purpose, rate, bad float64) search.Observation {
	return search.Observation{
		Trial:    search.Trial{Purpose: p, Rate: rate, Threads: 4, Duration: time.Minute, Blocks: 1},
		Achieved: 1000, Counts: [][]search.Count{{{Operations: 10000, Bad: bad}}},
	}
}

// TestLoadText: estimates of threads lie between whole ones, and are not cut off.
func TestLoadText(t *testing.T) {
	for v, want := range map[float64]string{1: "1 thread", 12: "12 threads", 12.1: "12.1 threads", 12.95: "12.9 threads", 12.5: "12.5 threads"} {
		if got := Load(search.Threads, v); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
}

// TestDoubts: what speaks against a boundary is said in words.
func TestDoubts(t *testing.T) {
	for want, res := range map[string]search.Result{
		"No boundary: the objective p99 < 50ms is too near to the store's own tail, or not shown to be far from it. At low loads 0.7% of operations are bad (95% interval 0.5% to 0.9%).": {
			Status: search.NearTail, Binding: "p99 < 50ms", Tail: 0.007, TailCI: []float64{0.005, 0.009},
		},
		"No boundary: the store got slower during the search, by about 1.8% in a minute.": {Status: search.Drifting, Drift: -0.018},
		"No boundary: the store got faster during the search, by about 1.8% in a minute.": {Status: search.Incomplete, Drift: 0.018},

		"No boundary: in trial 3 a bad period":     {Status: search.Unsteady, BadPeriods: []int{2}},
		"No boundary: in trials 3, 9 a bad period": {Status: search.Unsteady, BadPeriods: []int{2, 8}},
	} {
		if got := doubts(&res); len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := doubts(&search.Result{Status: search.Held}); got != nil {
		t.Errorf("%q", got)
	}
}

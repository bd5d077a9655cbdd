package rules

import (
	"strings"
	"testing"
	"time"

	"warp/cli/internal/process"
	"warp/pkg/gate"
	"warp/pkg/search"
)

// TestUnanswered: a load that was held before the time was over is a lower bound. That is no answer to the question for the highest load, and
// decides the rules that it can.
func TestUnanswered(t *testing.T) {
	objectives, err := search.ParseObjectives("p99<100ms")
	if err != nil {
		t.Fatal(err)
	}
	trial := func(p search.Purpose, rate float64) search.Observation {
		return search.Observation{
			Trial:    search.Trial{Purpose: p, Rate: rate, Threads: 4, Duration: time.Minute, Blocks: 1},
			Achieved: 1000, Counts: [][]search.Count{{{Operations: 10000}}},
		}
	}
	rec := search.Record{
		Config: search.Config{Objectives: objectives, Control: search.Rate, MaxInflight: 4, Budget: time.Hour, Confirm: true},
		Trials: []search.Observation{trial(search.Capacity, 0), trial(search.Floor, 20), trial(search.Bracket, 250), trial(search.Hold, 250)},
	}
	err = Rules{}.Unanswered([]search.Record{rec})
	if process.ExitCode(err) != process.ExitUnknown || !strings.Contains(err.Error(), "search: no answer (incomplete): at least 250.00 op/s") {
		t.Errorf("%d: %v", process.ExitCode(err), err)
	}
	for text, want := range map[string]gate.Verdict{"search.rate<100/s": gate.Held, "search.rate<300/s": gate.Unknown, "search.rate>200/s": gate.Broken} {
		rules, err := (&Flags{failIf: []string{text}}).OfOne()
		if err != nil {
			t.Fatal(err)
		}
		if err := rules.Unanswered([]search.Record{rec}); err != nil {
			t.Errorf("%s: the rule decides: %v", text, err)
		}
		if got, found, err := rules.searches[0].Judge(&rec); got != want || err != nil {
			t.Errorf("%s: %s, %s, want %s: %v", text, got, found, want, err)
		}
	}
}

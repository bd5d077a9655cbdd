package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"warp/pkg/search"
)

// TestBaseline: each search has a line, whether it held a load or not.
func TestBaseline(t *testing.T) {
	objectives, err := search.ParseObjectives("p99<100ms")
	if err != nil {
		t.Fatal(err)
	}
	c := search.Config{Objectives: objectives, Control: search.Rate, MaxInflight: 4, Budget: time.Hour}
	list := []search.Record{
		{Stream: "put-small", Config: c, Trials: []search.Observation{
			observed(search.Capacity, 0, 0), observed(search.Floor, 20, 0), observed(search.Bracket, 125, 0), observed(search.Bracket, 250, 5000), observed(search.Hold, 124, 0),
		}},
		{Stream: "get-small", Config: c, Trials: []search.Observation{observed(search.Capacity, 0, 0)}},
	}
	for _, width := range []int{0, 40} {
		var out bytes.Buffer
		if err := Baseline(&out, 1, list, nil, TextOptions{Width: width}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(out.String(), "\n")
		held, other := "", ""
		for _, line := range lines {
			switch {
			case strings.HasPrefix(line, "put-small "):
				held = line
			case strings.HasPrefix(line, "get-small "):
				other = line
			}
		}
		if !strings.Contains(held, " 124") || !strings.HasSuffix(held, " held") || !strings.HasSuffix(other, " incomplete") {
			t.Errorf("width %d:\n%s", width, out.String())
		}
		if both := strings.Contains(held, "p99 < 100ms") && strings.Contains(held, " to "); both != (width == 0) {
			t.Errorf("width %d: what is less important: %v\n%s", width, both, out.String())
		}
	}
}

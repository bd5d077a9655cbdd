package bench_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"warp/pkg/bench"
	"warp/pkg/load"
)

// A rate is a share of what an earlier stream achieved, and of no other.
func TestPortion(t *testing.T) {
	t.Parallel()
	store := open(t, newBucket())
	pause, err := load.ParseThink("5ms@start")
	if err != nil {
		t.Fatal(err)
	}
	portion := func(p bench.Portion) bench.Stream {
		s := stream(t, store, "portion", "get", "")
		s.Portion = &p
		return s
	}
	two := func(last bench.Stream) job {
		return job{workload: "get", change: func(p *bench.Plan) {
			first := stream(t, store, "first", "get", "")
			first.Concurrency, first.Think = 1, pause // at most 200 turns/s
			p.Phases = []bench.Phase{{Stream: first}, {Stream: last}}
		}}
	}
	_, res, err := two(portion(bench.Portion{Share: 0.5})).run(context.Background(), t, store)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Schedules) != 1 || res.Schedules[0].Sent != 50 {
		t.Fatalf("schedules %v, want 50 turns", res.Schedules)
	}
	if took := res.Schedules[0].Duration; took < 450*time.Millisecond { // the last of 50 turns is due after 490 ms at 100 turns/s
		t.Errorf("50 turns took %v, want half of at most 200 turns/s", took)
	}
	if notes := strings.Join(res.Notes, "\n"); !strings.Contains(notes, "portion: rate 50%, ") {
		t.Errorf("notes %q", notes)
	}
	with := func(p bench.Portion, rate float64) bench.Stream {
		s := portion(p)
		s.Rate = rate
		return s
	}
	for name, c := range map[string]struct {
		stream bench.Stream
		want   string
	}{
		"named":      {portion(bench.Portion{Share: 2, Of: "first"}), ""},
		"of nothing": {portion(bench.Portion{Share: 0.8, Of: "second"}), "80% of second: no such phase before this one"},
		"of itself":  {portion(bench.Portion{Share: 0.8, Of: "portion"}), "no such phase before this one"},
		"none":       {portion(bench.Portion{}), "--rate: invalid value 0%"},
		"too much":   {portion(bench.Portion{Share: 101}), "--rate: invalid value 10100%"},
		"and a rate": {with(bench.Portion{Share: 1}, 5), "100% and another rate"},
	} {
		_, err := bench.Compile(two(c.stream).plan(t, store))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

package bench

import (
	"testing"
	"time"

	"warp/pkg/generator"
	"warp/pkg/load"
)

// TestEstimates checks what plans say of their runs.
func TestEstimates(t *testing.T) {
	const size = 1000
	for _, c := range []struct {
		name, workload, params string
		set                    func(*Stream)
		want                   Estimate // without its requests
		requests               uint64
	}{
		{"operations", "get", `{"objects": 50}`, func(s *Stream) { s.Ops = 300 }, Estimate{Turns: 300, Received: 300 * size}, 300},
		{"passes", "get", `{"objects": 50}`, func(s *Stream) { s.Passes = 3 }, Estimate{Turns: 150, Received: 150 * size}, 150},
		{"bytes", "put", `{}`, func(s *Stream) { s.Bytes = 10_500 }, Estimate{Turns: 11, Objects: 11, Sent: 11 * size}, 11},
		{"no bytes", "stat", `{"objects": 50}`, func(s *Stream) { s.Ops = 7 }, Estimate{Turns: 7}, 7},
		{"rate", "get", `{"objects": 50}`, func(s *Stream) { s.Schedule, s.Duration = load.Constant(20), 10*time.Second }, Estimate{Turns: 200, Received: 200 * size}, 200},
		{"time", "get", `{"objects": 50}`, func(s *Stream) { s.Duration = time.Hour }, Estimate{Turns: Million, Open: true, Received: Million * size}, Million},
	} {
		s := Stream{Workload: c.workload, Params: []byte(c.params), Concurrency: 1}
		c.set(&s)
		plan := &Plan{Data: generator.Spec{Sizes: generator.Sizes{Min: size, Max: size}}, Phases: []Phase{{Stream: s}}}
		compiled, err := Decode(plan)
		if err != nil {
			t.Fatal(err)
		}
		list, err := Estimates(compiled)
		if err != nil || len(list) != 2 {
			t.Fatalf("%s: %d estimates, %v", c.name, len(list), err)
		}
		got := list[1]
		if n := got.Requests[0].Count; n != c.requests || len(got.Requests) != 1 {
			t.Errorf("%s: requests %+v, want %d", c.name, got.Requests, c.requests)
		}
		if got.Turns != c.want.Turns || got.Open != c.want.Open || got.Objects != c.want.Objects || got.Sent != c.want.Sent || got.Received != c.want.Received {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		if up := list[0]; c.workload != "put" && (up.Phase != -1 || up.Objects != 50 || up.Sent != 50*size) {
			t.Errorf("%s: preparation %+v", c.name, up)
		}
	}
}

package bench

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/load"
)

// What follows operations, and further attempts, count too.
func TestEstimatesOfTasks(t *testing.T) {
	const size = 1000
	get, stat := []byte(`{"objects": 50}`), []byte(`{}`)
	s := Stream{Concurrency: 1, Ops: 100, Tasks: Tasks{
		{Workload: "get", Set: "a", Params: get, Weight: 3},
		{Workload: "put", Set: "b", Params: stat, Weight: 1, Retry: &work.Retry{Max: 2}},
		{Workload: "stat", Set: "a", Params: get, After: 1, Same: true},
		{Workload: "put", Set: "c", Params: stat, After: 2, Count: 4},
	}}
	spec := generator.Spec{Sizes: generator.Sizes{Min: size, Max: size}}
	compiled, err := Decode(&Plan{Sets: map[string]generator.Spec{"a": spec, "b": spec, "c": spec}, Phases: []Phase{{Stream: s}}})
	if err != nil {
		t.Fatal(err)
	}
	list, err := Estimates(compiled)
	if err != nil {
		t.Fatal(err)
	}
	var counts []uint64
	for _, r := range list[1].Requests {
		counts = append(counts, r.Count)
	}
	if want := []uint64{75, 25 * 3, 75, 100}; !slices.Equal(counts, want) || list[1].Received != 75*size || list[1].Sent != (75+100)*size || list[1].Objects != 125 {
		t.Errorf("%v requests (want %v), %+v", counts, want, list[1])
	}
}

// Steps upload, read and delete what there is at most; of what is not known, they say nothing.
func TestEstimatesOfSteps(t *testing.T) {
	const size = 1000
	get, put := []byte(`{"objects": 50}`), []byte(`{}`)
	stream := func(name, workload, set string, params []byte, ops uint64) Phase {
		s := Stream{Name: name, Workload: workload, Set: set, Params: params, Concurrency: 1, Ops: ops}
		if ops == 0 {
			s.Duration = time.Hour
		}
		return Phase{Stream: s}
	}
	steps := func(list ...Step) Phase { return Phase{Steps: list} }
	spec := generator.Spec{Sizes: generator.Sizes{Min: size, Max: size}}
	compiled, err := Decode(&Plan{Sets: map[string]generator.Spec{"a": spec, "b": spec, "c": spec}, Phases: []Phase{
		steps(Step{Prepare: "a"}, Step{Wait: 1}),
		stream("read", "get", "a", get, 10), stream("fill", "put", "b", put, 2500), stream("open", "put", "c", put, 0),
		steps(Step{Verify: "a", Sample: 0.1}, Step{Verify: "b"}, Step{Verify: "c"}),
		steps(Step{Clean: "b"}, Step{Clean: "c"}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	list, err := Estimates(compiled)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		if e.Phase >= 0 && len(compiled.Phases[e.Phase].Steps) > 0 {
			got = append(got, fmt.Sprint(&compiled.Phases[e.Phase].Steps[e.Stream], " ", e.Requests[0].Count, " ", e.Sent, " ", e.Received))
		}
	}
	want := []string{"prepare a 50 50000 0", "verify a 5 0 5000", "verify b 2500 0 2500000", "clean b 3 0 0"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestEstimates checks what plans say of their runs.
func TestEstimates(t *testing.T) {
	const size = 1000
	for _, c := range []struct {
		name, workload, params string
		set                    func(*Stream)
		want                   Estimate // without its requests
		requests               uint64
	}{
		{"operations", "get", `{"objects": 50}`, func(s *Stream) { s.Ops = 300 }, Estimate{Turns: 300, Cost: work.Cost{Received: 300 * size}}, 300},
		{"passes", "get", `{"objects": 50}`, func(s *Stream) { s.Passes = 3 }, Estimate{Turns: 150, Cost: work.Cost{Received: 150 * size}}, 150},
		{"bytes", "put", `{}`, func(s *Stream) { s.Bytes = 10_500 }, Estimate{Turns: 11, Cost: work.Cost{Objects: 11, Sent: 11 * size}}, 11},
		{"no bytes", "stat", `{"objects": 50}`, func(s *Stream) { s.Ops = 7 }, Estimate{Turns: 7}, 7},
		{"rate", "get", `{"objects": 50}`, func(s *Stream) { s.Schedule, s.Duration = load.Constant(20), 10*time.Second }, Estimate{Turns: 200, Cost: work.Cost{Received: 200 * size}}, 200},
		{"time", "get", `{"objects": 50}`, func(s *Stream) { s.Duration = time.Hour }, Estimate{Turns: million, Open: true, Cost: work.Cost{Received: million * size}}, million},
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

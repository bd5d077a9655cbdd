package bench_test

import (
	"context"
	"strings"
	"testing"

	"warp/pkg/bench"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/op"
)

// A client performs the streams that it has a part in, with its part of their turns, and uploads what these work on.
func TestStreamsOnSomeClients(t *testing.T) {
	store := open(t, newBucket())
	j := job{workload: "get", change: func(p *bench.Plan) {
		on := func(s bench.Stream, ops uint64, clients ...uint64) bench.Stream {
			s.Ops, s.Clients = ops, clients
			return s
		}
		p.Sets = map[string]generator.Spec{"a": p.Data, "b": p.Data}
		p.Phases = []bench.Phase{
			{Stream: on(stream(t, store, "first", "get", "a", "-objects=10"), 90, 0), Parallel: []bench.Stream{on(stream(t, store, "others", "stat", "b", "-objects=20"), 60, 1, 2)}},
			{Stream: on(stream(t, store, "none", "get", "a", "-objects=10"), 90, 0)},
			{Stream: on(stream(t, store, "all", "stat", "b", "-objects=20"), 90)},
		}
	}}
	for _, tt := range []struct {
		client uint64
		want   map[string]int
	}{
		{0, map[string]int{op.PhasePrepare: 30, "first": 90, "none": 90, "all": 30}},
		{2, map[string]int{op.PhasePrepare: 20, "others": 30, "all": 30}},
	} {
		j.share = load.Share{Index: tt.client, Total: 3}
		m, _, err := j.run(context.Background(), t, store)
		if err != nil {
			t.Fatal(err)
		}
		counts := map[string]int{}
		for _, o := range m.ops {
			counts[o.Phase]++
		}
		for phase, n := range tt.want {
			if counts[phase] != n {
				t.Errorf("client %d: %d operations of %s, want %d", tt.client, counts[phase], phase, n)
			}
			delete(counts, phase)
		}
		if len(counts) > 0 {
			t.Errorf("client %d: also %v", tt.client, counts)
		}
	}
}

func TestClientsThatCannotBe(t *testing.T) {
	store := open(t, newBucket())
	clients := func(list ...uint64) func(*bench.Plan) {
		return func(p *bench.Plan) { p.Phases[0].Clients = list }
	}
	for name, c := range map[string]struct {
		workload string
		change   func(*bench.Plan)
		want     string // part of the error; empty: the plan is good
	}{
		"some":        {"get", clients(2, 0), ""},
		"twice":       {"get", clients(1, 1), "invalid clients [1 1]"},
		"far":         {"get", clients(1 << 40), "invalid clients"},
		"reading":     {"get", describePair(clients(0), sharing), ""},
		"overwriting": {"delete", describePair(clients(0), sharing), "can only read a data set that all share"},
	} {
		_, err := bench.Compile(job{workload: c.workload, change: c.change}.plan(t, store))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	_, _, err := job{workload: "get", change: clients(3), share: load.Share{Index: 1, Total: 3}}.run(context.Background(), t, store)
	if err == nil || !strings.Contains(err.Error(), "on clients [3] of 3") {
		t.Errorf("a client that does not exist: %v", err)
	}
}

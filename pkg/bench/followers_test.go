package bench_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"warp/pkg/bench"
	"warp/pkg/op"
)

// following makes a task follow another one.
func following(first int, same bool, count int, t bench.Task) bench.Task {
	t.Weight, t.After, t.Same, t.Count = 0, first, same, count
	return t
}

// What follows an operation comes in the same turn, on the same thread: with its object, or a number of times on another data set.
func TestThen(t *testing.T) {
	t.Parallel()
	store := open(t, newBucket())
	replace := taskOf(t, store, 0, "put", "a")
	var err error
	if replace.Params, err = bench.Overwriting(replace.Workload, replace.Params); err != nil {
		t.Fatal(err)
	}
	m, _, err := job{workload: "get", change: describePair(withTasks(
		taskOf(t, store, 1, "get", "a", "-objects=20"), taskOf(t, store, 1, "put", "b"),
		following(1, true, 0, replace), following(2, true, 0, taskOf(t, store, 0, "stat", "b", "-objects=0")), following(2, false, 3, taskOf(t, store, 0, "put", "c")),
	), func(p *bench.Plan) { p.Phases[0].Ops, p.Phases[0].Concurrency = 300, 4 })}.run(context.Background(), t, store)
	if err != nil || m.failed() != "" {
		t.Fatalf("%v; failed: %s", err, m.failed())
	}
	ops := m.benchmark()
	slices.SortStableFunc(ops, func(a, b op.Op) int { return a.Start.Compare(b.Start) })
	next := map[op.Kind][]op.Kind{"GET": {"PUT:A"}, "PUT:B": {"STAT", "PUT:C", "PUT:C", "PUT:C"}}
	due, last, turns := map[uint32][]op.Kind{}, map[uint32]string{}, map[op.Kind]int{}
	for _, o := range ops {
		list := due[o.Thread]
		if len(list) == 0 {
			if next[o.Kind] == nil {
				t.Fatalf("%s begins a turn", o.Kind)
			}
			turns[o.Kind]++
			due[o.Thread], last[o.Thread] = next[o.Kind], o.Key
			continue
		}
		if o.Kind != list[0] {
			t.Fatalf("%s where %s is due", o.Kind, list[0])
		}
		if same := o.Kind != "PUT:C"; same != (o.Key == last[o.Thread]) {
			t.Errorf("%s of %q after an operation on %q", o.Kind, o.Key, last[o.Thread])
		}
		due[o.Thread] = list[1:]
	}
	if turns["GET"]+turns["PUT:B"] != 300 || turns["GET"] == 0 || turns["PUT:B"] == 0 {
		t.Errorf("turns %v, want 300 of both kinds", turns)
	}
}

func TestThenThatCannotBe(t *testing.T) {
	store := open(t, newBucket())
	get, put := taskOf(t, store, 1, "get", "a", "-objects=20"), taskOf(t, store, 1, "put", "b")
	for name, c := range map[string]struct {
		tasks []bench.Task
		want  string
	}{
		"good":        {[]bench.Task{get, following(1, false, 2, put)}, ""},
		"no task":     {[]bench.Task{get, following(2, false, 0, put)}, "it follows task 2 (want 1 to 1;"},
		"order":       {[]bench.Task{get, following(1, false, 0, put), get}, "it follows task 0 (want 1 to 1;"},
		"weight":      {[]bench.Task{get, {Workload: "put", Set: "b", After: 1, Weight: 2}}, "it has no weight"},
		"count":       {[]bench.Task{get, following(1, false, 5000, put)}, "--count: invalid value 5000"},
		"same":        {[]bench.Task{get, following(1, true, 0, put)}, "same: it works on another data set"},
		"same of all": {[]bench.Task{get, following(1, true, 0, taskOf(t, store, 0, "delete", "a", "-objects=0"))}, "same: delete does not work on one object"},
		"same, mixed": {[]bench.Task{get, following(1, true, 0, taskOf(t, store, 0, "mixed", "a", "-objects=0"))}, "same: mixed does not work on one object"},
		"of mixed":    {[]bench.Task{taskOf(t, store, 0, "mixed", "a", "-objects=40"), following(1, true, 0, taskOf(t, store, 0, "stat", "a", "-objects=0"))}, "same: some operations of mixed leave no object that it could use"},
		"own count":   {[]bench.Task{{Workload: "put", Set: "b", Count: 2}}, "same and count are for tasks that follow others"},
		"first":       {[]bench.Task{following(1, false, 0, put)}, "it follows task 1 (want 1 to 0;"},
	} {
		_, err := bench.Compile(job{workload: "get", change: withTasks(c.tasks...)}.plan(t, store))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

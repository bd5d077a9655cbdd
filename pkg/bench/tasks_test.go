package bench_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/preflight"
)

// taskOf makes a task of a workload with its quick parameters.
func taskOf(t testing.TB, store s3.Store, weight float64, workload, set string, args ...string) bench.Task {
	t.Helper()
	s := job{workload: workload, args: args}.plan(t, store).Phases[0].Stream
	return bench.Task{Weight: weight, Set: set, Workload: s.Workload, Params: s.Params}
}

// withTasks has a plan perform tasks, on data sets like that of the plan.
func withTasks(tasks ...bench.Task) func(p *bench.Plan) {
	return func(p *bench.Plan) {
		s := &p.Phases[0].Stream
		s.Workload, s.Params, s.Tasks = "", nil, tasks
		p.Sets = map[string]generator.Spec{}
		for _, t := range tasks {
			if t.Set != "" {
				p.Sets[t.Set] = p.Data
			}
		}
	}
}

// describePair makes two changes.
func describePair(one, two func(p *bench.Plan)) func(p *bench.Plan) {
	return func(p *bench.Plan) { one(p); two(p) }
}

// Tasks take turns as their weights say, each with its own data set, its own order and its own outcomes.
func TestTasks(t *testing.T) {
	ownServer(t) // not every server honours --if-match
	t.Parallel()
	store := open(t, newBucket())
	missing := taskOf(t, store, 0, "get", "a", "-objects=20", "-if-match=wrong")
	missing.OK = []int{412}
	m, _, err := job{workload: "get", ops: 1000, change: describePair(
		withTasks(taskOf(t, store, 5, "get", "a", "-objects=20"), taskOf(t, store, 3, "get", "b", "-objects=30"), missing, taskOf(t, store, 1, "put", "")),
		func(p *bench.Plan) { p.Phases[0].Concurrency = 1 },
	)}.run(context.Background(), t, store)
	if err != nil || m.failed() != "" {
		t.Fatalf("%v; failed: %s", err, m.failed())
	}
	counts, orders := map[op.Kind]int{}, map[op.Kind][]string{}
	for _, o := range m.benchmark()[:1000] {
		counts[o.Kind]++
		orders[o.Kind] = append(orders[o.Kind], o.Key)
	}
	want := map[op.Kind]int{"GET:1": 500, "GET:B": 300, "GET_412:3": 100, "PUT": 100}
	if !maps.Equal(counts, want) {
		t.Fatalf("got %v, want %v", counts, want)
	}
	for kind, objects := range map[op.Kind]int{"GET:1": 20, "GET:B": 30, "GET_412:3": 20} {
		for pass := range slices.Chunk(orders[kind], objects) {
			if slices.Sort(pass); len(slices.Compact(slices.Clone(pass))) != len(pass) {
				t.Errorf("%s reads an object twice in one pass: %q", kind, pass)
			}
		}
	}
	if there, err := preflight.Open(store).Exists(context.Background()); there || err != nil {
		t.Errorf("the bucket that the run made is still there (%v)", err)
	}
}

// Every workload can be a task of a stream with another.
func TestEachWorkloadAsATask(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, workload string) {
		info, _ := work.Lookup(workload)
		store := open(t, newBucket())
		m, _, err := job{workload: workload, ops: 100, change: func(p *bench.Plan) {
			s := &p.Phases[0].Stream
			withTasks(bench.Task{Name: "named", Weight: 9, Workload: workload, Params: s.Params}, taskOf(t, store, 1, "head-bucket", ""))(p)
		}}.run(context.Background(), t, store)
		if err != nil || m.failed() != "" {
			t.Fatalf("%v; failed: %s", err, m.failed())
		}
		kinds := map[op.Kind]bool{}
		for _, o := range m.benchmark() {
			if kinds[o.Kind.Base()] = true; o.Kind.Base() != op.HeadBucket && !strings.HasSuffix(string(o.Kind), ":NAMED") {
				t.Fatalf("%s of task %q", o.Kind, workload)
			}
		}
		for _, k := range append(declared(info), op.HeadBucket) {
			if !kinds[k] {
				t.Errorf("there is no %s among %v", k, slices.Collect(maps.Keys(kinds)))
			}
		}
		if there, err := preflight.Open(store).Exists(context.Background()); there || err != nil {
			t.Errorf("the bucket that the run made is still there (%v)", err)
		}
	})
}

// One schedule of tasks is sent by one client or several: the same requests.
func TestTasksOfOneSchedule(t *testing.T) {
	t.Parallel()
	const turns = 90
	store := open(t, newBucket())
	j := job{workload: "get", change: describePair(
		withTasks(taskOf(t, store, 6, "get", "a"), taskOf(t, store, 3, "stat", "a", "-access=zipf(0.9)"), taskOf(t, store, 1, "get", "b")),
		func(p *bench.Plan) {
			p.SharedData, p.Data.NoPrefix = true, true
			p.Phases[0].Duration, p.Phases[0].Ops, p.Phases[0].Schedule = 0, 2*turns, shape(t, fmt.Sprintf("%d/300ms,0", turns*10/3))
		},
	)}
	want := requests(t, 1, j)
	for _, clients := range []int{2, 5} {
		got := requests(t, clients, j)
		if len(got) != len(want) {
			t.Fatalf("%d clients sent %d requests, one sent %d", clients, len(got), len(want))
		}
		for n := range got {
			if got[n].key != want[n].key || got[n].kind != want[n].kind {
				t.Fatalf("turn %d of %d clients is %+v, of one %+v", n, clients, got[n], want[n])
			}
		}
	}
}

func TestTasksThatCannotBe(t *testing.T) {
	aboutS3(t)
	store := open(t, newBucket())
	get, put := taskOf(t, store, 1, "get", "a"), taskOf(t, store, 1, "put", "a")
	named := func(task bench.Task, name string) bench.Task { task.Name = name; return task }
	weighing := func(task bench.Task, weight float64) bench.Task { task.Weight = weight; return task }
	for name, c := range map[string]struct {
		plan func(*bench.Plan)
		want string // part of the error; empty: the plan is good
	}{
		"read and added to": {withTasks(get, put), ""},
		"one of 100,000":    {withTasks(weighing(get, 99_999), put), ""},
		"too rare":          {withTasks(weighing(get, 1e6), put), "less than 0.001%"},
		"named alike":       {withTasks(named(get, "a"), named(get, "A")), `task 1 (get): the name "a"`},
		"bad name":          {withTasks(named(get, "a b")), `task 1 (get): invalid name "a b"`},
		"negative weight":   {withTasks(put, weighing(get, -1)), "task 2 (get): invalid weight -1"},
		"endless weight":    {withTasks(put, weighing(get, math.Inf(1))), "task 2 (get): invalid weight +Inf"},
		"unknown workload":  {withTasks(get, bench.Task{Workload: "sing"}), `task 2 (sing): unknown workload "sing"`},
		"bad parameter":     {withTasks(put, taskOf(t, store, 1, "get", "", "-objects=0")), "task 2 (get): --objects: invalid value 0"},
		"bad status":        {withTasks(put, bench.Task{Workload: "get", Set: "a", OK: []int{200}}), "task 2 (get): --ok: invalid value 200"},
		"no set":            {describePair(withTasks(get, put), func(p *bench.Plan) { p.Sets = nil }), `the plan has no data set "a"`},
		"a workload too":    {describePair(withTasks(get, put), func(p *bench.Plan) { p.Phases[0].Workload = "get" }), "want one of the two"},
		"too many":          {withTasks(slices.Repeat([]bench.Task{put}, 101)...), "101 tasks (want at most 100)"},
		"shared":            {describePair(withTasks(get, taskOf(t, store, 1, "stat", "a")), sharing), ""},
		"an archive":        {withTasks(get, taskOf(t, store, 1, "zip", "a")), "zip uploads objects of its own kind"},
		"an archive first":  {withTasks(taskOf(t, store, 1, "zip", "a"), get), "zip uploads objects of its own kind"},
		"other archives":    {withTasks(taskOf(t, store, 1, "zip", "a"), taskOf(t, store, 1, "zip", "a", "-files=7")), "zip uploads objects of its own kind"},
		"equal archives":    {withTasks(taskOf(t, store, 1, "zip", "a"), taskOf(t, store, 1, "zip", "a")), ""},
		"a cleaned archive": {describePair(withTasks(taskOf(t, store, 1, "zip", "a")), func(p *bench.Plan) { p.Phases = append(p.Phases, bench.Phase{Steps: []bench.Step{{Clean: "a"}}}) }), "no step can prepare"},
		"parts too late":    {withTasks(get, taskOf(t, store, 1, "multipart", "a", "-part.size=1KiB")), "the first uploads them differently"},
		"parts first":       {withTasks(taskOf(t, store, 1, "multipart", "a", "-part.size=1KiB"), get), ""},
		"other sizes":       {withTasks(get, taskOf(t, store, 1, "multipart-put", "a", "-part.size=1KiB", "-parts=3")), `task 2 (multipart-put): multipart-put needs objects of 3KiB, unlike data set "a"`},
		"not to be shared":  {describePair(withTasks(get, put), sharing), "task 2 (put): --shared-data"},
	} {
		_, err := bench.Compile(job{workload: "get", change: c.plan}.plan(t, store))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
		part := (*bench.PartError)(nil)
		if err != nil && !errors.As(err, &part) {
			t.Errorf("%s: the error is about no part of the plan: %v", name, err)
			continue
		}
		var task int
		if _, no := fmt.Sscanf(c.want, "task %d", &task); no == nil && part.Task != task-1 {
			t.Errorf("%s: the error is about task %d", name, part.Task+1)
		}
	}
	p := job{workload: "get", change: withTasks(get, put)}.plan(t, store)
	p.Phases[0].Duration = time.Minute
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var back bench.Plan
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(&back); err != nil || string(again) != string(text) {
		t.Errorf("%v: %s became %s", err, text, again)
	}
}

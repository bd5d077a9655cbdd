package bench_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// changingRun makes a run on a server that says 404 to requests for objects that do not exist, and returns its operations.
func changingRun(t *testing.T, ops int, change func(p *bench.Plan, store s3.Store)) (*memory, *bench.Result) {
	t.Helper()
	ownServer(t)
	r, err := responder.New(responder.Options{Buckets: []string{"changing"}, Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cfg := s3.Config{Hosts: []string{r.Host()}, AccessKey: "a", SecretKey: "s", Bucket: "changing", Concurrency: 16}
	store, err := connect.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	m, res, err := job{workload: "get", ops: ops, change: func(p *bench.Plan) {
		p.Target, p.Sets = cfg, map[string]generator.Spec{"a": p.Data}
		change(p, store)
	}}.run(context.Background(), t, store)
	if err != nil || m.failed() != "" {
		t.Fatalf("%v; failed: %s", err, m.failed())
	}
	if left := r.Keys("changing"); len(left) > 0 {
		t.Errorf("%d objects are left", len(left))
	}
	life(t, m.ops)
	return m, res
}

// life makes sure that objects are read only between their upload and their deletion.
func life(t *testing.T, ops []op.Op) {
	t.Helper()
	uploaded, deleted := map[string]time.Time{}, map[string]time.Time{}
	ops = slices.DeleteFunc(slices.Clone(ops), func(o op.Op) bool { return o.Key == "" || o.Kind.Base() == op.List }) // batches have no keys
	for _, o := range ops {
		switch o.Kind.Base() {
		case op.Put:
			if uploaded[o.Key].IsZero() {
				uploaded[o.Key] = o.End
			}
		case op.Delete:
			if !deleted[o.Key].IsZero() {
				t.Errorf("%q was deleted twice", o.Key)
			}
			deleted[o.Key] = o.Start
		}
	}
	for _, o := range ops {
		if k := o.Kind.Base(); k != op.Get && k != op.Stat && k != op.Delete {
			continue
		}
		if up := uploaded[o.Key]; up.IsZero() || o.Start.Before(up) {
			t.Errorf("%s of %q before it was uploaded", o.Kind, o.Key)
		}
		if gone := deleted[o.Key]; o.Kind.Base() != op.Delete && !gone.IsZero() && o.End.After(gone) {
			t.Errorf("%s of %q after it was deleted", o.Kind, o.Key)
		}
	}
}

// Streams in parallel work on the objects that exist at the moment: one fills the data set, which is empty at first.
func TestDataSetThatChanges(t *testing.T) {
	t.Parallel()
	m, _ := changingRun(t, 3000, func(p *bench.Plan, store s3.Store) {
		p.Phases = []bench.Phase{{Stream: stream(t, store, "add", "put", "a"), Parallel: []bench.Stream{
			stream(t, store, "read", "get", "a", "-objects=0", "-access=latest(1.2)", "-verify"),
			stream(t, store, "look", "stat", "a", "-objects=0"),
			stream(t, store, "remove", "delete", "a", "-objects=0", "-batch=1", "-access=oldest"),
		}}}
		p.Phases[0].Duration = time.Hour
		for i := range p.Phases[0].Parallel {
			p.Phases[0].Parallel[i].Duration = time.Hour
		}
	})
	phases := map[string]int{}
	for _, o := range m.ops {
		phases[o.Phase]++
	}
	for _, phase := range []string{"add", "read", "look", "remove"} {
		if phases[phase] == 0 {
			t.Errorf("stream %s did nothing: %v", phase, phases)
		}
	}
	if phases[op.PhasePrepare] > 0 {
		t.Errorf("%d operations of a preparation", phases[op.PhasePrepare])
	}
}

// Tasks of one stream do too. Where there is no object yet, one is uploaded. A stalled upload hides later ones: enough are prepared that this does not matter.
func TestTasksOnADataSetThatChanges(t *testing.T) {
	t.Parallel()
	for name, objects := range map[string]string{"empty at first": "-objects=0", "prepared": "-objects=400"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, res := changingRun(t, 3000, func(p *bench.Plan, store s3.Store) {
				withTasks(taskOf(t, store, 50, "get", "a", objects), taskOf(t, store, 10, "list", "a", objects), taskOf(t, store, 20, "put", "a"),
					taskOf(t, store, 20, "delete", "a", objects, "-batch=1"))(p)
			})
			counts := map[op.Kind]int{}
			for _, o := range m.benchmark()[:3000] {
				counts[o.Kind]++
			}
			replaced := slices.ContainsFunc(res.Warnings, func(w string) bool { return strings.Contains(w, "uploaded one instead") })
			if n := len(m.ops) - len(m.benchmark()); name == "prepared" && (replaced || n != 400) {
				t.Errorf("%d uploads of the preparation, want 400; warnings: %q", n, res.Warnings)
			}
			for _, k := range []op.Kind{op.Get, op.Put, op.Delete, op.List} {
				if counts[k] == 0 {
					t.Errorf("there is no %s: %v", k, counts)
				}
			}
			if n := counts[op.Get]; !replaced && (n < 1480 || n > 1520) { // threads are not in step
				t.Errorf("got %v of 3000", counts)
			}
		})
	}
}

// A phase fills a data set, later ones read, overwrite and empty it.
func TestPhasesOfADataSet(t *testing.T) {
	t.Parallel()
	m, _ := changingRun(t, 0, func(p *bench.Plan, store s3.Store) {
		p.Phases = nil
		for _, s := range []bench.Stream{
			stream(t, store, "fill", "put", "a"),
			stream(t, store, "some", "get", "a", "-objects=0", "-access=range(1..5):seq"),
			stream(t, store, "each", "stat", "a", "-objects=0"),
			stream(t, store, "over", "put", "a"),
			stream(t, store, "empty", "delete", "a", "-objects=0", "-batch=3"),
		} {
			s.Concurrency, s.Duration, s.Ops = 1, 0, 50
			if s.Name == "over" {
				s.Params = []byte(`{"replace": true}`)
			}
			if s.Name == "empty" {
				s.Duration, s.Ops = time.Hour, 0
			}
			p.Phases = append(p.Phases, bench.Phase{Stream: s})
		}
	})
	keys, deleted := map[string][]string{}, 0
	for _, o := range m.ops {
		keys[o.Phase] = append(keys[o.Phase], o.Key)
		if o.Kind == op.Delete {
			deleted += o.Objects
		}
	}
	filled := keys["fill"]
	if len(filled) < 5 || deleted != len(filled) || len(keys[op.PhasePrepare]) > 0 {
		t.Fatalf("%d objects were uploaded, %d deleted, %d prepared", len(filled), deleted, len(keys[op.PhasePrepare]))
	}
	for i, key := range keys["some"] {
		if key != filled[i%5] {
			t.Fatalf("turn %d used %q, want %q", i, key, filled[i%5])
		}
	}
	for _, phase := range []string{"each", "over"} {
		for pass := range slices.Chunk(keys[phase], len(filled)) {
			if slices.Sort(pass); len(slices.Compact(slices.Clone(pass))) != len(pass) {
				t.Errorf("%s used an object twice in one pass", phase)
			}
		}
	}
}

package bench_test

import (
	"slices"
	"strings"
	"testing"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/bench/workload"
	"warp/pkg/generator"
	"warp/pkg/s3/connect"
)

// coordinated is a server for runs that use the same objects in two buckets, one after the other, as hsbench does.
func coordinated(t *testing.T) *oddStore {
	t.Helper()
	s := oddly(t, "", responder.Options{})
	s.cfg.Buckets = 2
	s.cfg.SetBucket("bench{b:03}")
	store, err := connect.New(s.cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	s.Store = store
	return s
}

// phase makes the plan one of a workload with parameters.
func phase(t *testing.T, p *bench.Plan, w work.Workload, ops uint64) {
	t.Helper()
	p.Data.Buckets, p.Data.Keys = 2, "{i:03}"
	p.Data.Sizes = generator.Sizes{Min: 100, Max: 100}
	ph, err := bench.NewPhase(p.Phases[0].Workload, w)
	if err != nil {
		t.Fatal(err)
	}
	ph.Concurrency, ph.Ops = 2, ops
	p.Phases = []bench.Phase{ph}
}

// TestRunsAfterEachOther: buckets are made, filled, read and listed by runs of their own; others' objects and buckets are deleted only with
// Force.
func TestRunsAfterEachOther(t *testing.T) {
	t.Parallel()
	s := coordinated(t)
	existing := func() *workload.Get {
		g := &workload.Get{}
		g.ListExisting, g.Objects, g.Versions, g.Concurrency = true, 10, 1, 1
		return g
	}
	step := func(name string, w work.Workload, ops uint64, change func(*bench.Plan), want string) *memory {
		t.Helper()
		m, err := s.run(t, name, func(p *bench.Plan) {
			phase(t, p, w, ops)
			if change != nil {
				change(p)
			}
		})
		switch {
		case want == "" && (err != nil || m.failed() != ""):
			t.Fatalf("%s: %v; failed: %s", name, err, m.failed())
		case want != "" && !strings.Contains(errorAnd(err, m), want):
			t.Errorf("%s: %v; failed: %s; want %s", name, err, m.failed(), want)
		}
		return m
	}
	create, remove := &workload.CreateBucket{}, &workload.DeleteBucket{}
	create.Named, remove.Named = true, true
	for range 2 { // those that exist are fine
		if m := step("create-bucket", create, 0, nil, ""); len(m.ops) != 2 {
			t.Errorf("%d operations to make two buckets", len(m.ops))
		}
	}
	if names := s.server.Buckets(); !slices.Contains(names, "bench000") || !slices.Contains(names, "bench001") {
		t.Fatalf("buckets %q", names)
	}
	step("put", &workload.Put{}, 10, func(p *bench.Plan) { p.KeepData = true }, "")
	assume := func(what string) func(*bench.Plan) { return func(p *bench.Plan) { p.Data.Assume = what } }
	for what, do := range map[string]func(*bench.Plan){"listed": nil, "names": assume("names"), "sizes": assume("sizes")} {
		m := step("get", existing(), 20, do, "")
		used := map[string]bool{}
		for _, o := range m.ops {
			used[o.Bucket+"/"+o.Key] = true
		}
		if len(used) != 10 || !used["bench001/009"] || used["bench000/009"] {
			t.Errorf("%s: objects %v", what, used)
		}
	}
	step("get", existing(), 20, func(p *bench.Plan) {
		p.Data.Assume, p.Data.Sizes = "sizes", generator.Sizes{Min: 99, Max: 99}
	}, "wrong length")
	more := existing()
	more.Objects = 12
	step("get", more, 24, assume("names"), "404 NoSuchKey")
	list := &workload.List{MaxKeys: 2, Version: 2, Page: true}
	list.ListExisting, list.Versions = true, 1
	if m := step("list", list, 9, assume("names"), ""); len(m.ops) != 9 {
		t.Errorf("%d pages", len(m.ops))
	}
	del := &workload.Delete{Batch: 1}
	del.ListExisting, del.Objects, del.Versions = true, 10, 1
	step("delete", del, 0, assume("names"), "add --force")
	step("delete-bucket", remove, 0, nil, "delete buckets that this run did not make; add --force")
	force := func(p *bench.Plan) { p.Data.Assume, p.Force = "names", true }
	step("delete-bucket", remove, 0, force, "BucketNotEmpty")
	if n := len(s.server.Keys("bench000")) + len(s.server.Keys("bench001")); n != 12 {
		t.Errorf("%d objects and claims are left, want all", n)
	}
	step("delete", del, 0, force, "")
	step("delete-bucket", remove, 0, force, "")
	if names := s.server.Buckets(); slices.Contains(names, "bench000") || slices.Contains(names, "bench001") {
		t.Errorf("buckets %q are left", names)
	}
}

// errorAnd is the error of a run and of its operations.
func errorAnd(err error, m *memory) string {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if m != nil {
		text += m.failed()
	}
	return text
}

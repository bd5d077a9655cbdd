package bench_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
)

func init() {
	rows = append(
		rows,
		row{"get --versions", job{workload: "get", args: []string{"-objects=10", "-versions=4", "-verify"}}},
		row{"get --versions --part.size", job{workload: "get", args: []string{"-objects=10", "-versions=4", "-verify", "-part.size=1KiB"}}},
		row{"stat --versions", job{workload: "stat", args: []string{"-objects=10", "-versions=4"}}},
		row{"list --versions", job{workload: "list", args: []string{"-objects=10", "-versions=4"}}},
		row{"delete --versions", job{workload: "delete", args: []string{"-objects=160", "-versions=4"}}},
		row{"delete --versions --batch=1", job{workload: "delete", args: []string{"-objects=160", "-versions=4", "-batch=1"}}},
		row{"versioned", job{workload: "versioned"}},
		row{"retention", job{workload: "retention"}},
		row{"legal-hold", job{workload: "legal-hold"}},
	)
}

// versionsIn returns all versions and delete markers in a bucket, each as a line.
func versionsIn(t testing.TB, store s3.Store) (all []string) {
	t.Helper()
	sess := store.Session(0)
	var c s3.Call
	for l := (ops.Listing{All: true}); ; l.Token = l.Next {
		if err := ops.List(context.Background(), sess, &c, &l); err != nil {
			t.Fatalf("list versions: %v", err)
		}
		for _, e := range l.Entries {
			line := e.Key + " " + e.Version
			if e.Marker {
				line += " marker"
			}
			all = append(all, line)
		}
		if l.Next == "" {
			slices.Sort(all)
			return all
		}
	}
}

// versionedStore returns a store of a bucket with features, which holds versions and a delete marker of somebody else.
func versionedStore(t *testing.T, features ...preflight.Feature) s3.Store {
	t.Helper()
	store := open(t, newBucket())
	if _, err := preflight.Open(store).Ensure(t.Context(), features...); err != nil {
		t.Skip(err)
	}
	for _, key := range []string{"theirs", "theirs", "mine/theirs", "0.aaaaaaaaaaaaaaaa.rnd", "0.aaaaaaaaaaaaaaaa.rnd"} {
		if err := ops.Put(t.Context(), store.Session(0), &s3.Call{Key: key, Body: strings.NewReader("text"), Size: 4}); err != nil {
			t.Fatal(err)
		}
	}
	if err := ops.Delete(t.Context(), store.Session(0), &s3.Call{Key: "mine/theirs", Size: -1}); err != nil {
		t.Fatal(err)
	}
	return store
}

// versionJobs are runs that use versions, by the rows of docs/reference/servers.md that they need.
var versionJobs = map[string]job{
	"get --versions":               {workload: "get", args: []string{"-objects=10", "-versions=4", "-verify"}},
	"get --versions --part.size":   {workload: "get", args: []string{"-objects=10", "-versions=4", "-verify", "-part.size=1KiB"}},
	"get --versions, presigned":    {workload: "get", args: []string{"-objects=10", "-versions=4", "-verify", "-presign"}},
	"stat --versions":              {workload: "stat", args: []string{"-objects=10", "-versions=4"}},
	"get --versions, if-match":     {workload: "get", args: []string{"-objects=10", "-versions=4", "-verify", "-if-match=current"}},
	"list --versions":              {workload: "list", args: []string{"-objects=10", "-versions=4", "-max-keys=7"}},
	"list --delimiter=., versions": {workload: "list", args: []string{"-objects=10", "-versions=4", "-delimiter=."}},
	"delete --versions":            {workload: "delete", args: []string{"-objects=160", "-versions=4"}},
	"delete --versions --batch=1":  {workload: "delete", args: []string{"-objects=160", "-versions=4", "-batch=1"}},
	"versioned":                    {workload: "versioned", args: []string{"-verify"}},
	"retention":                    {workload: "retention"},
	"retention, both":              {workload: "retention", args: []string{"-put-distrib=50", "-get-distrib=50"}},
	"retention, read only":         {workload: "retention", args: []string{"-put-distrib=0", "-get-distrib=100"}},
	"legal-hold":                   {workload: "legal-hold"},
	"legal-hold, write only":       {workload: "legal-hold", args: []string{"-get-distrib=0"}},
}

// eachVersions runs a test for each of the runs, if the server keeps versions by docs/reference/servers.md.
func eachVersions(t *testing.T, test func(t *testing.T, j job)) {
	for name, j := range versionJobs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row, _, _ := strings.Cut(name, ",")
			needsRow(t, row)
			needsRow(t, "get --versions")
			test(t, j)
		})
	}
}

// Runs read, list and delete every version, and leave a bucket as it was: with the versions and delete markers of others.
func TestVersions(t *testing.T) {
	aboutS3(t)
	eachVersions(t, func(t *testing.T, j job) {
		feature := preflight.Versions
		if info, _ := work.Lookup(j.workload); info.Default().Traits().Locks {
			feature = preflight.Lock
		}
		store := versionedStore(t, feature)
		before := versionsIn(t, store)
		j.change = func(p *bench.Plan) { p.Phases[0].Ops = 60 }
		m, _, err := j.run(t.Context(), t, store)
		if err != nil || m.failed() != "" || len(m.benchmark()) == 0 {
			t.Errorf("%v; %d operations, failed: %s", err, len(m.benchmark()), m.failed())
		}
		uploads := map[string]int{}
		for _, o := range m.ops {
			if o.Phase == op.PhasePrepare && o.Kind == op.Put {
				uploads[o.Key]++
			}
		}
		for key, n := range uploads {
			want := 4
			if j.workload == "versioned" {
				want = 1
			}
			if n != want {
				t.Errorf("%q was uploaded %d times, want %d", key, n, want)
			}
		}
		if after := versionsIn(t, store); !slices.Equal(before, after) {
			t.Errorf("before the run:\n%s\nafter it:\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
		}
	})
}

// A bucket that the run creates keeps versions, and is removed with all of them. Later runs do so for a killed one.
func TestVersionsInNewBucket(t *testing.T) {
	aboutS3(t)
	eachVersions(t, func(t *testing.T, j job) {
		for _, keep := range []bool{false, true} {
			store := open(t, newBucket())
			j.change = func(p *bench.Plan) { p.KeepData, p.RunID = keep, "run" }
			if _, _, err := j.run(t.Context(), t, store); err != nil {
				t.Fatal(err)
			}
			if keep {
				if n := len(versionsIn(t, store)); n == 0 && j.workload != "delete" {
					t.Error("no version was kept")
				}
				plan := j.plan(t, store)
				clean := &bench.Cleanup{Over: true, Plan: bench.Decoded(t, plan), Target: *store.Config(), Store: store, Threads: 3}
				if _, err := clean.Run(t.Context()); err != nil {
					t.Error(err)
				}
				if left := versionsIn(t, store); len(left) > 0 {
					t.Errorf("left after clean-up by the plan: %q", left)
				}
				if err := preflight.Open(store).Remove(t.Context()); err != nil {
					t.Error(err)
				}
			}
			if there, err := preflight.Open(store).Exists(t.Context()); there || err != nil {
				t.Errorf("the bucket is still there (%v)", err)
			}
		}
	})
}

// An interrupted run removes its versions too.
func TestVersionsInterrupted(t *testing.T) {
	for _, stage := range []string{bench.StagePrepare, bench.StageBenchmark} {
		t.Run(stage, func(t *testing.T) {
			store := versionedStore(t, preflight.Versions)
			before := versionsIn(t, store)
			ctx, cancel := context.WithCancel(t.Context())
			j := job{workload: "get", args: []string{"-objects=100", "-versions=5"}, change: func(p *bench.Plan) { p.Phases[0].Duration = time.Hour }}
			j.observe = watch{func(s bench.Stage) {
				if s.Name == stage {
					go func() {
						for s.Done() < 3 {
							time.Sleep(time.Millisecond)
						}
						cancel()
					}()
				}
			}}
			_, _, err := j.run(ctx, t, store)
			if (err != nil) != (stage == bench.StagePrepare) {
				t.Error(err)
			}
			if after := versionsIn(t, store); !slices.Equal(before, after) {
				t.Errorf("before the run: %q, after it: %q", before, after)
			}
		})
	}
}

// Existing versions are used by their IDs: a number for each object, the latest first.
func TestExistingVersions(t *testing.T) {
	aboutS3(t)
	store := versionedStore(t, preflight.Versions)
	for _, tc := range []struct {
		args    []string
		objects int // that are read, or deleted
	}{
		{[]string{"-versions=5"}, 5}, {[]string{"-versions=2"}, 5}, {[]string{"-versions=2", "-objects=1"}, 2},
	} {
		args := append([]string{"-list-existing"}, tc.args...)
		for _, workload := range []string{"get", "stat"} {
			m, _, err := job{workload: workload, args: args}.run(t.Context(), t, store)
			if err != nil || m.failed() != "" || len(m.ops) < tc.objects {
				t.Errorf("%s %q: %v; %d operations, failed: %s", workload, args, err, len(m.ops), m.failed())
			}
		}
	}
	m, _, err := job{workload: "list", args: []string{"-list-existing", "-versions=2"}}.run(t.Context(), t, store)
	if err != nil || len(m.ops) == 0 || m.ops[0].Objects != 6 {
		t.Errorf("list: %v, %+v; want 6 entries", err, m.ops)
	}
	m, _, err = job{workload: "delete", args: []string{"-list-existing", "-versions=9", "-batch=2"}, change: func(p *bench.Plan) {
		p.Force, p.Phases[0].Concurrency, p.Phases[0].Duration = true, 1, time.Hour // the embedded server cannot delete two versions of an object at once
	}}.run(t.Context(), t, store)
	if err != nil || m.failed() != "" || len(m.ops) != 3 {
		t.Errorf("delete: %v; %d operations, failed: %s", err, len(m.ops), m.failed())
	}
	if left := versionsIn(t, store); len(left) != 1 || !strings.HasSuffix(left[0], "marker") {
		t.Errorf("left: %q, want a delete marker", left)
	}
}

// What a run with versions cannot have is refused in one line, before anything is written.
func TestVersionsRefused(t *testing.T) {
	args := []string{"-objects=10", "-versions=4"}
	t.Run("bucket without versioning", func(t *testing.T) {
		f := newForeign(t)
		_, _, err := job{workload: "get", args: args}.run(t.Context(), t, f.store)
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("error: %v", err)
		}
		f.check(t)
		if serverName == "embedded" {
			if !strings.Contains(err.Error(), "the bucket does not keep versions, which this run needs; name a --bucket that does not exist") {
				t.Errorf("error: %v", err)
			}
			if kept, err := preflight.Open(f.store).Versioned(t.Context()); kept || err != nil {
				t.Errorf("the bucket keeps versions now: %v, %v", kept, err)
			}
		}
	})
	for _, tc := range []struct {
		name   string
		opts   responder.Options
		change func(*bench.Plan)
		want   string
	}{
		{"shared data", responder.Options{}, sharing, "--shared-data: only the client that uploaded a version has its id"},
		{"suspended", responder.Options{Versions: responder.VersionsSuspended}, nil, "the bucket does not keep versions"},
		{"confirmed only", responder.Options{Versions: responder.VersionsSuspended}, func(p *bench.Plan) { p.Target.Bucket = "new" }, "confirms versioning of a bucket, and does not enable it"},
		{"no request", responder.Options{Versions: responder.VersionsMadeUp}, nil, "cannot ask whether the bucket keeps versions (501 NotImplemented"},
		{"no versioning", responder.Options{Versions: responder.VersionsMadeUp}, func(p *bench.Plan) { p.Target.Bucket = "new" }, "cannot have the bucket keep versions (501 NotImplemented"},
		{"not said", responder.Options{Versions: responder.VersionsMadeUp, Rule: denyBucket}, nil, "the server returns version ids of versions that it does not have"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := oddly(t, "", tc.opts)
			j := job{workload: "get", args: args, change: func(p *bench.Plan) {
				p.Target = s.cfg
				if tc.change != nil {
					tc.change(p)
				}
				s.cfg.Bucket = p.Target.Bucket
			}}
			_ = j.plan(t, s)
			store, err := connect.New(s.cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			_, _, err = j.run(t.Context(), t, store)
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error: %v, want %q in one line", err, tc.want)
			}
			if n := s.server.Requests(op.Put); n > 4 || len(s.left()) > 0 {
				t.Errorf("%d uploads; left: %q", n, s.left())
			}
			if there, err := preflight.Open(store).Exists(t.Context()); there != (s.cfg.Bucket == "bucket") || err != nil {
				t.Errorf("bucket %q is there: %v, %v", s.cfg.Bucket, there, err)
			}
		})
	}
}

// denyBucket denies what is asked about the bucket itself.
func denyBucket(k op.Kind, _ uint64) responder.Fault {
	if k == responder.Bucket {
		return responder.Fault{Status: 403}
	}
	return responder.Fault{}
}

// Uploads that fail after they were carried out leave versions whose ids nobody has. Listings are right in spite of them, and they are
// removed.
func TestVersionsOfFailedUploads(t *testing.T) {
	bench.ShortenCleanup(t, time.Millisecond)
	eachEngine(t, func(t *testing.T, engine string) {
		for _, workload := range []string{"list", "get", "delete"} {
			s := oddly(t, engine, responder.Options{Rule: func(k op.Kind, n uint64) responder.Fault {
				return faultIf(k == op.Put && n%10 == 9, responder.Fault{Execute: true, Status: http.StatusInternalServerError})
			}})
			s.cfg.Bucket = "new"
			store, err := connect.New(s.cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			m, _, err := job{workload: workload, args: []string{"-objects=40", "-versions=4"}, change: func(p *bench.Plan) {
				p.Target, p.Data.Sizes, p.Phases[0].Concurrency = s.cfg, generator.Sizes{Max: 100}, 1 // so that the next try succeeds
			}}.run(t.Context(), t, store)
			failed := 0
			for _, o := range m.ops {
				if o.Failed() && o.Phase == op.PhasePrepare {
					failed++
				} else if o.Failed() {
					t.Errorf("%s %q: %s", o.Kind, o.Key, o.Err)
				}
			}
			if err != nil || failed < 10 {
				t.Errorf("%s: %v; %d uploads failed", workload, err, failed)
			}
			if there, _ := preflight.Open(store).Exists(t.Context()); there {
				t.Errorf("%s left %q", workload, s.server.Keys("new"))
			}
		}
	})
}

package bench_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// TestTotals: for each workload, a run records as many operations of each kind as the server had requests, and as many of them failed as the
// server refused.
func TestTotals(t *testing.T) {
	t.Parallel()
	every(t, func(t *testing.T, workload string) {
		eachEngine(t, func(t *testing.T, engine string) {
			var measuring atomic.Bool
			refuse := func(kind op.Kind, n uint64) responder.Fault {
				if measuring.Load() && n%7 == 3 && kind != responder.Bucket {
					return responder.Fault{Status: 403}
				}
				return responder.Fault{}
			}
			var from time.Time
			m, r := onResponder(t, engine, responder.Options{Keep: true, Record: true, Rule: refuse}, job{workload: workload, observe: watch{func(s bench.Stage) {
				if s.Name == bench.StageBenchmark {
					from = clock.Now()
				}
				measuring.Store(s.Name == bench.StageBenchmark)
			}}, change: func(p *bench.Plan) { p.Phases[0].Ops = 60 }})
			of := func(kind op.Kind, failed bool) string { return fmt.Sprintf("%s, failed: %v", kind.Base(), failed) }
			recorded, had, to := map[string]int{}, map[string]int{}, from
			for _, o := range m.benchmark() {
				if o.End.After(to) {
					to = o.End // aborts of the clean-up come later
				}
				if k := o.Kind.Base(); !k.IsComposite() && k != op.HeadBucket && k != op.CreateBucket && k != op.DeleteBucket && k != op.List {
					recorded[of(onWire(k), o.Failed() || o.Status >= 400)]++ // PUT_412 too, of a lost race
				}
			}
			for _, i := range r.Injected() {
				if i.Kind != responder.Bucket && i.Kind != op.List && i.Came.After(from) && i.Came.Before(to) {
					had[of(i.Kind, i.Status >= 400)]++
				}
			}
			if !maps.Equal(recorded, had) {
				t.Errorf("recorded %v, the server had %v", recorded, had)
			}
		})
	})
}

// onWire returns the kind that the server takes an operation for.
func onWire(k op.Kind) op.Kind {
	if k == "EXISTS" { // of the workload in another package
		return op.Stat
	}
	return k
}

// TestTurnFailsWithAnyOfItsOperations: a turn whose follower failed achieved nothing, so half of its rate is none.
func TestTurnFailsWithAnyOfItsOperations(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		for _, fails := range []bool{true, false} {
			refuse := func(kind op.Kind, _ uint64) responder.Fault {
				if fails && kind == op.Stat {
					return responder.Fault{Status: 500}
				}
				return responder.Fault{}
			}
			change := func(p *bench.Plan, store s3.Store) {
				first := stream(t, store, "first", "get", "")
				half := stream(t, store, "half", "get", "b")
				half.Portion, half.Ops = &bench.Portion{Share: 0.5}, 5
				first.Workload, first.Params = "", nil
				first.Tasks = []bench.Task{taskOf(t, store, 1, "get", "a", "-objects=20"), following(1, true, 0, taskOf(t, store, 0, "stat", "a", "-objects=20"))}
				p.Phases, p.Sets = []bench.Phase{{Stream: first}, {Stream: half}}, map[string]generator.Spec{"a": p.Data, "b": p.Data}
			}
			store := open(t, "own")
			_, _, _, err := tryOnResponder(t, engine, responder.Options{Keep: true, Rule: refuse}, job{workload: "get", change: func(p *bench.Plan) { change(p, store) }})
			if none := err != nil && strings.Contains(err.Error(), `phase "first" achieved 0.00 turns/s`); none != fails || !fails && err != nil {
				t.Errorf("STATs fail %v: %v", fails, err)
			}
		}
	})
}

// TestNoObjectLeft: the warning comes whichever task found nothing last.
func TestNoObjectLeft(t *testing.T) {
	t.Parallel()
	store := open(t, "own")
	for range 5 {
		_, _, res, err := tryOnResponder(t, "lean", responder.Options{Keep: true}, job{workload: "get", change: describePair(
			withTasks(taskOf(t, store, 1, "get", "a", "-objects=60"), taskOf(t, store, 1, "delete", "a", "-objects=60", "-batch=1")),
			func(p *bench.Plan) { p.Phases[0].Ops = 10_000 },
		)})
		if err != nil || !slices.Contains(res.Warnings, "ended early: no object was left in the data set") {
			t.Fatalf("%v, %q", err, res.Warnings)
		}
	}
	_, _, res, err := tryOnResponder(t, "lean", responder.Options{Keep: true}, job{workload: "delete", change: func(p *bench.Plan) { p.Phases[0].Ops = 10_000 }})
	if err != nil || len(res.Warnings) > 0 {
		t.Errorf("deletions alone: %v, %q", err, res.Warnings)
	}
}

// TestFullStoreOfOnePhase: the phase that had no room says so, and a later one only if it asked for room too.
func TestFullStoreOfOnePhase(t *testing.T) {
	t.Parallel()
	for _, last := range []string{"put", "head-bucket"} {
		store := open(t, "own")
		_, _, res, err := tryOnResponder(t, "lean", responder.Options{Keep: true}, job{workload: "put", change: func(p *bench.Plan) {
			p.Room, p.Phases = 50*4096, nil
			for _, name := range []string{"put", "head-bucket", last} {
				s := stream(t, store, fmt.Sprintf("phase %d", len(p.Phases)+1), name, "")
				s.Ops = 100
				p.Phases = append(p.Phases, bench.Phase{Stream: s})
			}
		}})
		want := []string{"phase 1: ended early: the store is full (200KiB)"}
		if last == "put" {
			want = append(want, "phase 3: ended early: the store is full (200KiB)")
		}
		if err != nil || !slices.Equal(res.Warnings, want) {
			t.Errorf("%v, %q, want %q", err, res.Warnings, want)
		}
	}
}

// TestTwoTasksDeleteOfOneSet: a turn that is given to another task has nothing of an earlier turn of that task.
func TestTwoTasksDeleteOfOneSet(t *testing.T) {
	t.Parallel()
	m, _ := changingRun(t, 3000, func(p *bench.Plan, store s3.Store) {
		withTasks(taskOf(t, store, 80, "delete", "a", "-objects=300", "-batch=1"), taskOf(t, store, 20, "mixed", "a", "-objects=300"))(p)
	})
	if n := len(m.benchmark()); n < 3000 {
		t.Errorf("%d operations", n)
	}
}

// TestPartlyDeletedBatches: of a batch, objects that were not deleted go back, and all others are gone.
func TestPartlyDeletedBatches(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		store := open(t, "own")
		for _, code := range []string{"AccessDenied", "SlowDown"} {
			m, r := onResponder(t, engine, responder.Options{Keep: true, Rule: func(kind op.Kind, n uint64) responder.Fault {
				if n >= 12 { // the first ones are the preflight's
					return responder.Fault{}
				}
				return responder.Fault{Refuse: 3, Code: map[bool]string{true: code}[kind == op.Delete]}
			}}, job{workload: "get", change: describePair(
				withTasks(taskOf(t, store, 1, "get", "a", "-objects=100"), taskOf(t, store, 1, "delete", "a", "-objects=100", "-batch=10")),
				func(p *bench.Plan) { p.Phases[0].Ops, p.Phases[0].Concurrency = 10_000, 2 },
			)})
			deleted, failed := 0, 0
			for _, o := range m.benchmark() {
				switch {
				case o.Kind.Base() == op.Delete:
					deleted += o.Objects
					if o.Failed() {
						failed++
					}
				case o.Failed():
					t.Errorf("%s of %q: %s", o.Kind, o.Key, o.Err)
				}
			}
			if deleted != 100 || failed == 0 || len(r.Keys("own")) > 0 {
				t.Errorf("%s: %d objects were deleted of 100, %d requests failed", code, deleted, failed)
			}
		}
	})
}

// TestCopiesAreNoUploads: contents equal each client's uploads.
func TestCopiesAreNoUploads(t *testing.T) {
	t.Parallel()
	for _, share := range []load.Share{{}, {Index: 1, Total: 2}} {
		for _, tc := range []struct {
			workload string
			args     []string
			objects  uint64
		}{
			{"copy", []string{"-objects=10"}, 10},
			{"put", nil, 50},
			{"mixed", []string{"-objects=10", "-get-distrib=0", "-stat-distrib=0", "-put-distrib=0", "-delete-distrib=0", "-copy-distrib=1"}, 10},
		} {
			_, _, res, err := tryOnResponder(t, "lean", responder.Options{Keep: true}, job{workload: tc.workload, args: tc.args, share: share, change: func(p *bench.Plan) {
				p.Data.Generator, p.RunID = "compressible=50%", "run"
			}})
			if err != nil || len(res.Contents) != 1 || res.Contents[0].Uploaded != tc.objects || res.Contents[0].Objects != tc.objects {
				t.Errorf("%s, %v: %v, %+v, want %d uploads", tc.workload, share, err, res.Contents, tc.objects)
			}
		}
	}
}

// TestListingOfExistingObjectsIsRepeated: a 503 does not end a run before it has begun.
func TestListingOfExistingObjectsIsRepeated(t *testing.T) {
	ownServer(t)
	bench.ShortenCleanup(t, time.Millisecond)
	var busy atomic.Bool
	var listings atomic.Int64
	r, err := responder.New(responder.Options{Keep: true, Buckets: []string{"own"}, Rule: func(kind op.Kind, _ uint64) responder.Fault {
		if kind == op.List && busy.Load() && listings.Add(1) == 2 { // the first one is that of the preflight
			return responder.Fault{Status: 503}
		}
		return responder.Fault{}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cfg := s3.Config{Hosts: []string{r.Host()}, AccessKey: "a", SecretKey: "s", Bucket: "own", Concurrency: 8}
	store, err := connect.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	keep := func(p *bench.Plan) { p.Target, p.KeepData = cfg, true }
	if _, _, err := (job{workload: "get", change: keep}).run(context.Background(), t, store); err != nil {
		t.Fatal(err)
	}
	busy.Store(true)
	m, _, err := job{workload: "get", args: []string{"-list-existing"}, change: keep}.run(context.Background(), t, store)
	if err != nil || len(m.benchmark()) == 0 || listings.Load() != 3 {
		t.Errorf("%v, %d operations, %d listings", err, len(m.benchmark()), listings.Load())
	}
}

// TestContentsAreThoseUploaded: of each workload, no object counts as uploaded if its upload failed or the server made it.
func TestContentsAreThoseUploaded(t *testing.T) {
	t.Parallel()
	eachRow(t, func(t *testing.T, j job) {
		if j.workload == "select" {
			t.Skip("its objects are CSV, whatever --obj.content says")
		}
		var measures atomic.Bool
		s, change := inNewBucket(t, responder.Options{Rule: func(kind op.Kind, n uint64) (f responder.Fault) {
			if measures.Load() && n%7 == 5 && (kind == op.Put || kind == op.Post || kind == op.Append || kind == op.PutPart) {
				f.Status = http.StatusServiceUnavailable
			}
			return f
		}}), j.change
		j.change = func(p *bench.Plan) {
			p.Target, p.RunID, p.Data.Generator = s.cfg, "run", "compressible=50%"
			if change != nil {
				change(p)
			}
		}
		j.observe = watch{func(stage bench.Stage) { measures.Store(stage.Name == bench.StageBenchmark) }}
		m, r, err := j.run(t.Context(), t, s)
		if err != nil {
			t.Fatal(err)
		}
		var uploaded uint64
		var examined, sent int64
		for _, c := range r.Contents {
			uploaded, examined = uploaded+c.Uploaded, examined+c.Bytes
		}
		want := uploadsOf(m.ops, slices.Contains(versioned, j.workload) || slices.Contains(j.args, "-versions=2"))
		if slices.Contains(j.args, "-compress") {
			want /= 5 // an archive holds as many objects with the same contents
		}
		if uploaded != want {
			t.Errorf("contents of %d objects, want %d", uploaded, want)
		}
		for _, o := range m.ops {
			if (o.Kind == op.Put || o.Kind == op.MultipartPut) && !o.Failed() {
				sent += o.Bytes
			}
		}
		if j.workload == "zip" && examined != sent {
			t.Errorf("%d bytes were examined of archives of %d bytes", examined, sent)
		}
	})
}

// versioned are workloads that upload several versions of an object.
var versioned = []string{"versioned", "retention", "legal-hold"}

// uploadsOf returns the number of objects, or of versions, that operations uploaded.
func uploadsOf(ops []op.Op, versions bool) (n uint64) {
	seen := map[string]bool{}
	for _, o := range ops {
		kind := o.Kind.Unlabelled()
		switch {
		case o.Failed() || kind != op.Put && kind != op.Post && kind != op.Append && kind != op.MultipartPut:
		case versions || !seen[o.Key]:
			seen[o.Key] = true
			if n++; kind == op.Put && o.Objects > 1 {
				n += uint64(o.Objects) - 1 // of an archive
			}
		}
	}
	return n
}

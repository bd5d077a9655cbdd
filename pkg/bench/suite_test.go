package bench_test

import (
	"cmp"
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/preflight"
)

// each runs a test for every workload that the server can do by docs/reference/servers.md, several at a time.
func each(t *testing.T, test func(t *testing.T, workload string)) {
	every(t, func(t *testing.T, workload string) {
		needsRow(t, workload)
		test(t, workload)
	})
}

// needsRow skips a test if the server cannot do what a row of docs/reference/servers.md says.
func needsRow(t *testing.T, row string) {
	t.Helper()
	text, err := os.ReadFile(serverTable)
	if err != nil {
		t.Fatal(err)
	}
	if outcome := parseTable(string(text)).get(row, serverName); strings.HasPrefix(outcome, "no: ") {
		t.Skip(outcome)
	}
}

// every runs a test for every workload of the registry, several at a time.
func every(t *testing.T, test func(t *testing.T, workload string)) {
	for _, info := range work.Registry() {
		t.Run(info.Name, func(t *testing.T) {
			t.Parallel()
			test(t, info.Name)
		})
	}
}

// Every workload records the kinds of operations that it declares, and no others.
func TestOperationsSucceed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, workload string) {
		store := open(t, newBucket())
		m, _, err := job{workload: workload, ops: 100, change: func(p *bench.Plan) { p.Phases[0].Rate = 100 }}.run(context.Background(), t, store)
		if err != nil {
			t.Fatal(err)
		}
		if f := m.failed(); f != "" {
			t.Error("operations failed:", f)
		}
		seen := map[op.Kind]bool{}
		for _, o := range m.benchmark() {
			if seen[o.Kind.Base()] = true; o.Kind == o.Kind.Base() {
				checkTimes(t, &o)
			}
		}
		info, _ := work.Lookup(workload)
		want := declared(info)
		for _, k := range want {
			if !seen[k] {
				t.Errorf("there is no %s among %d operations", k, len(m.benchmark()))
			}
		}
		if len(seen) != len(want) {
			t.Errorf("operations are of the kinds %v, declared are %v", slices.Collect(maps.Keys(seen)), want)
		}
	})
}

// declared returns the kinds of operations that a workload declares. Azure needs no request that begins an upload in parts.
func declared(info work.Info) []op.Kind {
	return slices.DeleteFunc(slices.Clone(info.Default().Traits().Kinds), func(k op.Kind) bool {
		return k == op.CreateUpload && target.Store == s3.StoreAzure
	})
}

// steps is the kinds that may touch no object: it counts with the request that completes it.
var steps = []op.Kind{op.CreateUpload, op.PutPart, op.GetPart}

// checkTimes makes sure that an operation's times are there and in order.
func checkTimes(t *testing.T, o *op.Op) {
	t.Helper()
	between, other := o.FirstByte, o.Sent // of the two, recordings have one at most
	switch {
	case o.Kind.Upload():
		between, other = o.Sent, o.FirstByte
	case !o.Kind.Download() && o.Kind != op.List && o.Kind != op.MultipartGet:
		between, other = o.Start, cmp.Or(o.Sent, o.FirstByte)
	}
	if between.Before(o.Start) || o.End.Before(between) || !other.IsZero() || o.End.Sub(o.Start) > time.Minute {
		t.Errorf("%s: start %v, last byte sent %v, first byte %v, end %v", o.Kind, o.Start, o.Sent, o.FirstByte, o.End)
	}
	if o.Status < 200 || o.Status > 299 || o.Endpoint == "" || o.Client != "test" || o.Objects < 1 && !slices.Contains(steps, o.Kind) || o.Thread > 7 {
		t.Errorf("record is not complete: %+v", *o)
	}
	if f, _ := o.Kind.Facts(); (o.Bytes != 0) != (f.Body != op.NoBody) {
		t.Errorf("%s moved %d bytes", o.Kind, o.Bytes)
	}
}

func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, workload string) {
		for _, noPrefix := range []bool{false, true} {
			store := open(t, newBucket())
			_, _, err := job{workload: workload, change: func(p *bench.Plan) { p.Data.NoPrefix = noPrefix }}.run(context.Background(), t, store)
			if err != nil {
				t.Fatal(err)
			}
			if there, err := preflight.Open(store).Exists(context.Background()); there || err != nil {
				t.Errorf("noprefix %v: the bucket that the run made is still there (%v)", noPrefix, err)
			}
		}
	})
}

func TestKeepData(t *testing.T) {
	store := open(t, newBucket())
	m, _, err := job{workload: "get", change: func(p *bench.Plan) { p.KeepData = true }}.run(context.Background(), t, store)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(listing(t, store)); n != 40 {
		t.Errorf("%d objects were kept, want 40", n)
	}
	// The same seed again would overwrite and delete them: refused, unless forced.
	if _, _, err = (job{workload: "get"}).run(context.Background(), t, store); err == nil {
		t.Error("a second run with the same seed was not refused")
	}
	again, _, err := job{workload: "get", args: []string{"-list-existing"}}.run(context.Background(), t, store)
	if err != nil || len(again.benchmark()) == 0 || len(again.keys()) != 0 {
		t.Errorf("kept objects cannot be read with --list-existing: %v, %d operations", err, len(again.ops))
	}
	forced, _, err := job{workload: "put", change: func(p *bench.Plan) { p.Force = true }}.run(context.Background(), t, store)
	if err != nil || !slices.Contains(forced.keys(), m.keys()[0]) && len(forced.keys()) >= 40 {
		t.Errorf("forced run: %v", err)
	}
}

// A run that is cancelled begins no more turns: a thread finishes one at most that it had decided on, with one operation of
// each kind at most.
func TestCancel(t *testing.T) {
	each(t, func(t *testing.T, workload string) {
		store := open(t, newBucket())
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		cancelled := make(chan time.Time, 1)
		j := job{workload: workload, args: []string{}, change: func(p *bench.Plan) { p.Phases[0].Duration = time.Hour }}
		if workload == "delete" {
			j.args = []string{"-objects=1000", "-batch=1"} // enough that it is still at work when it is cancelled
		}
		j.observe = watch{func(s bench.Stage) {
			if s.Name == bench.StageBenchmark {
				go func() {
					for s.Done() == 0 {
						time.Sleep(time.Millisecond)
					}
					cancel()
					cancelled <- clock.Now()
				}()
			}
		}}
		m, r, err := j.run(ctx, t, store)
		if err != nil || !r.Interrupted || len(m.benchmark()) == 0 {
			t.Errorf("cancelled run: %v, %+v, %d operations", err, r, len(m.benchmark()))
		}
		end, late, begun := <-cancelled, map[uint32]int{}, map[string]bool{}
		info, _ := work.Lookup(workload)
		for _, o := range m.benchmark() {
			begun[o.Key] = begun[o.Key] || o.Kind.IsComposite() && o.Start.Before(end)
		}
		for _, o := range m.benchmark() {
			if o.Start.After(end) && !begun[o.Key] { // an object that was begun is transferred to its end
				late[o.Thread]++
			}
			if late[o.Thread] > len(info.Default().Traits().Kinds) {
				t.Fatalf("thread %d went on after the run was cancelled", o.Thread)
			}
		}
		if f := m.failed(); f != "" {
			t.Error("operations failed:", f)
		}
	})
}

func TestCancelDuringPreparation(t *testing.T) {
	store := open(t, newBucket())
	ctx, cancel := context.WithCancel(context.Background())
	j := job{workload: "get", args: []string{"-objects=1000000"}, observe: watch{func(s bench.Stage) {
		if s.Name == bench.StagePrepare {
			time.AfterFunc(100*time.Millisecond, cancel)
		}
	}}}
	_, _, err := j.run(ctx, t, store)
	if err == nil {
		t.Error("a run without a benchmark is no success")
	} else if n := strings.Count(err.Error(), bench.ErrInterrupted.Error()); n != 1 {
		t.Errorf("the error is said %d times: %q", n, err)
	}
	if there, _ := preflight.Open(store).Exists(context.Background()); there {
		t.Error("the bucket is still there")
	}
}

func TestSameSeedSameOperations(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, workload string) {
		one := func(share load.Share) (keys []string) {
			bucket := newBucket() // with which names of extra buckets begin
			store := open(t, bucket)
			j := job{workload: workload, share: share, ops: 20, change: func(p *bench.Plan) { p.Phases[0].Concurrency, p.RunID = 1, "run" }}
			m, _, err := j.run(context.Background(), t, store)
			if err != nil {
				t.Fatal(err)
			}
			// They arrive only roughly in this order.
			slices.SortStableFunc(m.ops, func(a, b op.Op) int { return cmp.Or(a.Start.Compare(b.Start), a.End.Compare(b.End)) })
			for _, o := range m.ops {
				keys = append(keys, string(o.Kind)+" "+strings.TrimPrefix(o.Key, bucket))
			}
			return keys
		}
		a, b, other := one(load.Share{}), one(load.Share{}), one(load.Share{Index: 1, Total: 2})
		n := min(len(a), len(b))
		if n < 3 || !slices.Equal(a[:n], b[:n]) {
			i := 0
			for i < n && a[i] == b[i] {
				i++
			}
			t.Errorf("two runs with one seed differ in operation %d of %d and %d: %q, then %q", i, len(a), len(b), a[i:min(n, i+3)], b[i:min(n, i+3)])
		}
		info, _ := work.Lookup(workload)
		if info.Default().Traits().OneSet {
			return // all clients work on the same objects
		}
		for _, k := range other {
			if !strings.HasSuffix(k, " ") && slices.Contains(a, k) {
				t.Fatalf("two clients both did %q", k)
			}
		}
	})
}

func TestMixedShares(t *testing.T) {
	store := open(t, newBucket())
	m, _, err := job{workload: "mixed", args: []string{"-range"}, ops: 1000}.run(context.Background(), t, store)
	if err != nil {
		t.Fatal(err)
	}
	ops := m.benchmark()
	count := map[op.Kind]float64{}
	ranged := false
	for _, o := range ops {
		count[o.Kind]++
		ranged = ranged || o.Kind == op.Get && o.Bytes < 4096
	}
	for k, want := range map[op.Kind]float64{op.Get: .45, op.Stat: .30, op.Put: .15, op.Delete: .10} {
		if got := count[k] / float64(len(ops)); got < want-.05 || got > want+.05 {
			t.Errorf("%s: %.1f %% of %d operations, want %.0f %%", k, 100*got, len(ops), 100*want)
		}
	}
	if !ranged || m.failed() != "" {
		t.Errorf("ranged reads: %v, failed: %s", ranged, m.failed())
	}
}

// An open loop keeps its rate and says when each operation was due.
func TestRate(t *testing.T) {
	store := open(t, newBucket())
	m, _, err := job{workload: "stat", change: func(p *bench.Plan) { p.Phases[0].Rate, p.Phases[0].Ops = 50, 50 }}.run(context.Background(), t, store)
	if err != nil {
		t.Fatal(err)
	}
	ops := m.benchmark()
	slices.SortFunc(ops, func(a, b op.Op) int { return a.Due.Compare(b.Due) })
	if len(ops) != 50 {
		t.Fatalf("%d operations, want 50", len(ops))
	}
	for i, o := range ops {
		if due := ops[0].Due.Add(time.Duration(i) * time.Second / 50); !o.Due.Equal(due) || o.Start.Before(o.Due) {
			t.Errorf("operation %d was due %v and began %v, want due %v", i, o.Due, o.Start, due)
		}
	}
}

func TestDeleteEndsWhenNothingIsLeft(t *testing.T) {
	for _, batch := range []string{"-batch=1", "-batch=7"} {
		store := open(t, newBucket())
		m, _, err := job{workload: "delete", args: []string{"-objects=150", batch}, change: func(p *bench.Plan) { p.Phases[0].Duration = time.Hour }}.run(context.Background(), t, store)
		if err != nil {
			t.Fatal(err)
		}
		objects := 0
		for _, o := range m.benchmark() {
			objects += o.Objects
		}
		if objects != 150 {
			t.Errorf("%s: %d objects were deleted, want 150", batch, objects)
		}
	}
}

func TestRoom(t *testing.T) {
	store := open(t, newBucket())
	m, r, err := job{workload: "put", change: func(p *bench.Plan) { p.Room, p.Phases[0].Duration = 50*4096, time.Hour }}.run(context.Background(), t, store)
	if err != nil || len(m.benchmark()) != 50 || len(r.Warnings) != 1 {
		t.Errorf("put: %v, %d operations, warnings %q", err, len(m.benchmark()), r.Warnings)
	}
	_, r, err = job{workload: "mixed", change: func(p *bench.Plan) { p.Room, p.Phases[0].Duration = 60*4096, time.Hour }}.run(context.Background(), t, store)
	if err != nil || len(r.Warnings) != 1 {
		t.Errorf("mixed: %v, %+v", err, r)
	}
	_, _, err = job{workload: "get", change: func(p *bench.Plan) { p.Room = 30 * 4096 }}.run(context.Background(), t, store)
	if err == nil || !strings.Contains(err.Error(), "--objects") {
		t.Errorf("get: %v", err)
	}
	if there, err := preflight.Open(store).Exists(context.Background()); there || err != nil {
		t.Errorf("the bucket is still there (%v)", err)
	}
}

package bench_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/op"
)

// counted returns the operations that --ops counts: one for each turn.
func counted(all []*outcome) (ops []op.Op) {
	for _, c := range all {
		for _, o := range c.benchmark() {
			if !slices.Contains([]op.Kind{op.CreateUpload, op.PutPart, op.CompleteUpload, op.AbortUpload, op.GetPart}, o.Kind) {
				ops = append(ops, o)
			}
		}
	}
	return ops
}

// until runs a job without a duration on a number of clients, and fails if one does.
func until(t *testing.T, clients int, j job, limit func(s *bench.Stream)) []*outcome {
	t.Helper()
	change := j.change
	j.change = func(p *bench.Plan) {
		p.Phases[0].Duration = 0
		if change != nil {
			change(p)
		}
		limit(&p.Phases[0].Stream)
	}
	all := newCompany(clients).runAll(t, j, open(t, newBucket()), nil)
	for i, c := range all {
		if c.err != nil || c.failed() != "" {
			t.Fatalf("client %d: %v; failed: %s", i, c.err, c.failed())
		}
	}
	return all
}

func shared(p *bench.Plan) { p.SharedData = true }

// A run has exactly as many operations as --ops says, whatever the number of clients.
func TestOps(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, workload string) {
		const n = 21
		ops := counted(until(t, 2, job{workload: workload}, func(s *bench.Stream) { s.Ops = n }))
		if workload == "contend" { // a turn has a download and an upload
			ops = slices.DeleteFunc(ops, func(o op.Op) bool { return o.Kind == op.Get })
		}
		if len(ops) != n {
			t.Errorf("%d operations, want %d", len(ops), n)
		}
	})
}

func TestOpsOfManyClients(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		job
		clients int
		n       uint64
	}{
		{job{workload: "get", change: shared}, 50, 101},
		{job{workload: "stat", change: shared}, 50, 7}, // most have nothing to do
		{job{workload: "put"}, 50, 128},
		{job{workload: "get", args: []string{"-part.size=1KiB", "-part.concurrent=2"}, change: shared}, 3, 20},
		{job{workload: "put", change: func(p *bench.Plan) { p.Phases[0].Schedule = shape(t, "2k") }}, 3, 50},
	} {
		t.Run(fmt.Sprint(c.clients, " ", c.workload), func(t *testing.T) {
			t.Parallel()
			if got := counted(until(t, c.clients, c.job, func(s *bench.Stream) { s.Ops = c.n })); len(got) != int(c.n) {
				t.Errorf("%d operations, want %d", len(got), c.n)
			}
		})
	}
}

// With shared data and a number of operations, clients send the same requests as one client.
func TestOpsAreTheSame(t *testing.T) {
	t.Parallel()
	keys := func(clients int) (list []string) {
		for _, o := range counted(until(t, clients, job{workload: "get", args: []string{"-access=zipf(0.9)"}, change: func(p *bench.Plan) {
			p.SharedData, p.Data.NoPrefix = true, true
		}}, func(s *bench.Stream) { s.Ops = 60 })) {
			list = append(list, o.Key)
		}
		slices.Sort(list)
		return list
	}
	want := keys(1)
	for _, clients := range []int{2, 7} {
		if got := keys(clients); !slices.Equal(got, want) {
			t.Errorf("%d clients sent other requests than one:\n%v\n%v", clients, got, want)
		}
	}
}

// A pass uses each object once.
func TestPasses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		job
		clients int
		passes  float64
		objects int // different keys
		each    int // operations on each
	}{
		{job{workload: "get", change: shared}, 1, 1, 40, 1},
		{job{workload: "get", change: shared}, 3, 2, 40, 2},
		{job{workload: "get"}, 2, 1, 80, 1}, // of their own data
		{job{workload: "get", change: shared}, 3, 0.5, 20, 1},
		{job{workload: "stat", args: []string{"-access=shuffle"}, change: shared}, 2, 1, 40, 1},
		{job{workload: "stat", args: []string{"-access=range(1..10):seq"}, change: shared}, 2, 3, 10, 3},
		{job{workload: "put", args: []string{"-objects=30"}}, 1, 2, 30, 2},
		{job{workload: "delete", args: []string{"-batch=1"}}, 1, 1, 160, 1},
	} {
		t.Run(fmt.Sprint(c.workload, c.args, c.clients, c.passes), func(t *testing.T) {
			t.Parallel()
			count := map[string]int{}
			for _, o := range counted(until(t, c.clients, c.job, func(s *bench.Stream) { s.Passes = c.passes })) {
				count[o.Key]++
			}
			if len(count) != c.objects {
				t.Errorf("%d objects, want %d", len(count), c.objects)
			}
			for key, n := range count {
				if n != c.each {
					t.Errorf("%s was used %d times, want %d", key, n, c.each)
				}
			}
		})
	}
	t.Run("batches", func(t *testing.T) {
		t.Parallel()
		objects := 0
		ops := counted(until(t, 2, job{workload: "delete", args: []string{"-batch=9"}}, func(s *bench.Stream) { s.Passes = 1 }))
		for _, o := range ops {
			objects += o.Objects
		}
		if len(ops) != 2*18 || objects != 2*160 {
			t.Errorf("%d requests deleted %d objects, want 36 and 320", len(ops), objects)
		}
	})
}

// A run ends when it has transferred its number of bytes; operations in flight finish.
func TestBytes(t *testing.T) {
	t.Parallel()
	const size, limit = 4096, 100_000
	for _, c := range []struct{ clients, threads int }{{1, 1}, {1, 4}, {3, 2}} {
		for _, workload := range []string{"put", "get"} {
			sum, n := int64(0), 0
			for _, client := range until(t, c.clients, job{workload: workload}, func(s *bench.Stream) { s.Bytes, s.Concurrency = limit, c.threads }) {
				for _, o := range client.benchmark() {
					sum += o.Bytes
					n++
				}
			}
			least := c.clients * int(math.Ceil(float64(limit/c.clients)/size))
			if sum < limit || n < least || n > least+c.clients*(c.threads-1) {
				t.Errorf("%s, %d clients with %d threads: %d operations moved %d bytes, want %d or few more and %d", workload, c.clients, c.threads, n, sum, least, limit)
			}
		}
	}
}

// The first limit that is reached ends a run.
func TestFirstLimit(t *testing.T) {
	t.Parallel()
	for want, limit := range map[int]func(s *bench.Stream){
		5:  func(s *bench.Stream) { s.Ops, s.Bytes, s.Passes = 5, 1<<30, 9 },
		10: func(s *bench.Stream) { s.Ops, s.Bytes, s.Passes = 1e6, 1<<30, 0.25 },
		3:  func(s *bench.Stream) { s.Ops, s.Bytes, s.Passes, s.Concurrency = 1e6, 9000, 9, 1 },
	} {
		if got := counted(until(t, 1, job{workload: "get"}, limit)); len(got) != want {
			t.Errorf("%d operations, want %d", len(got), want)
		}
	}
}

func TestUntilErrors(t *testing.T) {
	store := open(t, newBucket())
	for _, c := range []struct {
		workload, want string
		change         func(s *bench.Stream)
	}{
		{"put", "--bytes: invalid value -1", func(s *bench.Stream) { s.Bytes = -1 }},
		{"get", "--passes: invalid value -1", func(s *bench.Stream) { s.Passes = -1 }},
		{"get", "--passes: invalid value NaN", func(s *bench.Stream) { s.Passes = math.NaN() }},
		{"put", "--passes: put does not go through a data set; use --ops", func(s *bench.Stream) { s.Passes = 1 }},
		{"mixed", "--passes: mixed does not", func(s *bench.Stream) { s.Passes = 1 }},
		{"stat", "--bytes: stat transfers no contents of objects; use --ops", func(s *bench.Stream) { s.Bytes = 1 }},
	} {
		plan := job{workload: c.workload, change: func(p *bench.Plan) { c.change(&p.Phases[0].Stream) }}.plan(t, store)
		if _, err := bench.Compile(plan); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.workload, err, c.want)
		}
	}
}

// Operations of a warm-up have a phase of their own, no limit counts them, and no figure contains them.
func TestWarmup(t *testing.T) {
	t.Parallel()
	const warmup = 200 * time.Millisecond
	for _, c := range []struct {
		job
		open bool
	}{
		{job{workload: "stat"}, true},
		{job{workload: "get", args: []string{"-part.size=1KiB", "-part.concurrent=2"}}, true},
		{job{workload: "contend"}, true},
		{job{workload: "put"}, false},
		{job{workload: "put", args: []string{"-verify"}}, false},
	} {
		t.Run(fmt.Sprint(c.workload, c.args), func(t *testing.T) {
			t.Parallel()
			const n = 30
			var start time.Time
			c.observe = watch{stage: func(s bench.Stage) {
				if s.Name == bench.StageBenchmark {
					start = s.Start
				}
			}}
			c.change = func(p *bench.Plan) {
				s := &p.Phases[0].Stream
				s.Duration, s.Warmup, s.Ops = 0, warmup, n
				if c.open {
					s.Schedule = shape(t, "100")
				}
			}
			m, res, err := c.run(t.Context(), t, open(t, newBucket()))
			if err != nil {
				t.Fatal(err)
			}
			warm, measured := map[op.Kind]int{}, map[op.Kind]int{}
			for _, o := range m.benchmark() {
				if o.Phase == op.PhaseWarmup {
					warm[o.Kind.Base()]++
					continue
				}
				measured[o.Kind.Base()]++
				if o.Start.Before(start.Add(warmup)) {
					t.Errorf("%s began %v after the start of the warm-up, and is not marked", o.Kind, o.Start.Sub(start))
				}
			}
			info, _ := work.Lookup(c.workload)
			kind := info.Default().Traits().Kinds[0]
			if len(c.args) == 2 {
				kind = op.MultipartGet
			}
			if measured[kind] != n || c.open && warm[kind] != 20 {
				t.Errorf("%d operations and %d of the warm-up, want %d and 20", measured[kind], warm[kind], n)
			}
			for _, g := range res.Live.Snapshot().Groups {
				if g.Phase == op.PhaseWarmup || g.Phase == "" && g.Kind == kind && g.Requests != n {
					t.Errorf("the statistics have %d %s of phase %q", g.Requests, g.Kind, g.Phase)
				}
			}
		})
	}
}

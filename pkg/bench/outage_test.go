package bench_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/s3/connect"
)

// outage takes a server down 200 ms after its clients began to measure: for a second, and until all threads have met it. Once each thread has been
// served again, it ends the benchmark.
type outage struct {
	watch
	server   *responder.Server
	how      responder.Outage
	threads  int
	end      context.CancelFunc
	over     chan error
	from, to time.Time // read once it is over

	mu          sync.Mutex
	down        bool
	met, served map[uint32]bool
}

func (o *outage) Stage(s bench.Stage) {
	if s.Name != bench.StageBenchmark {
		return
	}
	go func() {
		time.Sleep(200 * time.Millisecond)
		err := o.server.SetOutage(o.how)
		o.from = clock.Now()
		o.set(true)
		time.Sleep(time.Second)
		o.await(&o.met)
		o.to = clock.Now()
		err = errors.Join(err, o.server.SetOutage(responder.Up))
		o.set(false)
		o.await(&o.served)
		o.end()
		o.over <- err
	}()
}

func (o *outage) set(down bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.down = down
}

// await waits until a set has all threads, or a minute has passed: the test fails then.
func (o *outage) await(set *map[uint32]bool) {
	all := func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return len(*set) == o.threads
	}
	for end := clock.Now().Add(time.Minute); !all() && clock.Now().Before(end); time.Sleep(5 * time.Millisecond) {
	}
}

// Write notes which threads met the outage, and were served after it.
func (o *outage) Write(ops []op.Op) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range ops {
		switch failed := ops[i].Status == 0; {
		case o.down && failed && ops[i].Start.After(o.from):
			o.met[ops[i].Thread] = true
		case !o.down && !failed && o.met[ops[i].Thread]:
			o.served[ops[i].Thread] = true
		}
	}
	return nil
}

func (o *outage) Close() error { return nil }

// TestOutage takes the server down in the middle of each benchmark: the threads pause, mixed operations keep their
// objects, none of them is missed by a reader, and all are removed in the end.
func TestOutage(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]responder.Outage{"refused": responder.Refusing, "closed": responder.HangingUp} {
		for _, workload := range []string{"put", "mixed"} {
			t.Run(name+"/"+workload, func(t *testing.T) {
				t.Parallel()
				eachSetup(t, func(t *testing.T, c setup) { testOutage(t, c, workload, how) })
			})
		}
	}
}

func testOutage(t *testing.T, c setup, workload string, how responder.Outage) {
	ownServer(t)
	r, cfg, err := c.Start(responder.Options{Buckets: []string{"outage"}, Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cfg.Bucket, cfg.Concurrency, cfg.Engine = "outage", 4, c.engine
	store, err := connect.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	ctx, end := context.WithCancel(context.Background())
	defer end()
	o := &outage{server: r, how: how, threads: cfg.Concurrency, end: end, over: make(chan error, 1), met: map[uint32]bool{}, served: map[uint32]bool{}}
	m, result, err := job{workload: workload, observe: o, sinks: []op.Sink{o}, change: func(p *bench.Plan) {
		p.Target, p.Phases[0].Duration = cfg, time.Hour
	}}.run(ctx, t, store)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-o.over; err != nil {
		t.Fatal(err)
	}
	attempts := map[uint32]int{}
	for _, op := range m.benchmark() {
		switch {
		case op.Status == 404 && op.Failed():
			t.Errorf("%s %s: %s", op.Kind, op.Key, op.Err)
		case op.Status == 0 && op.Start.After(o.from):
			attempts[op.Thread]++
		}
	}
	for thread, n := range attempts {
		if most := 10 + int(o.to.Sub(o.from)/(100*time.Millisecond)); n > most {
			t.Errorf("thread %d tried %d times in %v, want at most %d", thread, n, o.to.Sub(o.from), most)
		}
	}
	if len(attempts) != 4 || len(o.served) != 4 || !strings.Contains(strings.Join(result.Warnings, "\n"), "no server responded") {
		t.Errorf("attempts by thread %v, warnings %q", attempts, result.Warnings)
	}
	if strings.Contains(strings.Join(result.Warnings, "\n"), "found no object") {
		t.Errorf("no object was left: %q", result.Warnings)
	}
	if left := listing(t, store); len(left) > 0 {
		t.Errorf("%d objects stay", len(left))
	}
}

// TestFailingDeletionsKeepObjects has all deletions and uploads of the benchmark fail: objects to read are left.
func TestFailingDeletionsKeepObjects(t *testing.T) {
	bench.ShortenCleanup(t, 0)
	eachSetup(t, func(t *testing.T, c setup) {
		const objects = 8
		m, result := c.mixedWith(t, []string{"-objects=8"}, func(k op.Kind, _ uint64) responder.Fault {
			if k == op.Delete || k == op.Put {
				return responder.Fault{Status: 503}
			}
			return responder.Fault{}
		})
		kinds := map[op.Kind]int{}
		for _, o := range m.benchmark() {
			kinds[o.Kind]++
		}
		if kinds[op.Delete] < objects || len(result.Warnings) > 0 {
			t.Errorf("operations %v, warnings %q", kinds, result.Warnings)
		}
	})
}

// TestLostDeletions has one deletion of three fail; half of these were carried out all the same: no reader meets an object
// that is gone.
func TestLostDeletions(t *testing.T) {
	eachSetup(t, func(t *testing.T, c setup) {
		m, result := c.mixedWith(t, nil, func(k op.Kind, n uint64) responder.Fault {
			if k != op.Delete || n%3 != 0 {
				return responder.Fault{}
			}
			return responder.Fault{Close: n%2 == 0, Status: 500, Execute: n%4 < 2}
		})
		failed := 0
		for _, o := range m.benchmark() {
			if o.Err != "" && (o.Kind != op.Delete || o.Status == 404) {
				t.Fatalf("%s %s: %s", o.Kind, o.Key, o.Err)
			}
			if o.Err != "" {
				failed++
			}
		}
		if failed < 2 || len(result.Warnings) > 0 {
			t.Errorf("%d of %d operations failed, warnings %q", failed, len(m.benchmark()), result.Warnings)
		}
	})
}

// mixedWith runs mixed operations against a responder with a rule for the benchmark itself, and leaves what they made.
func (c setup) mixedWith(t *testing.T, args []string, rule responder.Rule) (*memory, *bench.Result) {
	t.Helper()
	ownServer(t)
	var begun atomic.Bool
	r, cfg, err := c.Start(responder.Options{Buckets: []string{"mixed"}, Keep: true, Rule: func(k op.Kind, n uint64) responder.Fault {
		if !begun.Load() {
			return responder.Fault{}
		}
		return rule(k, n)
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cfg.Bucket, cfg.Concurrency, cfg.Engine = "mixed", 4, c.engine
	store, err := connect.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	args = append([]string{"-get-distrib=30", "-stat-distrib=30", "-put-distrib=20", "-delete-distrib=20"}, args...)
	watch := watch{func(s bench.Stage) { begun.Store(begun.Load() || s.Name == bench.StageBenchmark) }}
	m, result, err := job{workload: "mixed", args: args, observe: watch, change: func(p *bench.Plan) {
		p.Target, p.KeepData, p.Phases[0].Duration, p.Phases[0].Stream.Ops = cfg, true, 0, 200
	}}.run(context.Background(), t, store)
	var left *bench.CleanupError // where deletions fail, the claim stays
	if err != nil && !errors.As(err, &left) || result == nil {
		t.Fatal(err)
	}
	return m, result
}

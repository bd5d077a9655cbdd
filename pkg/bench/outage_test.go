package bench_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/s3"
)

// outage takes a server down for a second, 200 ms after its clients began to measure.
type outage struct {
	watch
	server   *responder.Server
	how      responder.Outage
	from, to time.Time
	over     chan error
}

func (o *outage) Stage(s bench.Stage) {
	if s.Name != bench.StageBenchmark {
		return
	}
	go func() {
		time.Sleep(200 * time.Millisecond)
		err := o.server.SetOutage(o.how)
		o.from = clock.Now()
		time.Sleep(time.Second)
		o.to = clock.Now()
		o.over <- errors.Join(err, o.server.SetOutage(responder.Up))
	}()
}

// TestOutage takes the server down in the middle of each benchmark: the threads pause, mixed operations keep their
// objects, none of them is missed by a reader, and all are removed in the end.
func TestOutage(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]responder.Outage{"refused": responder.Refusing, "closed": responder.HangingUp} {
		for _, workload := range []string{"put", "mixed"} {
			t.Run(name+"/"+workload, func(t *testing.T) {
				t.Parallel()
				eachEngine(t, func(t *testing.T, engine string) { testOutage(t, engine, workload, how) })
			})
		}
	}
}

func testOutage(t *testing.T, engine, workload string, how responder.Outage) {
	ownServer(t)
	r, err := responder.New(responder.Options{Buckets: []string{"outage"}, Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cfg := s3.Config{Hosts: []string{r.Host()}, AccessKey: "a", SecretKey: "s", Bucket: "outage", Concurrency: 4, Engine: engine}
	store, err := s3.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	o := &outage{server: r, how: how, over: make(chan error, 1)}
	m, result, err := job{workload: workload, observe: o, change: func(p *bench.Plan) {
		p.Target, p.Phases[0].Duration = cfg, 2*time.Second
	}}.run(context.Background(), t, store)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-o.over; err != nil {
		t.Fatal(err)
	}
	attempts := map[uint32]int{}
	for _, op := range m.benchmark() {
		switch {
		case op.Status == 404:
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
	if len(attempts) != 4 || !strings.Contains(strings.Join(result.Warnings, "\n"), "no server responded") {
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
	eachEngine(t, func(t *testing.T, engine string) {
		const objects = 8
		m, result := mixedWith(t, engine, []string{"-objects=8"}, func(k op.Kind, n uint64) responder.Fault {
			if k == op.Delete && n > 0 || k == op.Put && n > 1+objects { // the first ones are the preflight's, and the claim
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

// TestLostDeletions has one deletion of three fail, of which one of two was carried out all the same: no reader meets an object
// that is gone.
func TestLostDeletions(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		m, result := mixedWith(t, engine, nil, func(k op.Kind, n uint64) responder.Fault {
			if k != op.Delete || n == 0 || n%3 != 0 { // the first one is the preflight's
				return responder.Fault{}
			}
			return responder.Fault{Close: n%2 == 0, Status: 500, Execute: n%4 < 2}
		})
		failed := 0
		for _, o := range m.benchmark() {
			if o.Err != "" && o.Kind != op.Delete {
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

// mixedWith runs mixed operations against a responder with a rule, and leaves what they made.
func mixedWith(t *testing.T, engine string, args []string, rule responder.Rule) (*memory, *bench.Result) {
	t.Helper()
	ownServer(t)
	r, err := responder.New(responder.Options{Buckets: []string{"mixed"}, Keep: true, Rule: rule})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cfg := s3.Config{Hosts: []string{r.Host()}, AccessKey: "a", SecretKey: "s", Bucket: "mixed", Concurrency: 4, Engine: engine}
	store, err := s3.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	args = append([]string{"-get-distrib=30", "-stat-distrib=30", "-put-distrib=20", "-delete-distrib=20"}, args...)
	m, result, err := job{workload: "mixed", args: args, change: func(p *bench.Plan) {
		p.Target, p.KeepData, p.Phases[0].Duration, p.Phases[0].Stream.Ops = cfg, true, 0, 200
	}}.run(context.Background(), t, store)
	var left *bench.CleanupError // where deletions fail, the claim stays
	if err != nil && !errors.As(err, &left) {
		t.Fatal(err)
	}
	return m, result
}

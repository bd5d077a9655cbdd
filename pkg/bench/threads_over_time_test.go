package bench_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/pkg/bench"
	"warp/pkg/op"
)

// lastThread is a sink that ends a run with the first operation of a thread.
type lastThread struct {
	memory
	thread uint32
	end    context.CancelFunc
}

func (l *lastThread) Write(ops []op.Op) error {
	if slices.ContainsFunc(ops, func(o op.Op) bool { return o.Phase != op.PhasePrepare && o.Thread == l.thread }) {
		l.end()
	}
	return l.memory.Write(ops)
}

// No thread begins before its time, and the report says what the figures are of.
func TestThreadsOverTime(t *testing.T) {
	t.Parallel()
	store := open(t, newBucket())
	plan := job{workload: "stat", change: func(p *bench.Plan) {
		ph := &p.Phases[0]
		ph.Threads, ph.Concurrency, ph.Duration = shape(t, "1/200ms,2..3/200ms"), 3, time.Hour
	}}.plan(t, store)
	if got := bench.AllTime(plan); !slices.Equal(got, []string{""}) {
		t.Errorf("streams whose time counts in full: %q", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	sink := &lastThread{thread: 2, end: cancel}
	var start time.Time
	observe := watch{func(s bench.Stage) {
		if s.Name == bench.StageBenchmark {
			start = s.Start
		}
	}}
	res, err := bench.Perform(ctx, plan, bench.Env{Store: store, Client: "test", Sinks: []op.Sink{sink}, Observer: observe})
	if err != nil || !slices.ContainsFunc(res.Notes, func(n string) bool { return strings.HasPrefix(n, "threads over time: 1/200ms,2..3/200ms; ") }) {
		t.Fatalf("%+v, %v", res, err)
	}
	from := []time.Duration{0, 200 * time.Millisecond, 300 * time.Millisecond} // half a thread more is rounded up
	for _, o := range sink.benchmark() {
		if after := o.Start.Sub(start); after < from[o.Thread] {
			t.Errorf("thread %d began %v after the start, want %v at least", o.Thread, after, from[o.Thread])
		}
	}
}

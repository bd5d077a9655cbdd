package bench_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench"
	"warp/pkg/op"
)

// A run whose start is over when all is prepared begins at once, measures for its whole time, and says so.
func TestStartIsOver(t *testing.T) {
	t.Parallel()
	for name, ago := range map[string]time.Duration{"over": time.Hour, "ahead": -3 * time.Second} {
		store := open(t, newBucket())
		m := &memory{}
		asked := clock.Now().Add(-ago)
		var begun time.Time
		r, err := bench.Perform(context.Background(), job{workload: "stat"}.plan(t, store), bench.Env{
			Store: store, Client: "test", Sinks: []op.Sink{m}, StartAt: asked,
			Observer: watch{stage: func(s bench.Stage) {
				if s.Name == bench.StageBenchmark {
					begun = s.Start
				}
			}},
		})
		if err != nil || len(m.benchmark()) == 0 {
			t.Fatalf("%s: %v, %d operations", name, err, len(m.benchmark()))
		}
		if late := strings.Contains(strings.Join(r.Warnings, "\n"), "--syncstart"); late != begun.After(asked.Add(50*time.Millisecond)) || ago > 0 && !late {
			t.Errorf("%s: it began %v after the start, warnings %q", name, begun.Sub(asked), r.Warnings)
		}
		for _, o := range m.benchmark() {
			if o.Start.Before(asked) {
				t.Fatalf("%s: an operation began %v before the start", name, asked.Sub(o.Start))
			}
		}
	}
}

func TestTooManyThreads(t *testing.T) {
	store := open(t, newBucket())
	plan := job{workload: "put", change: func(p *bench.Plan) { p.Phases[0].Concurrency = bench.MaxThreads + 1 }}.plan(t, store)
	if _, err := bench.Compile(plan); err == nil || !strings.Contains(err.Error(), "concurrent: ") {
		t.Errorf("got %v", err)
	}
	if err := bench.CheckThreads(1, 1); err != nil {
		t.Error(err)
	}
}

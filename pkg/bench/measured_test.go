package bench_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/s3"
)

const allowed = 0.03

// near tells whether a figure is what it should be. late is how much of an operation's time this machine may have added.
func near(t *testing.T, what string, got, want, late float64) {
	t.Helper()
	if math.Abs(got-want) > (allowed+late)*want {
		t.Errorf("%s: reported %.6g, injected %.6g: %.1f %% off (lateness %.1f %%)", what, got, want, 100*(got-want)/want, 100*late)
	}
}

// wakes is how often a goroutine has to be woken for a request to come and its answer to go: at the server and at the client.
const wakes = 2

// lateness measures how late this machine wakes those who sleep, until it is told to stop.
func lateness() (stop func() []float64) {
	done, late := make(chan struct{}), make(chan []float64)
	go func() {
		var all []float64
		for {
			start := time.Now()
			select {
			case <-done:
				slices.Sort(all)
				late <- all
				return
			case <-time.After(5 * time.Millisecond):
				all = append(all, float64(time.Since(start)-5*time.Millisecond))
			}
		}
	}()
	return func() []float64 {
		close(done)
		return <-late
	}
}

// eachRuler runs a test with both engines, at the same time.
func eachRuler(t *testing.T, test func(t *testing.T, engine string)) {
	for _, engine := range []string{"lean", "sdk"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, engine)
		})
	}
}

// slice is operations as a Source.
type slice struct {
	ops []op.Op
	i   int
}

func (s *slice) Scan() bool { s.i++; return s.i <= len(s.ops) }
func (s *slice) Op() *op.Op { return &s.ops[s.i-1] }
func (*slice) Err() error   { return nil }

// measured is a responder, and the report on what it did.
type measured struct {
	*responder.Server
	*aggregate.Group
	ops  []op.Op
	late []float64 // how late this machine was meanwhile in ns, ascending
}

// lateBy is what share of a time in ns this machine may have added to it: what it rarely exceeds.
func (m measured) lateBy(ns float64) float64 { return wakes * m.late[len(m.late)*99/100] / ns }

// latest is the same with the most that was seen.
func (m measured) latest(ns float64) float64 { return wakes * m.late[len(m.late)-1] / ns }

// ruled measures a responder that follows a rule. There are so many objects that none is read twice, so that an
// operation and what was injected into it have the key in common.
func ruled(t *testing.T, engine string, rule responder.Rule, workload string, change func(*bench.Plan)) measured {
	t.Helper()
	r, err := responder.New(responder.Options{Rule: rule, Record: true, Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	cfg := s3.Config{Hosts: []string{r.Host()}, AccessKey: "a", SecretKey: "s", Bucket: "ruler", Concurrency: 240, Engine: engine}
	store, err := s3.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		store.Close()
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	stop := lateness()
	m, _, err := job{workload: workload, args: []string{"-objects=4000"}, change: func(p *bench.Plan) { p.Target = cfg; change(p) }}.run(context.Background(), t, store)
	late := stop()
	if err != nil {
		t.Fatal(err)
	}
	snap, err := aggregate.Analyze(aggregate.Options{Segment: 500 * time.Millisecond}, func() (op.Source, func() error, error) {
		return &slice{ops: m.ops}, func() error { return nil }, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range snap.Groups {
		if g.Phase != op.PhasePrepare {
			return measured{r, g, m.benchmark(), late}
		}
	}
	t.Fatal("the report holds no benchmark")
	return measured{}
}

// injected is how long the responder held the requests that the report considered, in ascending order of nanoseconds.
func (m measured) injected(t *testing.T) (d []float64) {
	t.Helper()
	held := map[string]time.Duration{}
	for _, i := range m.Injected() {
		if i.Kind == m.Kind {
			held[i.Key] = i.Delay + max(i.Stall, i.Body) // a stall lies within the body, if there is one
		}
	}
	for _, o := range m.ops {
		if !o.Failed() && !o.Start.Before(m.Window.Start) && !o.End.After(m.Window.End) {
			d = append(d, float64(held[o.Key]))
		}
	}
	if int64(len(d)) != m.Considered {
		t.Fatalf("%d operations lie in the window, %d were considered", len(d), m.Considered)
	}
	slices.Sort(d)
	return d
}

// compare holds the latencies of the report against what was injected.
func (m measured) compare(t *testing.T) {
	t.Helper()
	d := m.injected(t)
	near(t, "average", m.Latency.Mean(), mean(d), m.lateBy(mean(d)))
	near(t, "max", float64(m.Latency.Max()), d[len(d)-1], m.latest(d[len(d)-1]))
	for _, p := range []float64{50, 90, 99} {
		got, sound := m.Latency.Percentile(p)
		if !sound {
			t.Fatalf("too few operations (%d) for p%g", m.Considered, p)
		}
		want := d[int(math.Ceil(p/100*float64(len(d))))-1]
		near(t, fmt.Sprintf("p%g", p), float64(got), want, m.lateBy(want))
	}
}

// after answers the requests of a benchmark, not the one of the preflight. The first one of each thread takes up to half
// a second longer, so that the threads do not go on in step and this machine need not do all its work at one moment.
func after(kind op.Kind, threads uint64, answer func(n uint64) responder.Answer) responder.Rule {
	return func(k op.Kind, n uint64) responder.Answer {
		if k != kind || n == 0 {
			return responder.Answer{}
		}
		a := answer(n)
		if n <= threads {
			a.Delay += time.Duration(n) * 500 * time.Millisecond / time.Duration(threads)
		}
		return a
	}
}

func threads(n int, d time.Duration) func(*bench.Plan) {
	return func(p *bench.Plan) { p.Phases[0].Concurrency, p.Phases[0].Duration = n, d }
}

func mean(d []float64) float64 {
	sum := 0.0
	for _, v := range d {
		sum += v
	}
	return sum / float64(len(d))
}

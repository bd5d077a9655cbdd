package aggregate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/aggregate/internal/optest"
	"warp/pkg/load"
	"warp/pkg/op"
)

// p99 is the nearest rank of sorted times.
func p99(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[int(math.Ceil(0.99*float64(len(d))))-1]
}

// A request that hangs does not hide what comes after it: the window is the run's, and the percentiles cover all operations.
func TestHungRequest(t *testing.T) {
	testkit.SkipSerial(t)
	hangs := func(th int, start time.Duration) time.Duration {
		switch {
		case th == 7 && start >= 30*time.Second && start < 31*time.Second:
			return 280 * time.Second // until after the run
		case start < 30*time.Second:
			return 20 * time.Millisecond
		}
		return 200 * time.Millisecond // the store is ten times slower
	}
	ops := optest.ClosedLoop(20, 300*time.Second, hangs)
	var all []time.Duration
	for _, o := range ops[20:] {
		all = append(all, o.Latency())
	}
	g, s := only(t, Options{}, ops)
	testkit.Near(t, "window", g.Window.Duration().Seconds(), 300, 0.01)
	testkit.Near(t, "operations/s", g.OpsPerSec(), float64(len(ops)-1)/300, 0.01)
	got, _ := g.Latency.Percentile(99)
	testkit.Near(t, "p99", float64(got), float64(p99(all)), 0.001)
	if g.Latency.Max() != int64(280*time.Second) || len(g.Segments) != 300 {
		t.Errorf("slowest %v, %d segments", time.Duration(g.Latency.Max()), len(g.Segments))
	}
	if warned(s, "active window") {
		t.Errorf("warnings %q", s.Warnings)
	}
	// By the rule of MinIO warp, the window ends where the thread hung, which is said.
	classic, s := twoPasses(t, Options{Rule: Classic}, ops)
	testkit.Near(t, "classic window", classic.Groups[0].Duration().Seconds(), 30, 0.01)
	if want := "GET: the active window covers 10% of the 5m0s of sending; it ends 4m30s before sending stopped, where thread 7 started its last operation, GET of k"; !warned(s, want) ||
		!warned(s, "on http://a:9000, which took 4m40s") {
		t.Errorf("warnings %q, want %q", s.Warnings, want)
	}
}

// A store that freezes shortly before the end of a run shows in its latencies and its rate.
func TestFrozenAtTheEnd(t *testing.T) {
	testkit.SkipSerial(t)
	freeze, thaw := 290*time.Second, 310*time.Second
	ops := optest.ClosedLoop(20, 300*time.Second, func(_ int, start time.Duration) time.Duration {
		if end := start + 100*time.Millisecond; end < freeze {
			return 100 * time.Millisecond
		}
		return thaw - start + 100*time.Millisecond
	})
	g, s := only(t, Options{}, ops)
	testkit.Near(t, "operations/s", g.OpsPerSec(), float64(len(ops))/310, 0.001)
	if slowest := time.Duration(g.Latency.Max()); slowest < 20*time.Second {
		t.Errorf("slowest %v", slowest)
	}
	if !warned(s, "GET: 20 operations were in flight when sending stopped; the longest, GET of k") || !warned(s, " on http://a:9000, took 20.") {
		t.Errorf("warnings %q", s.Warnings)
	}
}

// An open loop goes on sending while its store stalls; the operations that waited count, although they ended after it.
func TestStallAtTheEndOfAnOpenLoop(t *testing.T) {
	ops := openLoop(t, "200", load.Even, load.Options{Concurrency: 2000, Duration: 6 * time.Second}, func(n uint64) time.Duration {
		if n == 1000 {
			return 3 * time.Second
		}
		return time.Millisecond
	})
	var all []time.Duration
	for _, o := range ops {
		all = append(all, o.Latency())
	}
	_, s := twoPasses(t, Options{AllTime: []string{""}}, ops)
	g := s.Groups[0]
	got, _ := g.Latency.Percentile(99)
	testkit.Near(t, "p99", float64(got), float64(p99(all)), 0.01)
	if g.Considered < int64(len(ops))-1 || g.Latency.Max() < int64(2990*time.Millisecond) {
		t.Errorf("%d of %d considered, slowest %v", g.Considered, len(ops), time.Duration(g.Latency.Max()))
	}
	// At the end of the run 200 turns wait, and the stalled one.
	if g.InFlight < 198 || g.InFlight > 202 || g.Concurrency() != int(g.InFlight) || g.Threads < 200 {
		t.Errorf("%d in flight at most, of %d threads", g.InFlight, g.Threads)
	}
	if !warned(s, "operations were in flight when sending stopped") {
		t.Errorf("warnings %q", s.Warnings)
	}
}

// Long operations are not left out more often than short ones: over several runs, percentile and average match the distribution,
// also where an operation takes a tenth of the run.
func TestLongOperationsAreNotShortened(t *testing.T) {
	testkit.SkipSerial(t)
	exponential := func(r *rand.Rand) float64 { return r.ExpFloat64() }
	lognormal := func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64() - 0.5) }
	for name, c := range map[string]struct {
		draw func(*rand.Rand) float64
		p99  float64
	}{
		"exponential": {exponential, math.Log(100)},
		"lognormal":   {lognormal, math.Exp(2.3263 - 0.5)},
	} {
		for _, part := range []float64{0.025, 0.05, 0.1} {
			mean := part * float64(20*time.Second)
			var average, p, classic []float64
			for seed := range uint64(10) {
				r := rand.New(rand.NewPCG(seed, uint64(1000*part)))
				// Enough threads for thousands of operations in each run.
				ops := optest.ClosedLoop(200, 20*time.Second, func(int, time.Duration) time.Duration { return time.Duration(mean * c.draw(r)) })
				for rule, list := range map[Rule]*[]float64{Active: &p, Classic: &classic} {
					_, s := twoPasses(t, Options{Rule: rule}, ops)
					v, _ := s.Groups[0].Latency.Percentile(99)
					*list = append(*list, float64(v)/mean/c.p99)
					if rule == Active {
						average = append(average, s.Groups[0].Latency.Mean()/mean)
					}
				}
			}
			t.Logf("%s, %v %% of the run: average %.3f, p99 %.3f, classic %.3f of the truth", name, 100*part, middle(average), middle(p), middle(classic))
			if a, p := middle(average), middle(p); math.Abs(a-1) > 0.02 || math.Abs(p-1) > 0.05 {
				t.Errorf("%s, %v %% of the run: average is %.3f, p99 %.3f of the truth", name, 100*part, a, p)
			}
		}
	}
}

// middle is the average of values.
func middle(values []float64) (m float64) {
	for _, v := range values {
		m += v / float64(len(values))
	}
	return m
}

// A thread that has nothing left to do ends the window, which is said.
func TestThreadThatEndsEarly(t *testing.T) {
	ops := slices.DeleteFunc(optest.Steady(4, 10*time.Millisecond, 20*time.Second, func(i int, o *op.Op) { o.Client, o.Key = fmt.Sprint("c", o.Thread%2), fmt.Sprint("k", i) }), func(o op.Op) bool {
		return o.Thread == 3 && o.End.After(optest.At(5))
	})
	g, s := only(t, Options{}, ops)
	if d := optest.At(5).Sub(g.Window.End); d < 0 || d > 10*time.Millisecond {
		t.Errorf("window %+v", g.Window)
	}
	want := "it ends 15s before sending stopped, where thread 3 of client c1 ended its last operation, GET of k498 on http://a:9000, which took 10.0ms"
	if !warned(s, want) {
		t.Errorf("warnings %q, want %q", s.Warnings, want)
	}
}

// A thread of a mix is at work as long as it performs any kind; a rare kind does not lose the time until every thread has met it.
func TestWindowsOfAMix(t *testing.T) {
	ops := optest.Steady(10, 10*time.Millisecond, 20*time.Second, nil)
	for i := range ops {
		switch {
		case i%5 == 0:
			ops[i].Kind = op.Put
		case i%500 == 7: // each thread about four times
			ops[i].Kind = op.Delete
		}
	}
	_, s := twoPasses(t, Options{}, ops)
	for _, g := range s.Groups {
		least := 0.98
		if g.Kind == op.Delete {
			least = 0.7 // from the first to the last
		}
		if part := g.Window.Duration().Seconds() / 20; part < least || g.Window.Loose {
			t.Errorf("%s: window %+v, %.3f of the run", g.Kind, g.Window, part)
		}
	}
	if warned(s, "active window") {
		t.Errorf("warnings %q", s.Warnings)
	}
}

// In a normal run the window is that of MinIO warp to within an operation.
func TestActiveIsClassicInANormalRun(t *testing.T) {
	ops := optest.ClosedLoop(8, 60*time.Second, func(th int, start time.Duration) time.Duration {
		return 5*time.Millisecond + time.Duration(th)*time.Millisecond + start%(3*time.Millisecond)
	})
	_, a := twoPasses(t, Options{}, ops)
	_, c := twoPasses(t, Options{Rule: Classic}, ops)
	active, classic := a.Groups[0], c.Groups[0]
	if !active.Window.Start.Equal(classic.Window.Start) || active.Window.End.Sub(classic.Window.End) > 20*time.Millisecond {
		t.Errorf("windows %+v and %+v", active.Window, classic.Window)
	}
	testkit.Near(t, "objects/s", active.ObjectsPerSec(), classic.ObjectsPerSec(), 0.002)
	testkit.Near(t, "average", active.Latency.Mean(), classic.Latency.Mean(), 0.002)
}

// Segments and what lies outside of them hold every operation, with its bytes and its time, whatever the window.
func TestRestOfSegments(t *testing.T) {
	for _, name := range sortedStreams() {
		for _, opts := range []Options{{}, {Segment: 300 * time.Millisecond}, {Segment: time.Hour}, {Rule: Classic}, {Skip: time.Second}} {
			opts.HostSegments, opts.SegmentTimes = true, true
			_, s := twoPasses(t, opts, optest.Streams()[name].Make())
			for _, g := range slices.Concat(s.Groups, s.Totals) {
				checkRest(t, fmt.Sprint(name, " ", opts, " ", g.Name()), g.Requests-g.Errors, g.Errors, g.Segments, &g.Rest)
				for host, p := range g.ByHost {
					if g.Kind != "" {
						checkRest(t, fmt.Sprint(name, " ", opts, " ", host), p.Total-p.Failed, p.Failed, p.Series, p.Rest)
					}
				}
			}
		}
	}
}

func checkRest(t *testing.T, what string, ops, errors int64, segments []Segment, rest *Segment) {
	t.Helper()
	var sum Segment
	for i := range segments {
		sum.Merge(&segments[i])
	}
	sum.Merge(rest)
	if sum.Started != ops || sum.Ended != ops || sum.Errors != errors || sum.Latency.Count() != ops || math.Abs(sum.Objects-float64(ops)) > 1e-6*float64(ops) {
		t.Errorf("%s: %d started, %d ended, %v objects, %d times, %d errors, want %d and %d",
			what, sum.Started, sum.Ended, sum.Objects, sum.Latency.Count(), sum.Errors, ops, errors)
	}
}

// The greatest number in flight does not depend on the order of operations, nor much on how closely is looked.
func TestInFlight(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, span := range []float64{5, 100, 4000} {
		var ops []op.Op
		for range 5000 {
			start := r.Float64() * span
			ops = append(ops, optest.Get(start, start+span/100))
		}
		for i := range 300 {
			ops = append(ops, optest.Get(span/2+float64(i)*1e-6, span/2+span/50)) // a stall
		}
		var events []op.Op
		for _, o := range ops {
			events = append(events, optest.With(o, func(o *op.Op) { o.End, o.Bytes = o.Start, 1 }), optest.With(o, func(o *op.Op) { o.Bytes = -1 }))
		}
		now, want := int64(0), int64(0)
		for _, e := range optest.Ordered(events, optest.ByEnd) {
			now += e.Bytes
			want = max(want, now)
		}
		for range 3 {
			r.Shuffle(len(ops), func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
			var u inFlight
			for _, o := range ops {
				u.add(o.Start.UnixNano(), o.End.UnixNano())
			}
			if got := u.maximum(); got > want || float64(got) < 0.98*float64(want) || len(u.changes) > maxMoments {
				t.Errorf("%v s: %d in flight, want %d; %d moments", span, got, want, len(u.changes))
			}
		}
	}
}

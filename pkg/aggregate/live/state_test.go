package live

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/aggregate"
	"warp/pkg/aggregate/internal/decode"
	"warp/pkg/aggregate/internal/optest"
	"warp/pkg/op"
)

func liveOf(t testing.TB, ops []op.Op) *State {
	t.Helper()
	l := New(aggregate.Options{})
	if err := l.Write(ops); err != nil {
		t.Fatal(err)
	}
	return l
}

// varying is a run of n threads without pauses, whose rate of operations a second changes with time.
func varying(n int, total time.Duration, rate func(seconds float64) float64) []op.Op {
	var ops []op.Op
	for th := range n {
		at := time.Duration(th) * time.Millisecond
		for at < total {
			d := time.Duration(float64(time.Second) * float64(n) / rate(at.Seconds()))
			o := optest.Get(0, 0)
			o.Phase, o.Thread, o.Start, o.End = "main", uint32(th), optest.Epoch.Add(at), optest.Epoch.Add(at+d)
			ops = append(ops, o)
			at += d
		}
	}
	return ops
}

func TestStable(t *testing.T) {
	constant := func(float64) float64 { return 400 }
	noisy := func(share float64) func(float64) float64 {
		r := rand.New(rand.NewPCG(5, 5))
		return func(s float64) float64 {
			if int(s)%4 < 2 {
				return 400 * (1 - share)
			}
			return 400 * (1 + share*r.Float64())
		}
	}
	for _, c := range []struct {
		name   string
		total  time.Duration
		rate   func(float64) float64
		minDur time.Duration
		pct    float64
		slope  float64
		want   bool
	}{
		{"steady", 60 * time.Second, constant, 15 * time.Second, 7.5, 0, true},
		{"too short", 50 * time.Second, constant, 15 * time.Second, 7.5, 0, false},
		{"any length", 3 * time.Second, constant, 0, 7.5, 0, true},
		{"drift", 60 * time.Second, func(s float64) float64 { return 400 + 20*s }, 15 * time.Second, 7.5, 0, false},
		{"drift for long", 600 * time.Second, func(s float64) float64 { return 40 + s }, 15 * time.Second, 7.5, 0, false},
		{"small drift", 60 * time.Second, func(s float64) float64 { return 400 + 0.5*s }, 15 * time.Second, 7.5, 0, false},
		{"accepted drift", 60 * time.Second, func(s float64) float64 { return 400 + 0.2*s }, 15 * time.Second, 7.5, 0, true},
		{"slow start", 100 * time.Second, func(s float64) float64 { return min(400, 10+10*s) }, 15 * time.Second, 7.5, 0, true},
		{"noise within", 60 * time.Second, noisy(0.05), 15 * time.Second, 7.5, 0, true},
		{"noise beyond", 60 * time.Second, noisy(0.5), 15 * time.Second, 7.5, 0, false},
		{"long operations", 100 * time.Second, func(float64) float64 { return 8 }, 15 * time.Second, 7.5, 0, true},
		{"range and slope", 60 * time.Second, constant, 15 * time.Second, 20, 10, true},
		{"noise without slope", 60 * time.Second, noisy(0.05), 15 * time.Second, 10, 5, true},
		{"range beyond", 60 * time.Second, noisy(0.5), 15 * time.Second, 20, 20, false},
		{"slope beyond", 60 * time.Second, func(s float64) float64 { return 400 + 3*s }, 15 * time.Second, 20, 5, false},
		{"the same slope within", 60 * time.Second, func(s float64) float64 { return 400 + 3*s }, 15 * time.Second, 20, 10, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			ops := varying(8, c.total, c.rate)
			// Preparation before, at another rate, plays no part.
			for i := range 1000 {
				ops = append(ops, optest.With(optest.Get(-float64(i)-1, -float64(i)), func(o *op.Op) { o.Phase = op.PhasePrepare }))
			}
			now, ok := liveOf(t, ops).Stable(Stability{c.minDur, c.pct, c.slope})
			if ok != c.want || !now.ByBytes {
				t.Errorf("stable %v at %.0f, drift %v, by bytes %v; want %v", ok, now.Rate, now.Drift, now.ByBytes, c.want)
			}
			if c.want {
				testkit.Near(t, "rate", now.Rate, 1000*c.rate(c.total.Seconds()), 0.1)
			}
		})
	}
}

// TestMainSlices: slices of the main phase, the newest first, without the preparation.
func TestMainSlices(t *testing.T) {
	l := liveOf(t, []op.Op{optest.With(optest.Get(0, 1), func(o *op.Op) { o.Phase = op.PhasePrepare })})
	if _, ok := l.MainP99(); ok {
		t.Error("a phase before the main one has a percentile")
	}
	if err := l.Write(varying(1, 10*time.Second, func(s float64) float64 { return 100 + 100*math.Floor(s) })); err != nil {
		t.Fatal(err)
	}
	if p99, ok := l.MainP99(); !ok || p99 <= 0 || p99 > 11*time.Millisecond {
		t.Errorf("99th percentile %v, %v", p99, ok)
	}
	bytes, objects, byBytes := l.MainSlices(optest.At(9), time.Second)
	if len(bytes) != StableKept || len(objects) != StableKept || !byBytes {
		t.Fatalf("%d and %d slices, by bytes %v", len(bytes), len(objects), byBytes)
	}
	for i := range StableLast { // operations that end after the first second
		testkit.Near(t, fmt.Sprint("slice ", i), objects[i], float64(900-100*i), 0.01)
		testkit.Near(t, fmt.Sprint("slice ", i), bytes[i], 1000*objects[i], 1e-6)
	}
}

// TestStableWaits: operations of some threads are on their way still; that is no loss of throughput.
func TestStableWaits(t *testing.T) {
	var ops []op.Op
	for _, o := range varying(8, 60*time.Second, func(float64) float64 { return 400 }) {
		if o.Thread%2 == 0 || o.End.Before(optest.At(58.5)) {
			ops = append(ops, o)
		}
	}
	now, ok := liveOf(t, ops).Stable(Stability{MinDuration: 15 * time.Second, Percent: 7.5})
	if !ok {
		t.Error("not stable")
	}
	testkit.Near(t, "rate", now.Rate, 400_000, 0.01)
}

func TestSeriesBetween(t *testing.T) {
	var s series
	s.add(&decode.Record{Start: int64(time.Second), End: int64(1250 * time.Millisecond), Bytes: 250})
	for _, c := range []struct{ from, to, want float64 }{
		{1, 1.25, 250}, {1, 1.05, 50}, {1.2, 1.25, 50}, {1.15, 1.225, 75}, {0, 9, 250}, {1.25, 9, 0}, {0, 1, 0},
	} {
		bytes, _, _ := s.between(int64(c.from*1e9), int64(c.to*1e9))
		testkit.Near(t, fmt.Sprint(c.from, " to ", c.to), bytes, c.want, 1e-6)
	}
}

func TestStableMetric(t *testing.T) {
	ops := varying(4, 30*time.Second, func(float64) float64 { return 100 })
	for i := range ops {
		ops[i].Kind, ops[i].Bytes, ops[i].Objects = op.List, 0, 50
	}
	now, ok := liveOf(t, ops).Stable(Stability{MinDuration: time.Second, Percent: 7.5})
	if !ok || now.ByBytes {
		t.Errorf("stable %v, by bytes %v", ok, now.ByBytes)
	}
	testkit.Near(t, "objects/s", now.Rate, 5000, 0.02)

	for i := range ops { // the kinds of a mixed run vary, their sum does not
		s := ops[i].Start.Sub(optest.Epoch).Seconds()
		if math.Mod(s, 3) < 1.5 {
			ops[i].Kind = op.Delete
		}
	}
	if _, ok := liveOf(t, ops).Stable(Stability{MinDuration: time.Second, Percent: 7.5}); !ok {
		t.Error("the total of a mixed run is steady")
	}
	for i := range ops {
		ops[i].Err = "x"
	}
	if now, ok := liveOf(t, ops).Stable(Stability{Percent: 7.5}); ok || now.Rate != 0 {
		t.Error("a run where all fails is stable")
	}
	for _, l := range []*State{New(aggregate.Options{}), liveOf(t, []op.Op{optest.Get(0, 0)}), liveOf(t, []op.Op{optest.Get(3, 1)})} {
		if _, ok := l.Stable(Stability{Percent: 7.5}); ok {
			t.Error("nothing is stable")
		}
	}
}

// TestSnapshot compares with the sums of all operations; their order does not matter.
func TestSnapshot(t *testing.T) {
	for name, s := range optest.Streams() {
		t.Run(name, func(t *testing.T) {
			ops := s.Make()
			snap := liveOf(t, ops).Snapshot()
			if _, err := json.Marshal(snap); err != nil {
				t.Error(err) // as of figures that are no numbers
			}
			if len(snap.Groups) != len(s.Kinds) || (len(snap.Totals) == 1) != (len(s.Kinds) > 1) {
				t.Fatalf("%d groups, %d totals", len(snap.Groups), len(snap.Totals))
			}
			for _, g := range append(snap.Groups, snap.Totals...) {
				var n, errs, bytes int64
				for _, o := range ops {
					if g.Kind == "" && !o.Kind.IsComposite() || o.Kind == g.Kind {
						n++
						if o.Failed() {
							errs++
						} else {
							bytes += o.Bytes
						}
					}
				}
				if g.Requests != n || g.Errors != errs || g.Bytes != float64(bytes) || g.Latency.Count() != n-errs || g.Threads != s.Threads*s.Clients {
					t.Errorf("%s: %d requests, %d errors, %v bytes, %d threads; want %d, %d, %d",
						g.Name(), g.Requests, g.Errors, g.Bytes, g.Threads, n, errs, bytes)
				}
				var ended, sum float64
				for _, seg := range g.Segments {
					ended += float64(seg.Ended)
					sum += seg.Bytes
				}
				if ended > float64(n-errs) || ended < float64(n-errs)-20 || sum > float64(bytes)*1.0001 || sum < 0.8*float64(bytes) {
					t.Errorf("%s: segments hold %v operations and %v bytes of %d and %d", g.Name(), ended, sum, n-errs, bytes)
				}
			}
		})
	}
}

// TestLength: points get longer as the run does, and their number stays within bounds, also if an operation is far off.
func TestLength(t *testing.T) {
	l := New(aggregate.Options{})
	var n float64
	for i := range 5000 {
		o := optest.Get(float64(i), float64(i)+1)
		if i == 3000 {
			o = optest.Get(-5000, -4999)
		}
		if err := l.Write([]op.Op{o}); err != nil {
			t.Fatal(err)
		}
		n++
		if p := len(l.totals[0].series.points); p > maxPoints {
			t.Fatalf("%d points", p)
		}
	}
	var objects float64
	for _, p := range l.totals[0].series.points {
		objects += p.objects
	}
	testkit.Near(t, "objects", objects, n, 1e-9)
	if s := l.Snapshot(); s.Segment != 12800*time.Millisecond || !s.Groups[0].First.Equal(optest.At(-5000)) {
		t.Errorf("points of %v from %v", s.Segment, s.Groups[0].First)
	}
}

// Streams in parallel are phases that overlap in time; one that was over before does not count.
func TestRecentOfStreams(t *testing.T) {
	phase := func(name string, kind op.Kind) func(*op.Op) {
		return func(o *op.Op) { o.Phase, o.Kind = name, kind }
	}
	var ops []op.Op
	for i := range 100 {
		s := float64(i) / 10
		ops = append(ops, optest.With(optest.Get(s, s+.1), phase("before", op.Get)), optest.With(optest.Get(s+10, s+10.1), phase("one", op.Get)), optest.With(optest.Get(s+10.05, s+10.15), phase("two", op.Put)))
	}
	l := liveOf(t, ops)
	r, ok := l.Recent(optest.At(20.15))
	if !ok || r.Phase != "two" || len(r.Kinds) != 2 || r.Total.Ops != 200 || r.Total.P50 != 0 || r.Kinds[0].P50 == 0 {
		t.Errorf("%v %+v", ok, r)
	}
	testkit.Near(t, "operations/s", r.Total.OpsPerSec, 20, 0.15)
	if r, _ := liveOf(t, ops[:1]).Recent(optest.At(0.2)); len(r.Kinds) != 1 || r.Total.P50 == 0 {
		t.Errorf("of one phase: %+v", r)
	}
}

func TestRecent(t *testing.T) {
	ops := varying(10, 20*time.Second, func(s float64) float64 {
		if s < 10 {
			return 1000
		}
		return 100
	})
	for i := range ops {
		if i%2 == 0 {
			ops[i].Kind, ops[i].Bytes = op.Stat, 0
		}
	}
	ops = append(ops, optest.With(optest.Get(19, 19.5), func(o *op.Op) { o.Phase, o.Err = "main", "x" }))
	l := liveOf(t, ops)
	end := l.totals[0].series.last
	r, ok := l.Recent(time.Unix(0, end).Add(500 * time.Millisecond))
	if !ok || r.Phase != "main" || len(r.Kinds) != 2 || r.Total.Ops != int64(len(ops)) || r.Total.Errors != 1 {
		t.Fatalf("%v %+v", ok, r)
	}
	testkit.Near(t, "operations/s", r.Total.OpsPerSec, 100, 0.05)
	testkit.Near(t, "bytes/s", r.Total.BytesPerSec, 50_000, 0.1)
	testkit.Near(t, "p50", float64(r.Total.P50), 1e8, 0.01)
	testkit.Near(t, "p99", float64(r.Total.P99), 1e8, 0.01)
	testkit.Near(t, "sum of kinds", r.Kinds[0].OpsPerSec+r.Kinds[1].OpsPerSec, r.Total.OpsPerSec, 1e-9)

	// A stalled server shows: nothing ended lately.
	r, _ = l.Recent(time.Unix(0, end).Add(5 * time.Second))
	if r.Total.OpsPerSec != 0 || r.Total.P99 != 0 || r.Total.Ops != int64(len(ops)) {
		t.Errorf("%+v", r.Total)
	}
	if _, ok := New(aggregate.Options{}).Recent(optest.Epoch); ok {
		t.Error("figures of nothing")
	}
	// The first moments: no rate yet, and none beyond the time that passed.
	r, _ = liveOf(t, optest.Steady(10, 10*time.Millisecond, 300*time.Millisecond, nil)).Recent(optest.At(0.3))
	testkit.Near(t, "early operations/s", r.Total.OpsPerSec, 1000, 0.15)
}

// TestConcurrent is for the race detector: figures are asked while operations come.
func TestConcurrent(t *testing.T) {
	l := New(aggregate.Options{})
	a := aggregate.New(aggregate.Options{}, &aggregate.Windows{})
	ops := optest.Streams()["get"].Make()
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 10 {
			_ = l.Write(ops)
			_ = a.Write(ops)
		}
	})
	for range 10 {
		_ = fmt.Sprint(l.Snapshot().Groups)
		l.Recent(optest.At(1))
		l.Stable(Stability{Percent: 7.5})
		a.Snapshot()
	}
	wg.Wait()
	if got, want := l.Snapshot().Groups[0].Requests, int64(10*len(ops)); got != want {
		t.Errorf("%d requests, want %d", got, want)
	}
}

// A request that hangs beyond the end does not lengthen the window of a run without a recording.
func TestHungRequest(t *testing.T) {
	ops := optest.ClosedLoop(20, 300*time.Second, func(thread int, start time.Duration) time.Duration {
		if thread == 7 && start >= 30*time.Second && start < 31*time.Second {
			return 280 * time.Second
		}
		return 100 * time.Millisecond
	})
	g := liveOf(t, ops).Overall().Groups[0]
	testkit.Near(t, "operations/s", g.OpsPerSec(), float64(len(ops)-1)/300, 0.01)
	if g.Considered != int64(len(ops)) || g.Latency.Max() != int64(280*time.Second) {
		t.Errorf("%d considered, slowest %v", g.Considered, time.Duration(g.Latency.Max()))
	}
}

// Phases in parallel have a total of all their operations.
func TestConcurrentTotal(t *testing.T) {
	ops := optest.ParallelPhases()
	totals := liveOf(t, ops).Overall().Totals
	all := totals[len(totals)-1]
	first := slices.MinFunc(ops, func(a, b op.Op) int { return a.Start.Compare(b.Start) })
	if !all.Combined() || all.Phase != "phase0 + phase1 + phase2" || all.Requests != int64(len(ops)) || !all.Window.Start.Equal(first.Start) {
		t.Errorf("%+v", all)
	}
}

// Operations that consist of others have figures of their own, and change none of a total.
func TestTotalsLeaveOutWholes(t *testing.T) {
	ops := optest.Streams()["parts"].Make()
	requests := slices.DeleteFunc(slices.Clone(ops), func(o op.Op) bool { return o.Kind.IsComposite() })
	want, got := liveOf(t, requests).Snapshot(), liveOf(t, ops).Snapshot()
	if len(got.Groups) != len(want.Groups)+1 || len(want.Totals) != 1 || !reflect.DeepEqual(got.Totals, want.Totals) {
		t.Fatalf("%d groups and %d totals, without wholes %d and %d", len(got.Groups), len(got.Totals), len(want.Groups), len(want.Totals))
	}
	i := slices.IndexFunc(got.Groups, func(g *aggregate.Group) bool { return g.Kind == op.MultipartPut })
	if i < 0 || got.Groups[i].Requests != int64(len(ops)-len(requests)) || got.Groups[i].MaxSize != 1<<20 {
		t.Error("no figures of wholes")
	}
}

// One kind of request next to a whole makes no total: the kind is the total.
func TestOneKindBesideWholes(t *testing.T) {
	var ops []op.Op
	for i := range 100 {
		part := optest.With(optest.Get(float64(i), float64(i+1)), func(o *op.Op) { o.Kind = op.GetPart })
		ops = append(ops, part, optest.With(part, func(o *op.Op) { o.Kind = op.MultipartGet }))
	}
	l := liveOf(t, ops)
	if s := l.Snapshot(); len(s.Groups) != 2 || len(s.Totals) != 0 {
		t.Errorf("%d groups, %d totals", len(s.Groups), len(s.Totals))
	}
	if r, _ := l.Recent(optest.At(100)); r.Total.Ops != 100 {
		t.Errorf("%d operations in total", r.Total.Ops)
	}
}

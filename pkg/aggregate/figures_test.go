package aggregate

import (
	"fmt"
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/aggregate/internal/decode"
	"warp/pkg/aggregate/internal/optest"
	"warp/pkg/op"
)

// The tests here are faults of other tools that must not come back.

// TestAverageIsNotTooLow: data and time of the average are cut alike, in one piece and merged, however short the run.
func TestAverageIsNotTooLow(t *testing.T) {
	for _, total := range []time.Duration{3 * time.Second, 10 * time.Second, 20 * time.Second} {
		ops := optest.Steady(10, 10*time.Millisecond, total, func(_ int, o *op.Op) { o.Client = fmt.Sprint(o.Thread % 2) })
		w := boundsOf(t, Options{}, ops).Windows()
		parts := split(ops, 2, func(_ int, o *op.Op) int { return int(o.Thread % 2) })
		whole := snapshotOf(t, Options{}, w, ops)
		merged := mergeAll(t, snapshotOf(t, Options{}, w, parts[0]), snapshotOf(t, Options{}, w, parts[1]))
		for _, s := range []*Snapshot{whole, merged} {
			g := s.Groups[0]
			testkit.Near(t, "objects/s", g.ObjectsPerSec(), 1000, 1e-9)
			testkit.Near(t, "bytes/s", g.BytesPerSec(), 1e6, 1e-9)
			for i, seg := range g.Segments {
				testkit.Near(t, fmt.Sprint("segment ", i), seg.Objects, 1000, 1e-9)
			}
		}
	}
}

// TestFailuresAreNotThroughput: half of the operations fail, some of them with the bytes they should have had.
func TestFailuresAreNotThroughput(t *testing.T) {
	ops := optest.Steady(1, 10*time.Millisecond, 10*time.Second, func(i int, o *op.Op) {
		if i%2 == 0 {
			o.Err = "403 AccessDenied: no"
		}
	})
	g, s := only(t, Options{}, ops)
	testkit.Near(t, "objects/s", g.ObjectsPerSec(), 50, 0.01)
	if g.Latency.Count() != g.Considered || g.Considered > 500 || g.Errors != 500 {
		t.Errorf("considered %d, warnings %q", g.Considered, s.Warnings)
	}
	h := g.ByHost["http://a:9000"]
	if h.Total != 1000 || h.Failed != 500 || h.Latency.Count() != g.Considered {
		t.Errorf("by host %+v", h)
	}
}

// TestEmptyFailureKeepsOneSize: a failed operation without bytes does not make a run of one size one of many.
func TestEmptyFailureKeepsOneSize(t *testing.T) {
	ops := optest.Steady(2, 10*time.Millisecond, 8*time.Second, func(i int, o *op.Op) {
		if i == 0 {
			o.Err, o.Bytes, o.Objects = "503 SlowDown: later", 0, 0
		}
	})
	g, _ := only(t, Options{}, ops)
	if g.MinSize != 1000 || g.MaxSize != 1000 || g.MinObjects != 1 || g.Classes() != nil {
		t.Errorf("sizes %d to %d, classes %v", g.MinSize, g.MaxSize, g.Classes())
	}
}

// TestSizeThroughputDoesNotShrink: percentiles of the throughput of single requests do not depend on the length of the run.
func TestSizeThroughputDoesNotShrink(t *testing.T) {
	for _, total := range []time.Duration{5 * time.Second, 50 * time.Second} {
		ops := optest.Steady(2, 10*time.Millisecond, total, func(i int, o *op.Op) { o.Bytes = []int64{100_000, 1 << 22}[i%2] })
		g, _ := only(t, Options{}, ops)
		classes := g.Classes()
		if len(classes) != 2 {
			t.Fatalf("%d classes", len(classes))
		}
		for i, size := range []float64{100_000, 1 << 22} {
			for _, p := range []float64{50, 90, 99} {
				v, _ := classes[i].Throughput.Percentile(p)
				testkit.Near(t, fmt.Sprintf("class %d p%g", i, p), float64(v), size*100, 0.001)
			}
		}
	}
}

// TestShortLatencies: times under a millisecond, and under a microsecond, have three digits.
func TestShortLatencies(t *testing.T) {
	for _, d := range []time.Duration{987 * time.Nanosecond, 123456 * time.Nanosecond} {
		g, _ := only(t, Options{}, optest.Steady(1, d, 5000*d, nil))
		v, _ := g.Latency.Percentile(99)
		testkit.Near(t, "p99", float64(v), float64(d), 0.001)
	}
}

// TestStallShows: 1 s of stall among requests of 1 ms is in the tail, and nowhere else.
func TestStallShows(t *testing.T) {
	ops := optest.Steady(20, time.Millisecond, 3*time.Second, nil)
	for th := range 20 {
		ops = append(ops, optest.With(optest.Get(3.1, 4.1), func(o *op.Op) { o.Thread = uint32(th) }), optest.With(optest.Get(4.2, 4.201), func(o *op.Op) { o.Thread = uint32(th) }),
			optest.With(optest.Get(4.3, 4.301), func(o *op.Op) { o.Thread = uint32(th) }))
	}
	g, _ := only(t, Options{}, ops)
	for p, want := range map[float64]time.Duration{50: time.Millisecond, 99.9: time.Millisecond, 99.97: time.Second} {
		v, _ := g.Latency.Percentile(p)
		testkit.Near(t, fmt.Sprint("p", p), float64(v), float64(want), 0.001)
	}
}

func TestTotals(t *testing.T) {
	mixed := optest.Steady(4, 10*time.Millisecond, 10*time.Second, func(i int, o *op.Op) {
		o.Phase = "main"
		if i%4 == 0 {
			o.Kind, o.Bytes = op.Stat, 0
		}
	})
	prepare := optest.Steady(4, 10*time.Millisecond, 2*time.Second, func(_ int, o *op.Op) {
		o.Phase, o.Kind, o.Start, o.End = op.PhasePrepare, op.Put, o.Start.Add(-time.Minute), o.End.Add(-time.Minute)
	})
	s := analyze(t, Options{}, append(mixed, prepare...))
	finite(t, s)
	var names []string
	for _, g := range s.Groups {
		names = append(names, g.Name())
	}
	if fmt.Sprint(names) != "[prepare PUT main GET main STAT]" && fmt.Sprint(names) != "[prepare PUT main STAT main GET]" || len(s.Totals) != 1 {
		t.Fatalf("groups %v, %d totals", names, len(s.Totals))
	}
	total := s.Totals[0]
	reference(mixed, s.Segment).compare(t, total, 0.001)
	if total.Phase != "main" || total.Kind != "" || !total.MovesBytes() || total.Requests != int64(len(mixed)) || total.BySize != nil {
		t.Errorf("total %s of %d", total.Name(), total.Requests)
	}
	testkit.Near(t, "objects/s", total.ObjectsPerSec(), 400, 1e-9)
	if len(s.Warnings) != 0 {
		t.Errorf("warnings %q", s.Warnings)
	}
}

// TestTotalNeedsOneTime: kinds that came one after another in one phase, as in recordings that do not mark preparation,
// do not add up to a total.
func TestTotalNeedsOneTime(t *testing.T) {
	for gap, want := range map[float64]int{-2: 1, 2: 0} {
		var ops []op.Op
		for i := range 10 {
			ops = append(ops, optest.Get(float64(i), float64(i+1)), optest.With(optest.Get(9+gap+float64(i), 10+gap+float64(i)), func(o *op.Op) { o.Kind = op.Put }))
		}
		if s := analyze(t, Options{}, ops); len(s.Totals) != want {
			t.Errorf("%v s between the kinds: %d totals", gap, len(s.Totals))
		}
	}
}

func TestRank(t *testing.T) {
	g := &Group{Kind: op.Get, OpSizes: OpSizes{MaxSize: 1}, Segments: []Segment{{Bytes: 3, Objects: 1}, {Bytes: 1, Objects: 9}, {Bytes: 2, Objects: 2}, {Bytes: 4, Objects: 3}}}
	for _, c := range []struct {
		kind                     op.Kind
		size                     int64
		fastest, median, slowest int
		byBytes                  bool
	}{
		{op.Get, 1, 3, 0, 1, true}, {op.Stat, 0, 1, 3, 0, false}, {"UNKNOWN", 1, 3, 0, 1, true}, {"UNKNOWN", 0, 1, 3, 0, false}, {op.Put, 0, 1, 3, 0, false},
	} {
		g.Kind, g.MaxSize = c.kind, c.size
		fastest, median, slowest, byBytes, ok := g.Rank()
		if !ok || fastest != c.fastest || median != c.median || slowest != c.slowest || byBytes != c.byBytes {
			t.Errorf("%s: %d %d %d %v %v, want %+v", c.kind, fastest, median, slowest, byBytes, ok, c)
		}
	}
}

func TestClasses(t *testing.T) {
	for _, c := range []struct {
		name   string
		counts []int64 // by fine class: 0, 10, 100, 1Ki, 10Ki, 100Ki, 1Mi, ...
		want   string
	}{
		{"none", nil, "[]"},
		{"one", []int64{0, 0, 100}, "[100-1024:100]"},
		{"each large", []int64{0, 0, 50, 50}, "[100-1024:50 1024-10240:50]"},
		{"small join upwards", []int64{1, 2, 3, 94}, "[0-1024:6 1024-10240:94]"},
		{"rest joins downwards", []int64{0, 0, 0, 96, 2, 2}, "[1024-1048576:100]"},
		{"gaps close", []int64{0, 50, 0, 0, 50}, "[10-100:50 100-102400:50]"},
		{"all small", []int64{0, 0, 0, 0, 0, 0, 3}, "[1048576-10485760:3]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &Group{OpSizes: OpSizes{MinSize: 1, MaxSize: 2}}
			var total int64
			for i, n := range c.counts {
				s := newSizeClass(i)
				s.Requests = n
				total += n
				g.BySize = append(g.BySize, *s)
			}
			got := "["
			for i, s := range g.Classes() {
				if i > 0 {
					got += " "
				}
				got += fmt.Sprintf("%d-%d:%d", s.From, s.To, s.Requests)
				total -= s.Requests
			}
			if got += "]"; got != c.want || total != 0 {
				t.Errorf("%s, want %s; %d lost", got, c.want, total)
			}
		})
	}
	for size, from := range map[int64]int64{0: 0, 9: 0, 10: 10, 1023: 100, 1024: 1024, 10239: 1024, 10240: 10240, 1 << 20: 1 << 20, 1 << 62: 100 << 50} {
		if got := SizeFrom(size); got != from {
			t.Errorf("%d lies in the class from %d, want %d", size, got, from)
		}
	}
}

func TestErrorLimits(t *testing.T) {
	var f Failures
	for i := range 1000 {
		o := optest.Get(float64(1000-i), float64(1000-i))
		o.Err = fmt.Sprintf("class %d: %02000d", i%300, i)
		f.Add(&o)
	}
	var n int64
	for _, x := range f.ByClass {
		n += x
	}
	if n != 1000 || len(f.ByClass) != decode.MaxErrorClasses+1 || f.ByClass[decode.OtherErrors] == 0 {
		t.Errorf("%d errors in %d classes, %d others", n, len(f.ByClass), f.ByClass[decode.OtherErrors])
	}
	if len(f.First) != MaxErrorSamples || !f.First[0].Time.Equal(optest.At(1)) || len(f.First[0].Err) > maxErrorText+3 {
		t.Errorf("%d samples from %v", len(f.First), f.First[0].Time)
	}
}

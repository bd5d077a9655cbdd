package aggregate

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/aggregate/internal/optest"
	"warp/pkg/op"
)

// finite fails if a snapshot holds a figure that is not a number, or figures for an empty window.
func finite(t *testing.T, s *Snapshot) {
	t.Helper()
	for _, g := range append(s.Groups, s.Totals...) {
		for _, x := range []float64{g.Bytes, g.Objects, g.Ops, g.BytesPerSec(), g.ObjectsPerSec(), g.OpsPerSec(), g.Latency.Mean(), g.Latency.StdDev()} {
			if math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
				t.Errorf("%s holds %v", g.Name(), x)
			}
			if x != 0 && g.Window.Duration() == 0 {
				t.Errorf("%s has an empty window, but %v", g.Name(), x)
			}
		}
		g.Rank()
		g.Classes()
	}
	travelled(t, s)
}

// warned reports whether a warning holds the text.
func warned(s *Snapshot, text string) bool {
	return strings.Contains(strings.Join(s.Warnings, "\n"), text)
}

// only is the one group of a run, after a comparison with the definition.
func only(t *testing.T, opts Options, ops []op.Op) (*Group, *Snapshot) {
	t.Helper()
	s := analyze(t, opts, ops)
	finite(t, s)
	if len(s.Groups) != 1 || len(s.Totals) != 0 {
		t.Fatalf("%d groups and %d totals", len(s.Groups), len(s.Totals))
	}
	reference(ops, s.Segment).compare(t, s.Groups[0], 0.001)
	return s.Groups[0], s
}

func TestNoOperations(t *testing.T) {
	s := analyze(t, Options{}, nil)
	if len(s.Groups) != 0 || len(s.Warnings) != 0 || s.Segment != time.Second {
		t.Errorf("%+v", s)
	}
	finite(t, s)
}

func TestOneOperation(t *testing.T) {
	s := analyze(t, Options{HostSegments: true, SegmentTimes: true}, []op.Op{optest.Get(1, 2)})
	finite(t, s)
	g := s.Groups[0]
	if g.Requests != 1 || g.Considered != 0 || g.Threads != 1 || g.MinSize != 1000 || !g.First.Equal(optest.At(1)) || !g.Last.Equal(optest.At(2)) {
		t.Errorf("%+v", g)
	}
	if p := g.ByHost["http://a:9000"]; p == nil || p.Total != 1 {
		t.Errorf("by host: %+v", p)
	}
	if !warned(s, "GET: no throughput and no latency: too few operations") {
		t.Errorf("warnings %q", s.Warnings)
	}
	if _, _, _, _, ok := g.Rank(); ok {
		t.Error("a rank without segments")
	}
}

func TestThreeOperations(t *testing.T) {
	g, s := only(t, Options{Segment: 500 * time.Millisecond}, []op.Op{optest.Get(0, 1), optest.Get(1, 2), optest.Get(2, 3)})
	if !g.Window.Start.Equal(optest.At(1)) || !g.Window.End.Equal(optest.At(3)) || g.Window.Loose || g.Considered != 2 || g.BytesPerSec() != 1000 {
		t.Errorf("%+v", g)
	}
	if !warned(s, "only 2s long") {
		t.Errorf("warnings %q", s.Warnings)
	}
}

func TestAllFailed(t *testing.T) {
	var ops []op.Op
	for i := range 20 {
		ops = append(ops, optest.With(optest.Get(float64(i), float64(i+1)), func(o *op.Op) { o.Err = fmt.Sprintf("503 SlowDown: busy %d", i) }))
	}
	g, s := only(t, Options{}, ops)
	if g.Requests != 20 || g.Errors != 20 || g.Bytes != 0 || g.Considered != 0 || g.Window.Duration() != 19*time.Second || g.MovesBytes() {
		t.Errorf("%+v", g)
	}
	if g.ErrorsByClass["503 SlowDown"] != 20 || len(g.FirstErrors) != 10 || g.FirstErrors[0].Err != "503 SlowDown: busy 0" {
		t.Errorf("%v %v", g.ErrorsByClass, g.FirstErrors)
	}
	for i, seg := range g.Segments {
		if seg.Errors != 1 || seg.Ended != 0 || seg.Started != 0 {
			t.Errorf("segment %d: %+v", i, seg)
		}
	}
	if s.Groups[0].Errors != 20 {
		t.Errorf("warnings %q", s.Warnings)
	}
}

// TestThreadStopsEarly: thread 1 does one operation only, so the strict rule leaves nothing.
func TestThreadStopsEarly(t *testing.T) {
	ops := []op.Op{optest.With(optest.Get(0, 0.5), func(o *op.Op) { o.Thread = 1 })}
	for i := range 10 {
		ops = append(ops, optest.Get(float64(i)+0.25, float64(i+1)+0.25))
	}
	g, s := only(t, Options{}, ops)
	if !g.Window.Loose || !g.Window.Start.Equal(optest.At(0.5)) || !g.Window.End.Equal(optest.At(9.25)) || g.Threads != 2 {
		t.Errorf("%+v", g)
	}
	if !warned(s, "at no time were all threads active") {
		t.Errorf("warnings %q", s.Warnings)
	}
}

// TestAllTime: while the number of threads changes, the window is all of the time.
func TestAllTime(t *testing.T) {
	var ops []op.Op
	for thread := range 4 {
		for i := thread * 5; i < 20; i++ {
			ops = append(ops, optest.With(optest.Get(float64(i), float64(i)+0.5), func(o *op.Op) { o.Thread = uint32(thread) }))
		}
	}
	if g, _ := only(t, Options{}, ops); !g.Window.Start.Equal(optest.At(15.5)) {
		t.Errorf("%+v", g.Window)
	}
	_, s := twoPasses(t, Options{AllTime: []string{""}}, ops)
	want := Window{Start: optest.At(0.5), End: optest.At(19.5), AllTime: true, Sent: Span{optest.At(0), optest.At(19)}}
	if g := s.Groups[0]; !g.Window.equal(want) || g.Ops < 40 || len(s.Warnings) > 0 {
		t.Errorf("got %+v with %v operations and warnings %q, want %+v", g.Window, g.Ops, s.Warnings, want)
	}
}

// TestSameThreadNumbers: two clients number their threads alike; they are two threads.
func TestSameThreadNumbers(t *testing.T) {
	var ops []op.Op
	for i := range 10 {
		ops = append(ops, optest.Get(float64(i), float64(i+1)), optest.With(optest.Get(float64(i)+0.5, float64(i)+1.5), func(o *op.Op) { o.Client = "d" }))
	}
	g, _ := only(t, Options{}, ops)
	if g.Threads != 2 || len(g.Clients) != 2 || !g.Window.Start.Equal(optest.At(1.5)) || !g.Window.End.Equal(optest.At(10)) {
		t.Errorf("%+v", g)
	}
	if a, b := g.ByClient["c"], g.ByClient["d"]; a.Total != 10 || b.Total != 10 || math.Abs(a.Bytes+b.Bytes-g.Bytes) > 1e-6 {
		t.Errorf("by client %+v %+v", a, b)
	}
}

// TestLongOperations: an operation over several segments is shared out; one that goes on after the window counts by its part in it
// and is considered, since it starts in it.
func TestLongOperations(t *testing.T) {
	ops := []op.Op{
		optest.Get(0, 1), optest.Get(1, 4), optest.Get(4, 9), optest.Get(9, 10),
		optest.With(optest.Get(0.5, 0.9), func(o *op.Op) { o.Thread = 1 }), optest.With(optest.Get(0.9, 20), func(o *op.Op) { o.Thread = 1 }),
		optest.With(optest.Get(20, 21), func(o *op.Op) { o.Thread = 1 }),
	}
	g, _ := only(t, Options{Segment: time.Second}, ops)
	if g.Considered != 3 || len(g.Segments) != 9 {
		t.Errorf("%+v", g)
	}
	testkit.Near(t, "ops", g.Ops, 3+9/19.1, 1e-12)
	testkit.Near(t, "segment", g.Segments[0].Bytes, 1000./3+1000/19.1, 1e-12)
}

func TestNoDuration(t *testing.T) {
	var ops []op.Op
	for i := range 20 {
		ops = append(ops, optest.With(optest.Get(float64(i), float64(i)), func(o *op.Op) { o.Bytes = int64(i%2 + 1) }))
	}
	g, s := only(t, Options{}, ops)
	if g.Considered != 20 || g.Latency.Clamped() != 0 || g.BySize[0].Throughput.Count() != 0 {
		t.Errorf("%+v", g)
	}
	if warned(s, "longer than an hour") {
		t.Errorf("warnings %q", s.Warnings)
	}
}

func TestOpenLoop(t *testing.T) {
	var ops []op.Op
	for i := range 20 {
		ops = append(ops, optest.With(optest.Get(float64(i), float64(i)+0.5), func(o *op.Op) {
			if i > 5 {
				o.Due = o.Start.Add(-time.Second)
			}
		}))
	}
	g, _ := only(t, Options{}, ops)
	if g.Service.Count() != g.Considered || g.Service.Max() != int64(500*time.Millisecond) || g.Latency.Max() != int64(1500*time.Millisecond) {
		t.Errorf("service %d of %d, max %d and %d", g.Service.Count(), g.Considered, g.Service.Max(), g.Latency.Max())
	}
	closed, _ := only(t, Options{}, ops[:5])
	if closed.Service != nil {
		t.Error("service times in a closed loop")
	}
}

// TestBrokenTimes: operations that end before they start, or have no times, are counted and warned of.
func TestBrokenTimes(t *testing.T) {
	good := []op.Op{optest.Get(0, 1), optest.Get(1, 2), optest.Get(2, 3), optest.Get(3, 4)}
	bad := []op.Op{
		optest.Get(3, 2), optest.With(optest.Get(1, 2), func(o *op.Op) { o.Start, o.End = time.Time{}, time.Time{} }),
		optest.With(optest.Get(1, 2), func(o *op.Op) { o.End = time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC) }),
	}
	s := analyze(t, Options{}, append(bad, good...))
	finite(t, s)
	g := s.Groups[0]
	if g.Requests != 7 || g.Broken != 3 || !warned(s, "3 operations have no times or end before they start") {
		t.Errorf("requests %d, broken %d, warnings %q", g.Requests, g.Broken, s.Warnings)
	}
	reference(good, s.Segment).compare(t, g, 0.001)
}

func TestClampedIsWarnedOf(t *testing.T) {
	ops := []op.Op{optest.Get(0, 1), optest.Get(1, 7300), optest.Get(7300, 7301)}
	s := analyze(t, Options{}, ops)
	if !warned(s, "2 times are negative or longer than an hour") { // latency and first byte
		t.Errorf("warnings %q", s.Warnings)
	}
}

func TestFilters(t *testing.T) {
	var ops []op.Op
	for i := range 30 {
		ops = append(ops, optest.With(optest.Get(float64(i), float64(i+1)), func(o *op.Op) {
			o.Thread = uint32(i % 3)
			o.Endpoint = []string{"http://a:9000", "https://b:9000", "http://a:9000/"}[i%3]
			o.Kind = []op.Kind{op.Get, op.Put}[i/15]
		}))
	}
	for _, c := range []struct {
		opts Options
		want int64
	}{
		{Options{}, 30},
		{Options{Op: "get"}, 15},
		{Options{Op: "GE"}, 0},
		{Options{Host: "a:9000"}, 20},
		{Options{Host: "http://A:9000"}, 20},
		{Options{Host: "https://a:9000"}, 0},
		{Options{Host: "b:9000", Op: op.Put}, 5},
		{Options{Host: "https://b:9000/"}, 10},
		{Options{Host: "a"}, 0},
	} {
		s := analyze(t, c.opts, ops)
		var n int64
		for _, g := range s.Groups {
			n += g.Requests
		}
		if n != c.want {
			t.Errorf("%+v keeps %d, want %d", c.opts, n, c.want)
		}
	}
}

func TestSkip(t *testing.T) {
	var ops []op.Op
	for i := range 30 {
		ops = append(ops, optest.Get(float64(i), float64(i+1)))
	}
	for skip, want := range map[time.Duration]time.Duration{0: 29 * time.Second, 10 * time.Second: 19 * time.Second, time.Hour: 0, -time.Hour: 29 * time.Second} {
		s := analyze(t, Options{Skip: skip}, ops)
		finite(t, s)
		if d := s.Groups[0].Window.Duration(); d != want {
			t.Errorf("skip %v leaves %v, want %v", skip, d, want)
		}
	}
}

func TestSegmentLength(t *testing.T) {
	for _, c := range []struct{ window, asked, want time.Duration }{
		{0, 0, time.Second},
		{400 * time.Second, 0, time.Second},
		{401 * time.Second, 0, 5 * time.Second},
		{2000 * time.Second, 0, 5 * time.Second},
		{2005 * time.Second, 0, 15 * time.Second},
		{400 * time.Hour, 0, time.Hour},
		{1200 * time.Hour, 0, 3 * time.Hour},
		{1203 * time.Hour, 0, 6 * time.Hour},
		{time.Minute, 3 * time.Second, 3 * time.Second},
		{24 * time.Hour, time.Nanosecond, 0},
	} {
		w := Windows{Groups: []GroupWindow{{Window: Window{Start: optest.Epoch, End: optest.Epoch.Add(c.window)}}, {}}}
		got := w.segmentLength(c.asked)
		if c.asked == time.Nanosecond {
			if c.window/got > maxSegments || c.window/got < maxSegments/2 {
				t.Errorf("%v in segments of %v", c.window, got)
			}
			continue
		}
		if got != c.want {
			t.Errorf("%v asked %v: %v, want %v", c.window, c.asked, got, c.want)
		}
	}
}

func TestAnalyzeErrors(t *testing.T) {
	boom := errors.New("boom")
	nothing := func() error { return nil }
	for name, open := range map[string]Opener{
		"open":  func() (op.Source, func() error, error) { return nil, nil, boom },
		"read":  func() (op.Source, func() error, error) { return &sliceSource{err: boom}, nothing, nil },
		"close": func() (op.Source, func() error, error) { return &sliceSource{}, func() error { return boom }, nil },
	} {
		if _, err := Analyze(Options{}, open); !errors.Is(err, boom) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

package aggregate

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/aggregate/internal/decode"
	"warp/pkg/aggregate/internal/optest"
	"warp/pkg/hist"
	"warp/pkg/op"
)

// mostInFlight returns the greatest number of operations in flight between two times, by trying each start.
func mostInFlight(ops []op.Op, from, to time.Time) (most int) {
	for _, at := range append([]op.Op{{Start: from}}, ops...) {
		if at.Start.Before(from) || !at.Start.Before(to) {
			continue
		}
		n := 0
		for _, o := range ops {
			end := o.End
			if !end.After(o.Start) {
				end = o.Start.Add(1)
			}
			if !o.Start.After(at.Start) && end.After(at.Start) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// checkInterval compares an interval with the operations that ended in it.
func checkInterval(t *testing.T, what string, got *Interval, ended []op.Op) {
	t.Helper()
	want := Interval{InFlight: got.InFlight}
	var service, ttfb []int64
	for _, o := range ended {
		if o.Failed() {
			want.Errors++
			continue
		}
		want.Ops, want.Bytes, want.Objects = want.Ops+1, want.Bytes+o.Bytes, want.Objects+int64(o.Objects)
		service = append(service, int64(o.Service()))
		if d, ok := o.TTFB(); ok {
			ttfb = append(ttfb, int64(d))
		}
	}
	if got.Ops != want.Ops || got.Bytes != want.Bytes || got.Objects != want.Objects || got.Errors != want.Errors {
		t.Errorf("%s: %d operations, %d bytes, %d objects, %d errors, want %d, %d, %d, %d",
			what, got.Ops, got.Bytes, got.Objects, got.Errors, want.Ops, want.Bytes, want.Objects, want.Errors)
	}
	for _, c := range []struct {
		h      *hist.Histogram
		values []int64
	}{{got.Service, service}, {got.TTFB, ttfb}} {
		slices.Sort(c.values)
		if c.h.Count() != int64(len(c.values)) {
			t.Errorf("%s: %d times, want %d", what, c.h.Count(), len(c.values))
			continue
		}
		if len(c.values) == 0 {
			continue
		}
		if c.h.Min() != c.values[0] || c.h.Max() != c.values[len(c.values)-1] {
			t.Errorf("%s: %d to %d ns, want %d to %d", what, c.h.Min(), c.h.Max(), c.values[0], c.values[len(c.values)-1])
		}
		for _, p := range []float64{50, 99, 99.9} {
			rank := int(max(1, min(float64(len(c.values)), p/100*float64(len(c.values))+0.999999)))
			v, _ := c.h.Percentile(p)
			testkit.Near(t, what, float64(v), float64(c.values[rank-1]), 0.01)
		}
	}
}

// Entire phases are all operations, and intervals those that ended in them, whatever the window of the phase; by the definition.
func TestEntire(t *testing.T) {
	for _, name := range sortedStreams() {
		ops := optest.Streams()[name].Make()
		list, length, err := AnalyzeEntire(Options{}, fileOf(t, name, recorded(t, ops, nil)))
		if err != nil {
			t.Fatal(err)
		}
		left := len(ops)
		for _, e := range list {
			var mine []op.Op
			for _, o := range ops {
				if o.Phase == e.Phase && o.Kind.Unlabelled() == e.Kind {
					mine = append(mine, o)
				}
			}
			left -= len(mine)
			first, last := mine[0].Start, mine[0].End
			for _, o := range mine {
				if o.Start.Before(first) {
					first = o.Start
				}
				if o.End.After(last) {
					last = o.End
				}
			}
			if !e.First.Equal(first) || !e.Last.Equal(last) || len(e.Intervals) != int(e.Duration()/length)+1 {
				t.Errorf("%s: from %v to %v in %d intervals, want %v to %v", name, e.First, e.Last, len(e.Intervals), first, last)
			}
			checkInterval(t, name, &e.Total, mine)
			for i := range e.Intervals {
				from := first.Add(time.Duration(i) * length)
				to := from.Add(length)
				if i == len(e.Intervals)-1 {
					to = last.Add(1)
				}
				var ended []op.Op
				for _, o := range mine {
					at := o.End
					if at.After(o.Start) {
						at = at.Add(-1)
					}
					if !at.Before(from) && at.Before(to) {
						ended = append(ended, o)
					}
				}
				checkInterval(t, name, &e.Intervals[i], ended)
				if want := mostInFlight(mine, from, to); e.Intervals[i].InFlight != want {
					t.Errorf("%s: interval %d: %d in flight, want %d", name, i, e.Intervals[i].InFlight, want)
				}
			}
		}
		for _, o := range ops {
			if o.Phase == op.PhaseWarmup {
				left--
			}
		}
		if left != 0 {
			t.Errorf("%s: %d operations belong to no entire phase", name, left)
		}
	}
}

// Labels do not divide a kind, and an operation that ends on a boundary belongs to the interval before.
func TestEntireLabels(t *testing.T) {
	ops := []op.Op{optest.Get(0, 1), optest.Get(0.5, 1.5), optest.With(optest.Get(1, 2), func(o *op.Op) { o.Kind = op.Get.Labelled("b") })}
	list, _, err := AnalyzeEntire(Options{}, fileOf(t, "a", recorded(t, ops, nil)))
	if err != nil || len(list) != 1 || list[0].Total.Ops != 3 || list[0].Kind != op.Get {
		t.Fatal(list, err)
	}
	for i, want := range []int64{1, 2, 0} {
		if got := list[0].Intervals[i].Ops; got != want {
			t.Errorf("interval %d: %d operations, want %d", i, got, want)
		}
	}
}

// Several recordings count together, and options select operations.
func TestEntireSelects(t *testing.T) {
	ops := optest.Streams()[sortedStreams()[0]].Make()
	inputs, all := byClient(t, ops)
	for _, opts := range []Options{{}, {Op: op.Get}, {Host: all[0].Endpoint}, {Segment: 100 * time.Millisecond}} {
		list, length, err := AnalyzeEntire(opts, inputs...)
		if err != nil {
			t.Fatal(err)
		}
		want, got := int64(0), int64(0)
		for _, o := range all {
			if (opts.Op == "" || o.Kind == opts.Op) && (opts.Host == "" || o.Endpoint == opts.Host) && o.Phase != op.PhaseWarmup {
				want++
			}
		}
		for _, e := range list {
			got += e.Total.Ops + e.Total.Errors
			if opts.Segment > 0 && length != opts.Segment {
				t.Errorf("intervals of %v, want %v", length, opts.Segment)
			}
		}
		if got != want {
			t.Errorf("%+v: %d operations, want %d", opts, got, want)
		}
	}
}

// The number in flight is exact while operations are in order but for what the buffer holds, and for one that comes long after its start
// at most 1 too high where it started and ended.
func TestFlight(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var ops []op.Op
		for range 60 {
			start := random.Float64() * 10
			ops = append(ops, optest.Get(start, start+random.ExpFloat64()*0.4))
		}
		slices.SortFunc(ops, optest.ByEnd)
		line := decode.Timeline{From: optest.Epoch.UnixNano(), Length: int64(time.Second), N: 11}
		for _, most := range []int{2, 8, 64, 1000} {
			f := flight{line: line, peaks: make([]int, line.N), most: most}
			for _, o := range ops {
				f.add(o.Start.UnixNano(), o.End.UnixNano())
			}
			for i, got := range f.finish() {
				to := optest.At(float64(i + 1))
				if i == line.N-1 {
					to = optest.At(100)
				}
				want := mostInFlight(ops, optest.At(float64(i)), to)
				if most == 1000 && got != want || most == 64 && got < want || got > want+len(ops)/2 {
					t.Fatalf("interval %d: %d in flight, want %d, with a buffer of %d", i, got, want, most)
				}
			}
		}
	}
}

// A request that hung comes after all others, and counts in each interval of its time.
func TestFlightOfHung(t *testing.T) {
	line := decode.Timeline{From: optest.Epoch.UnixNano(), Length: int64(time.Second), N: 10}
	f := flight{line: line, peaks: make([]int, line.N), most: 16}
	for i := range 500 {
		f.add(optest.At(float64(i)*0.02).UnixNano(), optest.At(float64(i)*0.02+0.02).UnixNano())
	}
	f.add(optest.At(0).UnixNano(), optest.At(7).UnixNano())
	for i, got := range f.finish() {
		if want := 1 + boolInt(i < 7); got != want {
			t.Errorf("interval %d: %d in flight, want %d", i, got, want)
		}
	}
}

func BenchmarkEntire(b *testing.B) {
	in := fileOf(b, "bench", recorded(b, optest.BenchOps(1, op.Get), nil))
	b.ResetTimer()
	for range b.N {
		if _, _, err := AnalyzeEntire(Options{}, in); err != nil {
			b.Fatal(err)
		}
	}
}

package aggregate

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/op"
)

// twoPasses is the figures by definition: the windows first.
func twoPasses(t testing.TB, opts Options, ops []op.Op) (*Windows, *Snapshot) {
	t.Helper()
	b := NewBounds(opts)
	_ = b.Write(ops)
	a := New(opts, b.Windows())
	_ = a.Write(ops)
	return b.Windows(), a.Snapshot()
}

// onePass is what a finder makes of ops that holds back so many.
func onePass(opts Options, held int, ops []op.Op) (*Windows, *Snapshot) {
	f := newFinder(opts)
	f.held = held
	for i := range ops {
		f.add(&ops[i])
	}
	return f.finish()
}

func byStart(a, b op.Op) int { return a.Start.Compare(b.Start) }
func byEnd(a, b op.Op) int   { return a.End.Compare(b.End) }

// ordered is ops in another order.
func ordered(ops []op.Op, order func(a, b op.Op) int) []op.Op {
	ops = slices.Clone(ops)
	slices.SortStableFunc(ops, order)
	return ops
}

// However operations are ordered, and however many are held back: a finder finds the windows, and either the figures of two
// passes or none.
func TestFinderIsTwoPasses(t *testing.T) {
	options := []Options{{HostSegments: true, SegmentTimes: true}, {HostSegments: true}, {}, {Op: "get"}, {Host: "host0:9000"}, {Skip: time.Second}, {Skip: time.Hour}, {Segment: 100 * time.Millisecond}, {AllTime: []string{""}}}
	if testing.Short() {
		options = options[:1]
	}
	for _, name := range sortedStreams() {
		threads := streams()[name].make()
		orders := map[string][]op.Op{"thread": threads, "start": ordered(threads, byStart), "end": ordered(threads, byEnd)}
		for order, ops := range orders {
			for _, opts := range options {
				windows, want := twoPasses(t, opts, ops)
				for _, held := range heldOperations() {
					w, got := onePass(opts, held, ops)
					if !w.equal(windows) {
						t.Errorf("%s by %s, %+v: windows %+v, want %+v", name, order, opts, w, windows)
					}
					if got == nil && held == leastHeld {
						t.Errorf("%s by %s, %+v: lost, though nothing needed to be released", name, order, opts)
					}
					if got != nil {
						same(t, got, want)
					}
				}
			}
		}
	}
}

// heldOperations are limits of how many operations wait.
func heldOperations() []int {
	if testkit.Soaking() {
		return []int{1, 20, 70, 300, leastHeld}
	}
	return []int{70, leastHeld}
}

// finderRuns are runs of 20 threads that take 10 s; found: one pass is enough, though few operations are held back.
func finderRuns() map[string]struct {
	ops   []op.Op
	found bool
} {
	main := steady(20, 5*time.Millisecond, 10*time.Second, nil)
	change := func(f func(i int, o *op.Op)) []op.Op {
		ops := slices.Clone(main)
		for i := range ops {
			f(i, &ops[i])
		}
		return slices.DeleteFunc(ordered(ops, byEnd), func(o op.Op) bool { return o.Kind == "" })
	}
	half := at(5)
	kinds := []op.Kind{op.Get, op.Put, op.Stat}
	return map[string]struct {
		ops   []op.Op
		found bool
	}{
		"steady":       {change(func(int, *op.Op) {}), true},
		"mixed":        {change(func(i int, o *op.Op) { o.Kind = kinds[i%7%3] }), true},
		"put, get":     {change(func(_ int, o *op.Op) { o.Kind = kinds[boolInt(o.Start.Before(half))] }), true},
		"phases":       {change(func(i int, o *op.Op) { o.Kind, o.Phase = kinds[i%2], fmt.Sprint(boolInt(o.Start.Before(half))) }), true},
		"broken":       {change(func(i int, o *op.Op) { o.End = o.End.Add(-time.Duration(boolInt(i%9 == 0)) * time.Second) }), true},
		"late kind":    {change(func(i int, o *op.Op) { o.Kind = kinds[boolInt(i%3 == 0 && half.Before(o.Start))] }), false},
		"late":         {change(func(_ int, o *op.Op) { dropIf(o, o.Thread == 3 && o.Start.Before(half)) }), false},
		"early":        {change(func(_ int, o *op.Op) { dropIf(o, o.Thread == 3 && half.Before(o.Start)) }), false},
		"out of order": {append(change(func(int, *op.Op) {}), with(get(0.001, 0.0015), func(o *op.Op) { o.Client, o.Thread = main[0].Client, 19 })), false},
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func dropIf(o *op.Op, drop bool) {
	if drop {
		o.Kind = ""
	}
}

func TestFinderFindsFiguresInUsualRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("analyzes many long runs")
	}
	for name, tt := range finderRuns() {
		for _, opts := range []Options{{}, {Skip: 3 * time.Second}, {Segment: 40 * time.Millisecond}} {
			windows, want := twoPasses(t, opts, tt.ops)
			w, got := onePass(opts, 1000, tt.ops)
			if !w.equal(windows) || (got != nil) != tt.found {
				t.Errorf("%s: windows %+v, want %+v; found %v, want %v", name, w, windows, got != nil, tt.found)
			}
			if got != nil {
				same(t, got, want)
			}
		}
	}
}

// Segments of each host at all lengths that they may have take memory for each host.
func TestFinderOfManyHosts(t *testing.T) {
	hosts := make([]string, ladderHosts+1)
	for i := range hosts {
		hosts[i] = fmt.Sprintf("http://10.0.0.%d:9000", i)
	}
	for _, n := range []int{ladderHosts, ladderHosts + 1} {
		ops := ordered(steady(20, 5*time.Millisecond, 10*time.Second, func(i int, o *op.Op) { o.Endpoint = hosts[i%n] }), byEnd)
		for _, opts := range []Options{{}, {HostSegments: true}} {
			_, want := twoPasses(t, opts, ops)
			_, got := onePass(opts, 1000, ops)
			if found := n <= ladderHosts || !opts.HostSegments; (got != nil) != found {
				t.Errorf("%d hosts, %+v: found %v, want %v", n, opts, got != nil, found)
			}
			if got != nil {
				same(t, got, want)
			}
		}
	}
}

// The length of segments follows from the length of the run, which a finder does not know.
func TestFinderOfLongRuns(t *testing.T) {
	for _, tt := range []struct {
		run   time.Duration
		opts  Options
		found bool
	}{
		{390 * time.Second, Options{}, true},
		{410 * time.Second, Options{}, true},
		{2010 * time.Second, Options{}, true},
		{2010 * time.Second, Options{HostSegments: true, SegmentTimes: true}, true},
		{410 * time.Second, Options{SegmentTimes: true}, true},
		{390 * time.Second, Options{SegmentTimes: true}, true},
		{6050 * time.Second, Options{}, false},
		{2010 * time.Second, Options{Segment: time.Minute}, true},
		{2010 * time.Second, Options{Segment: 10 * time.Millisecond}, false},
	} {
		ops := ordered(steady(3, 300*time.Millisecond, tt.run, nil), byEnd)
		windows, want := twoPasses(t, tt.opts, ops)
		w, got := onePass(tt.opts, 200, ops)
		if !w.equal(windows) || (got != nil) != tt.found {
			t.Errorf("%v, %+v: found %v, want %v", tt.run, tt.opts, got != nil, tt.found)
		}
		if got != nil {
			same(t, got, want)
		}
	}
}

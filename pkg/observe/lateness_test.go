package observe

import (
	"math"
	"reflect"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"testing"
	"time"
)

// histogram has buckets up to 0.1, 1, 2 and 10 ms, and beyond.
func histogram(counts ...uint64) *metrics.Float64Histogram {
	return &metrics.Float64Histogram{
		Buckets: []float64{math.Inf(-1), 0.0001, 0.001, 0.002, 0.01, math.Inf(1)},
		Counts:  counts,
	}
}

func TestLatenessSince(t *testing.T) {
	var l latencies
	if got := l.since(histogram(0, 0, 0, 0, 0)); got != nil {
		t.Errorf("of nothing: %+v", got)
	}
	for _, c := range []struct {
		name string
		h    *metrics.Float64Histogram
		want Lateness // without its buckets
	}{
		{"few", histogram(60, 30, 9, 0, 0), Lateness{Events: 99, LateEvents: 9, P50Millis: 0.1, MaxMillis: 2}},
		{"only what is new", histogram(1050, 30, 9, 10, 0), Lateness{Events: 1000, LateEvents: 10, P50Millis: 0.1, P99Millis: 0.1, MaxMillis: 10}},
		{"late", histogram(1050, 530, 9, 510, 0), Lateness{Events: 1000, LateEvents: 500, P50Millis: 1, P99Millis: 10, MaxMillis: 10}},
		{"without bound", histogram(1050, 530, 9, 510, 1), Lateness{Events: 1, LateEvents: 1, P50Millis: 10, MaxMillis: 10}},
	} {
		got := l.since(c.h)
		if got == nil {
			t.Fatalf("%s: nothing", c.name)
		}
		got.bounds, got.buckets = nil, nil
		if !reflect.DeepEqual(*got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, *got, c.want)
		}
	}
	if got := l.since(histogram(1050, 530, 9, 510, 1)); got != nil {
		t.Errorf("nothing new: %+v", got)
	}
}

// Histograms are added: percentiles of parts say nothing about the whole.
func TestLatenessAdd(t *testing.T) {
	of := func(counts ...uint64) *Lateness { return new(latencies).since(histogram(counts...)) }
	for _, c := range []struct{ a, b, sum *Lateness }{
		{of(990, 0, 0, 10, 0), of(9000, 0, 0, 0, 0), of(9990, 0, 0, 10, 0)},
		{of(0, 1, 0, 1, 0), of(1, 0, 1, 1, 0), of(1, 1, 1, 2, 0)},
		{of(1, 0, 0, 0, 0), of(0, 0, 0, 0, 7), of(1, 0, 0, 0, 7)},
	} {
		before := *c.a
		sum := merged(c.a, c.b, (*Lateness).add)
		if !reflect.DeepEqual(sum, c.sum) {
			t.Errorf("got %+v, want %+v", sum, c.sum)
		}
		if reversed := merged(c.b, c.a, (*Lateness).add); !reflect.DeepEqual(reversed, c.sum) {
			t.Errorf("reversed %+v, want %+v", reversed, c.sum)
		}
		if !reflect.DeepEqual(*c.a, before) {
			t.Errorf("changed what was added: %+v", c.a)
		}
	}
}

func TestLatenessAddWithoutHistogram(t *testing.T) {
	a := &Lateness{Events: 5, LateEvents: 1, P50Millis: 1, P99Millis: 4, MaxMillis: 6}
	b := &Lateness{Events: 7, P50Millis: 2, P99Millis: 3, MaxMillis: 5}
	want := Lateness{Events: 12, LateEvents: 1, P50Millis: 2, P99Millis: 4, MaxMillis: 6}
	if sum := merged(a, b, (*Lateness).add); !reflect.DeepEqual(*sum, want) {
		t.Errorf("got %+v", sum)
	}
	// One bad second, but not one of a hundred was late in all: the line must not say more than the verdict.
	bad := &Lateness{Events: 1000, LateEvents: 12, P50Millis: 1, P99Millis: 1.6, MaxMillis: 6}
	good := &Lateness{Events: 1000, LateEvents: 7, P50Millis: 1, P99Millis: 0.9, MaxMillis: 5}
	want = Lateness{Events: 2000, LateEvents: 19, P50Millis: 1, P99Millis: notLate, MaxMillis: 6}
	if sum := merged(bad, good, (*Lateness).add); !reflect.DeepEqual(*sum, want) {
		t.Errorf("got %+v, want %+v", *sum, want)
	}

	// More than one in a hundred was late, in seconds with too few events for a percentile: the 99th is over 1 ms, but not known.
	few, many := &Lateness{Events: 500, LateEvents: 40, P50Millis: 1, MaxMillis: 30}, &Lateness{Events: 2000, P50Millis: 0.1, P99Millis: 0.6, MaxMillis: 0.9}
	want = Lateness{Events: 2500, LateEvents: 40, P50Millis: 1, MaxMillis: 30}
	if few.add(many); !reflect.DeepEqual(*few, want) {
		t.Errorf("sum %+v, want %+v", *few, want)
	}
}

// More goroutines that compute than processors are late; a process that waits is not.
func TestLatenessOfThisProcess(t *testing.T) {
	t.Run("idle", func(t *testing.T) {
		b := Start(Options{Interval: 20 * time.Millisecond})
		time.Sleep(300 * time.Millisecond)
		b.Stop()
		if l := b.Summary(time.Time{}, time.Time{}).Lateness; l != nil && l.LateEvents >= fewBeyond {
			t.Errorf("an idle process is late: %+v", l)
		}
	})
	t.Run("overloaded", func(t *testing.T) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		b := Start(Options{Interval: 20 * time.Millisecond})
		quit := make(chan struct{})
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() { takeTurns(quit) })
		}
		late := func() bool {
			l := b.Summary(time.Time{}, time.Time{}).Lateness
			return l != nil && l.LateEvents >= 3*fewBeyond
		}
		for end := time.Now().Add(time.Minute); !late() && time.Now().Before(end); {
			time.Sleep(20 * time.Millisecond)
		}
		close(quit)
		all.Wait()
		b.Stop()
		s := b.Summary(time.Time{}, time.Time{})
		limits := s.Limits(Share{Of: "GET", Percentile: 99, Latency: 5 * time.Millisecond})
		if s.Lateness == nil || s.Lateness.MaxMillis <= 1 || !slices.ContainsFunc(limits, func(l Limit) bool { return l.Kind == OwnPart && l.Estimated }) {
			t.Errorf("an overloaded process is not late: %+v, %q", s.Lateness, limits)
		}
	})
}

// takeTurns computes for 2 ms at a time, until quit is closed.
func takeTurns(quit <-chan struct{}) {
	for {
		select {
		case <-quit:
			return
		default:
		}
		for end := time.Now().Add(2 * time.Millisecond); time.Now().Before(end); {
		}
		runtime.Gosched()
	}
}

package load

import (
	"context"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"warp/internal/clock"
)

// The turns of a warm-up are marked, and no limit counts them.
func TestWarmup(t *testing.T) {
	poisson := shapeFrom(t, "100")
	for name, c := range map[string]struct {
		o            Options
		shape        Shape
		arrivals     Arrivals
		warmup, done uint64
	}{
		"closed, duration":      {Options{Concurrency: 2, Duration: 950 * time.Millisecond}, Shape{}, Even, 40, 20},
		"closed, turns":         {Options{Concurrency: 2, Turns: 33}, Shape{}, Even, 40, 33},
		"open, duration":        {Options{Concurrency: 5, Duration: 3 * time.Second}, shapeFrom(t, "10,20@1s"), Even, 20, 50},
		"open, turns":           {Options{Concurrency: 5, Turns: 7}, shapeFrom(t, "10"), Even, 20, 7},
		"open, from 0":          {Options{Concurrency: 9, Duration: 10 * time.Second}, shapeFrom(t, "0..20/10s"), Even, 0, 100},
		"open, second of three": {Options{Concurrency: 5, Duration: 3 * time.Second, Share: Share{Index: 1, Total: 3}}, shapeFrom(t, "10"), Even, 7, 10},
		"bursts":                {Options{Concurrency: 9, Duration: 3 * time.Second}, shapeFrom(t, "burst(5,700ms)"), Even, 15, 25},
		"random":                {Options{Concurrency: 99, Turns: 100}, poisson, Poisson, 200, 100},
	} {
		synctest.Test(t, func(t *testing.T) {
			o := c.o
			o.Warmup = 2 * time.Second
			if !c.shape.IsZero() {
				s, err := c.shape.Delayed(o.Warmup, c.arrivals, 1)
				if err != nil {
					t.Fatal(err)
				}
				o.Schedule = s
			}
			begun := time.Now()
			var warm, done uint64
			numbers := map[uint64]bool{}
			var mu sync.Mutex
			stats := mustRun(t, t.Context(), o, func(_ context.Context, turn Turn) error {
				mu.Lock()
				if since := time.Since(begun); turn.Warmup != (since < o.Warmup) && turn.Due.IsZero() {
					t.Errorf("%s: a turn that began after %v: warm-up %v", name, since, turn.Warmup)
				}
				if turn.Warmup {
					warm++
				} else {
					done++
				}
				if numbers[turn.N] {
					t.Errorf("%s: turn %d came twice", name, turn.N)
				}
				numbers[turn.N] = true
				mu.Unlock()
				time.Sleep(100 * time.Millisecond)
				return nil
			})
			if stats.Done != done || stats.Warmup != warm || stats.Unsent != 0 {
				t.Errorf("%s: %d turns and %d of the warm-up; %+v", name, done, warm, stats)
			}
			if c.arrivals == Poisson {
				if warm < c.warmup*7/10 || warm > c.warmup*13/10 {
					t.Errorf("%s: %d turns in the warm-up, want about %d", name, warm, c.warmup)
				}
				warm = c.warmup
			}
			if done != c.done || warm != c.warmup {
				t.Errorf("%s: %d turns and %d of the warm-up, want %d and %d", name, done, warm, c.done, c.warmup)
			}
		})
	}
}

// What follows a warm-up is due as without one.
func TestDelayed(t *testing.T) {
	for _, text := range []string{"100..1000/5m", "33.3/1s,7", "repeat(3/1s,0/1s)", "burst(5,700ms)"} {
		s := shapeFrom(t, text)
		whole, err := s.Delayed(10*time.Second, Even, 0)
		if err != nil {
			t.Fatal(err)
		}
		main := scheduleOf(t, text, Even)
		first := uint64(0)
		for whole.Due(first) < 10*time.Second {
			first++
		}
		for n := range uint64(2000) {
			if got, want := whole.Due(first+n), 10*time.Second+main.Due(n); got != want {
				t.Fatalf("%s: turn %d after the warm-up is due at %v, want %v", text, n, got, want)
			}
		}
	}
	if s, err := Constant(1).Delayed(time.Second, Even, 0); err != nil || s.Due(math.MaxUint64) != Never {
		t.Error("a turn beyond all time is due")
	}
}

func TestThink(t *testing.T) {
	for text, want := range map[string]uint64{
		"20ms":            3 * 33, // each turn and its pause take 30 ms
		"20ms@start":      3 * 50,
		"5ms@start":       3 * 99,
		"20ms@start+1s":   3 * 50, // none is late
		"exp(20ms)":       0,
		"exp(20ms)@start": 0,
	} {
		think, err := ParseThink(text)
		if err != nil || think.String() != text {
			t.Fatalf("%q is %q, %v", text, think, err)
		}
		synctest.Test(t, func(t *testing.T) {
			stats := mustRun(t, t.Context(), Options{Concurrency: 3, Duration: 985 * time.Millisecond, Think: think, Seed: 1}, taking(10*time.Millisecond))
			if want > 0 && stats.Done != want || want == 0 && (stats.Done < 70 || stats.Done > 190) {
				t.Errorf("%s: %d turns, want %d", text, stats.Done, want)
			}
		})
	}
	sum := time.Duration(0)
	const n = 100_000
	for i := range uint64(n) {
		sum += Think{Mean: time.Second, Random: true}.after(7, i)
	}
	if average := sum.Seconds() / n; math.Abs(average-1) > 0.02 {
		t.Errorf("random pauses of 1 s take %.3f s on average", average)
	}
	for text, want := range map[string]string{"": "invalid value", "20": "invalid value", "-1s": "invalid value", "norm(5ms)": "unknown distribution", "exp(x)": "invalid value", "20ms@start+": "to catch up", "20ms@start+0s": "to catch up", "20ms@starts": "invalid value", "20ms@end": "invalid value", "@start+1s": "invalid value"} {
		if _, err := ParseThink(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

// TestCatchUp: turns that began late because one took long are caught up with, as far as that goes.
func TestCatchUp(t *testing.T) {
	const slow = 3                                      // the turn that takes 110 ms, the time of five others
	for text, late := range map[string][]time.Duration{ // of the turns after it
		"20ms@start":        {90, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90},
		"20ms@start+1s":     {90, 80, 70, 60, 50, 40, 30, 20, 10, 0, 0, 0},
		"20ms@start+50ms":   {90, 80, 70, 60, 50, 40, 40, 40, 40, 40, 40, 40},
		"20ms@start+90ms":   {90, 80, 70, 60, 50, 40, 30, 20, 10, 0, 0, 0},
		"exp(20ms)@start":   nil,
		"10ms@start+1000ms": {100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100}, // none is faster than its pause
	} {
		think, err := ParseThink(text)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			start := clock.Now()
			var begun []time.Duration
			mustRun(t, t.Context(), Options{Start: start, Concurrency: 1, Turns: slow + 13, Think: think, Seed: 1}, func(ctx context.Context, turn Turn) error {
				begun = append(begun, clock.Now().Sub(start))
				time.Sleep(10 * time.Millisecond)
				if turn.N == slow {
					time.Sleep(100 * time.Millisecond)
				}
				return nil
			})
			for i, by := range late {
				if want := think.Mean*time.Duration(slow+1+i) + by*time.Millisecond; begun[slow+1+i] != want {
					t.Errorf("%s: turn %d began at %v, want %v", text, slow+1+i, begun[slow+1+i], want)
				}
			}
		})
	}
}

func FuzzThink(f *testing.F) {
	f.Add("20ms@start+1s")
	f.Add("20ms")
	f.Add("exp(1m30s)@start")
	f.Fuzz(func(t *testing.T, text string) {
		think, err := ParseThink(text)
		if err != nil {
			return
		}
		if again, err := ParseThink(think.String()); err != nil || again != think {
			t.Errorf("%q is %q, which is %q, %v", text, think, again, err)
		}
	})
}

// As many threads are at work as the shape says.
func TestThreads(t *testing.T) {
	for text, want := range map[string]func(second float64) float64{
		"3":                       func(float64) float64 { return 3 },
		"1..10/9s":                func(s float64) float64 { return math.Min(10, math.Round(1+s)) },
		"10..0/10s,4@15s":         func(s float64) float64 { return math.Max(math.Round(10-s), 4*b2f(s >= 15)) },
		"2,8@5s,5@10s":            func(s float64) float64 { return 2 + 6*b2f(s >= 5) - 3*b2f(s >= 10) },
		"repeat(6/2s,0/3s)":       func(s float64) float64 { return 6 * b2f(math.Mod(s, 5) < 2) },
		"repeat(0..4/4s,4..0/4s)": func(s float64) float64 { return math.Round(4 - math.Abs(math.Mod(s, 8)-4)) },
	} {
		synctest.Test(t, func(t *testing.T) {
			threads := shapeFrom(t, text)
			begun := time.Now()
			var counts [200]atomic.Int64 // turns that begin in each tenth of a second
			o := Options{Concurrency: threads.Threads(), Threads: threads, Duration: 19995 * time.Millisecond}
			mustRun(t, t.Context(), o, func(context.Context, Turn) error {
				counts[time.Since(begun)/(100*time.Millisecond)].Add(1)
				time.Sleep(10 * time.Millisecond)
				return nil
			})
			if took := time.Since(begun).Round(20 * time.Millisecond); took != 20*time.Second {
				t.Errorf("%s: the load took %v", text, took)
			}
			for i := 5; i < len(counts); i += 10 {
				before, after := want(float64(i-1)/10), want(float64(i+2)/10)
				if before != after {
					continue // a thread begins or ends just then
				}
				if got := float64(counts[i].Load()) / 10; math.Abs(got-before) > 0.3 {
					t.Errorf("%s: %.1f threads at %.1f s, want %.0f", text, got, float64(i)/10, before)
				}
			}
		})
	}
}

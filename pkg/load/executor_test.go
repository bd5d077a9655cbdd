package load

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/pkg/load/loop"
)

// onLoops is the variable with which runs of this package's tests are on loops.
const onLoops = "WARP_TEST_ON_LOOPS"

// realTests are the tests of runs that need no virtual clock.
var realTests = []string{
	"TestAPanicIsNotSwallowed", "TestAWorkerPerformsOneTurnAtATime", "TestNothingIsSentAfterTheEnd", "TestOpenLoopWithManyWorkers",
	"TestOperationsKeepTheValuesOfTheContext", "TestTurnsAreCountedWithoutGaps", "TestTurnsOfAnOpenLoop",
}

// testExecutor is what performs the runs of tests without a virtual clock.
func testExecutor() Executor {
	if os.Getenv(onLoops) != "" {
		return Loops
	}
	return Goroutines
}

// needLoops skips a test where the system has no loops.
func needLoops(t *testing.T) {
	l, err := loop.New(false)
	if err != nil {
		t.Skip("this system has no loops: ", err)
	}
	l.Close()
}

// TestOnLoops runs tests again, with loops.
func TestOnLoops(t *testing.T) {
	needLoops(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run=^("+strings.Join(realTests, "|")+")$")
	cmd.Env = append(os.Environ(), onLoops+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, name := range realTests {
		if !strings.Contains(string(out), "--- PASS: "+name+" ") {
			t.Errorf("%s did not pass", name)
		}
	}
}

// onBoth runs a test with each executor.
func onBoth(t *testing.T, test func(t *testing.T, e Executor)) {
	t.Run("goroutines", func(t *testing.T) { test(t, Goroutines) })
	t.Run("loops", func(t *testing.T) {
		needLoops(t)
		test(t, Loops)
	})
}

// long is longer than any test takes.
const long = time.Hour

// What ends a run ends it in the same way on both executors, whatever its workers wait for.
func TestEndsOnBothExecutors(t *testing.T) {
	slow, err := Rate(1.0 / 3600)
	if err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	for name, c := range map[string]struct {
		o    Options
		do   func(ctx context.Context, end context.CancelFunc) error
		want Stats
		err  error
	}{
		"while the next turn is hours away": {
			Options{Concurrency: 3, Schedule: slow},
			func(_ context.Context, end context.CancelFunc) error { end(); return nil },
			Stats{Done: 1},
			nil,
		},
		"while a thread thinks": {
			Options{Concurrency: 2, Think: Think{Mean: long}},
			func(_ context.Context, end context.CancelFunc) error { end(); return nil },
			Stats{},
			nil,
		},
		"while threads are not at work yet": {
			Options{
				Concurrency: 2, Think: Think{Mean: long},
				Threads: Shape{stages: []stage{{from: 1, to: 1, length: long}, {from: 2, to: 2}}},
			},
			func(_ context.Context, end context.CancelFunc) error { end(); return nil },
			Stats{Done: 1},
			nil,
		},
		"while turns are in flight for longer than allowed": {
			Options{Concurrency: 2, Grace: time.Millisecond},
			func(ctx context.Context, end context.CancelFunc) error { end(); loop.Pause(ctx, long); return nil },
			Stats{Done: 2, Cut: 2},
			nil,
		},
		"by a fault": {
			Options{Concurrency: 1},
			func(context.Context, context.CancelFunc) error { return boom },
			Stats{},
			boom,
		},
		"by a turn that is the last one": {
			Options{Concurrency: 1},
			func(context.Context, context.CancelFunc) error { return ErrLast },
			Stats{Done: 1},
			nil,
		},
		"by one that finds nothing": {
			Options{Concurrency: 1},
			func(context.Context, context.CancelFunc) error { return ErrDone },
			Stats{},
			nil,
		},
		"by its number of turns": {
			Options{Concurrency: 2, Turns: 7},
			func(context.Context, context.CancelFunc) error { return nil },
			Stats{Done: 7},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, e Executor) {
				c.o.Executor = e
				ctx, end := context.WithCancel(t.Context())
				defer end()
				var together sync.WaitGroup
				if c.want.Cut > 0 {
					together.Add(c.o.Concurrency)
				}
				stats, err := Run(ctx, c.o, func(ctx context.Context, _ Turn) error {
					if c.want.Cut > 0 {
						together.Done()
						loop.Block(ctx, func(context.Context) { together.Wait() })
					}
					return c.do(ctx, end)
				})
				if !errors.Is(err, c.err) || c.want.Done > 0 && stats.Done != c.want.Done || stats.Cut != c.want.Cut {
					t.Errorf("%+v, %v; want %+v, %v", stats, err, c.want, c.err)
				}
			})
		})
	}
}

// A changed rate reaches the worker that waits for a turn.
func TestPaceOnBothExecutors(t *testing.T) {
	slow, err := Rate(1.0 / 3600)
	if err != nil {
		t.Fatal(err)
	}
	onBoth(t, func(t *testing.T, e Executor) {
		pace := &Pace{}
		start := clock.Now()
		var turns atomic.Int64
		o := Options{Concurrency: 2, Schedule: slow, Pace: pace, Turns: 5, Start: start, Executor: e}
		_, err := Run(t.Context(), o, func(context.Context, Turn) error {
			if turns.Add(1) == 1 {
				time.AfterFunc(10*time.Millisecond, func() { pace.Change(clock.Now().Sub(start), 3600*1000) })
			}
			return nil
		})
		if err != nil || turns.Load() != 5 {
			t.Errorf("%d turns, %v", turns.Load(), err)
		}
	})
}

// No more workers are at work than turns are in flight, and the one that waits for the next.
func TestFewWorkersOnLoops(t *testing.T) {
	needLoops(t)
	rate, err := Rate(20_000)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	seen := map[int]bool{}
	o := Options{Concurrency: 50, Schedule: rate, Turns: 2000, Executor: Loops}
	stats, err := Run(t.Context(), o, func(_ context.Context, turn Turn) error {
		mu.Lock()
		defer mu.Unlock()
		seen[turn.Worker] = true
		return nil
	})
	if err != nil || stats.Done != 2000 || len(seen) > 2 {
		t.Errorf("%d turns by %d workers, %v; want 2", stats.Done, len(seen), err)
	}
}

// Where a turn waits by means of its context, others go on, though one thread performs all.
func TestWaitsOnBothExecutors(t *testing.T) {
	onBoth(t, func(t *testing.T, e Executor) {
		const workers = 30
		var mu sync.Mutex
		inside, highest := 0, 0
		all := make(chan struct{})
		stats := mustRunOn(t, e, Options{Concurrency: workers, Turns: workers}, func(ctx context.Context, _ Turn) error {
			mu.Lock()
			inside++
			if highest = max(highest, inside); inside == workers {
				close(all)
			}
			mu.Unlock()
			loop.Block(ctx, func(context.Context) { <-all })
			return nil
		})
		if stats.Done != workers || highest != workers {
			t.Errorf("%d turns, %d at once", stats.Done, highest)
		}
	})
}

// mustRunOn runs a load that ends without a fault.
func mustRunOn(t *testing.T, e Executor, o Options, do Do) Stats {
	t.Helper()
	o.Executor = e
	stats, err := Run(t.Context(), o, do)
	if err != nil {
		t.Error(err)
	}
	return stats
}

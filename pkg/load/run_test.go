package load

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"warp/internal/clock"
)

// taking is an operation that takes so long, in the bubble's time, unless its context is cancelled.
func taking(d time.Duration) Do {
	return func(ctx context.Context, _ Turn) error {
		select {
		case <-ctx.Done():
		case <-time.After(d):
		}
		return nil
	}
}

// mustRun runs a load that ends without a fault.
func mustRun(t *testing.T, ctx context.Context, o Options, do Do) Stats {
	t.Helper()
	o.Executor = testExecutor()
	stats, err := Run(ctx, o, do)
	if err != nil {
		t.Error(err)
	}
	stats.Sending, stats.Planned = 0, 0                                               // TestSending is about them
	stats.Busy, stats.Own, stats.UnsentOwn, stats.Most = Lateness{}, Lateness{}, 0, 0 // TestLateness is about them
	return stats
}

func TestClosedLoop(t *testing.T) {
	for name, c := range map[string]struct {
		options Options
		take    time.Duration
		want    Stats
	}{
		"turns":            {Options{Concurrency: 1, Turns: 10}, time.Second, Stats{Done: 10, Spent: 10 * time.Second}},
		"turns by two":     {Options{Concurrency: 2, Turns: 11}, time.Second, Stats{Done: 11, Spent: 6 * time.Second}},
		"more workers":     {Options{Concurrency: 20, Turns: 3}, time.Second, Stats{Done: 3, Spent: time.Second}},
		"duration":         {Options{Concurrency: 3, Duration: 9500 * time.Millisecond}, time.Second, Stats{Done: 30, Spent: 10 * time.Second}},
		"turns first":      {Options{Concurrency: 1, Turns: 2, Duration: time.Minute}, time.Second, Stats{Done: 2, Spent: 2 * time.Second}},
		"duration first":   {Options{Concurrency: 1, Turns: 20, Duration: 1500 * time.Millisecond}, time.Second, Stats{Done: 2, Spent: 2 * time.Second}},
		"grace is enough":  {Options{Concurrency: 2, Duration: 15 * time.Second, Grace: 6 * time.Second}, 10 * time.Second, Stats{Done: 4, Spent: 20 * time.Second}},
		"grace is short":   {Options{Concurrency: 2, Duration: 15 * time.Second, Grace: 2 * time.Second}, 10 * time.Second, Stats{Done: 4, Cut: 2, Spent: 17 * time.Second}},
		"no grace at end":  {Options{Concurrency: 2, Turns: 2, Grace: time.Second}, 10 * time.Second, Stats{Done: 2, Spent: 10 * time.Second}},
		"grace for turns":  {Options{Concurrency: 1, Turns: 1, Duration: 3 * time.Second, Grace: time.Second}, 10 * time.Second, Stats{Done: 1, Cut: 1, Spent: 4 * time.Second}},
		"share is ignored": {Options{Concurrency: 1, Turns: 4, Share: Share{1, 3}}, time.Second, Stats{Done: 4, Spent: 4 * time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if got := mustRun(t, t.Context(), c.options, taking(c.take)); got != c.want {
					t.Errorf("got %+v, want %+v", got, c.want)
				}
			})
		})
	}
}

func TestTurnsAreCountedWithoutGaps(t *testing.T) {
	const workers, turns = 256, 20_000
	var seen [turns]atomic.Int32
	stats := mustRun(t, t.Context(), Options{Concurrency: workers, Turns: turns}, func(_ context.Context, turn Turn) error {
		if turn.Worker < 0 || turn.Worker >= workers || !turn.Due.IsZero() {
			t.Errorf("turn is %+v", turn)
		}
		seen[turn.N].Add(1)
		return nil
	})
	for n := range seen {
		if times := seen[n].Load(); times != 1 {
			t.Fatalf("turn %d was performed %d times", n, times)
		}
	}
	if stats.Done != turns {
		t.Errorf("%d turns done", stats.Done)
	}
}

func TestAWorkerPerformsOneTurnAtATime(t *testing.T) {
	const workers = 8
	var busy [workers]atomic.Bool
	mustRun(t, t.Context(), Options{Concurrency: workers, Turns: 5000}, func(_ context.Context, turn Turn) error {
		if busy[turn.Worker].Swap(true) {
			t.Errorf("worker %d has two turns at once", turn.Worker)
		}
		busy[turn.Worker].Store(false)
		return nil
	})
}

func TestStartInTheFuture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := clock.Now().Add(time.Hour)
		var first time.Time
		var once sync.Once
		stats := mustRun(t, t.Context(), Options{Concurrency: 2, Start: start, Duration: 5500 * time.Millisecond}, func(ctx context.Context, turn Turn) error {
			once.Do(func() { first = clock.Now() })
			return taking(time.Second)(ctx, turn)
		})
		if !first.Equal(start) {
			t.Errorf("the first turn began %v after the start", first.Sub(start))
		}
		if want := (Stats{Done: 12, Spent: 6 * time.Second}); stats != want {
			t.Errorf("got %+v, want %+v", stats, want)
		}
	})
}

func TestDurationCountsFromAStartInThePast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stats := mustRun(t, t.Context(), Options{Concurrency: 1, Start: clock.Now().Add(-3 * time.Second), Duration: 5500 * time.Millisecond}, taking(time.Second))
		if want := (Stats{Done: 3, Spent: 6 * time.Second}); stats != want {
			t.Errorf("got %+v, want %+v", stats, want)
		}
	})
}

func TestTheWaitForTheStartCanBeGivenUp(t *testing.T) {
	for _, how := range []string{"cancelled", "cancelled before", "aborted"} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				abort := make(chan struct{})
				begun := clock.Now()
				wait := time.Minute
				switch how {
				case "cancelled":
					time.AfterFunc(wait, cancel)
				case "aborted":
					time.AfterFunc(wait, func() { close(abort) })
				default:
					wait = 0
					cancel()
				}
				stats := mustRun(t, ctx, Options{Concurrency: 1, Start: begun.Add(time.Hour), Abort: abort}, func(context.Context, Turn) error {
					t.Error("a turn was performed")
					return nil
				})
				if stats != (Stats{}) || clock.Now().Sub(begun) != wait {
					t.Errorf("got %+v after %v", stats, clock.Now().Sub(begun))
				}
			})
		})
	}
}

func TestNothingIsSentAfterTheEnd(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	closed := make(chan struct{})
	close(closed)
	for _, c := range []struct {
		ctx   context.Context
		abort chan struct{}
	}{{cancelled, nil}, {t.Context(), closed}} {
		stats := mustRun(t, c.ctx, Options{Concurrency: 4, Abort: c.abort}, func(context.Context, Turn) error {
			t.Error("a turn was performed")
			return nil
		})
		if stats != (Stats{}) {
			t.Errorf("got %+v", stats)
		}
	}
}

// TestStops looks at each way to stop a run of two workers, whose operations take 10 s, in the 13th second.
func TestStops(t *testing.T) {
	fault := errors.New("disk full")
	for name, c := range map[string]struct {
		grace time.Duration
		by    string
		want  Stats
		err   error
	}{
		"cancel, no limit":   {0, "cancel", Stats{Done: 4, Spent: 20 * time.Second}, nil},
		"cancel, long grace": {8 * time.Second, "cancel", Stats{Done: 4, Spent: 20 * time.Second}, nil},
		"cancel, short":      {2 * time.Second, "cancel", Stats{Done: 4, Cut: 2, Spent: 15 * time.Second}, nil},
		"abort":              {8 * time.Second, "abort", Stats{Done: 4, Cut: 2, Spent: 13 * time.Second}, nil},
		"cancel, then abort": {0, "cancel abort", Stats{Done: 4, Cut: 2, Spent: 14 * time.Second}, nil},
		"done":               {2 * time.Second, "done", Stats{Done: 3, Spent: 20 * time.Second}, nil},
		"done, then cancel":  {2 * time.Second, "done cancel", Stats{Done: 3, Cut: 1, Spent: 16 * time.Second}, nil},
		"fault, no limit":    {0, "fault", Stats{Done: 3, Spent: 20 * time.Second}, fault},
		"fault, short grace": {2 * time.Second, "fault", Stats{Done: 3, Cut: 1, Spent: 15 * time.Second}, fault},
		"done, then fault":   {2 * time.Second, "done fault", Stats{Done: 2, Spent: 14 * time.Second}, fault},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				abort := make(chan struct{})
				errs := make(chan error, 2)
				for i, event := range strings.Fields(c.by) {
					time.AfterFunc(time.Duration(13+i)*time.Second, map[string]func(){
						"cancel": cancel,
						"abort":  func() { close(abort) },
						"done":   func() { errs <- ErrDone },
						"fault":  func() { errs <- fault },
					}[event])
				}
				stats, err := Run(ctx, Options{Concurrency: 2, Grace: c.grace, Abort: abort}, func(ctx context.Context, _ Turn) error {
					select {
					case <-ctx.Done():
						if !errors.Is(context.Cause(ctx), errCut) {
							t.Errorf("the cause of the end is %v", context.Cause(ctx))
						}
						return ctx.Err()
					case err := <-errs:
						return err
					case <-time.After(10 * time.Second):
						return nil
					}
				})
				if stats.Sending, stats.Planned = 0, 0; stats != c.want || !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
					t.Errorf("got %+v, %v; want %+v, %v", stats, err, c.want, c.err)
				}
			})
		})
	}
}

func TestTheFirstFaultIsReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		faults := []error{errors.New("first"), errors.New("second"), errors.New("third")}
		stats, err := Run(t.Context(), Options{Concurrency: 3}, func(_ context.Context, turn Turn) error {
			time.Sleep(time.Duration(turn.N+1) * time.Second)
			return faults[turn.N]
		})
		if err != faults[0] || stats.Done != 0 {
			t.Errorf("got %+v, %v", stats, err)
		}
	})
}

func TestAFaultAfterTheCutIsReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fault := errors.New("disk full")
		_, err := Run(t.Context(), Options{Concurrency: 1, Duration: time.Second, Grace: time.Second}, func(ctx context.Context, _ Turn) error {
			<-ctx.Done()
			return fault
		})
		if err != fault {
			t.Errorf("error is %v", err)
		}
	})
}

func TestOperationsKeepTheValuesOfTheContext(t *testing.T) {
	type key struct{}
	mustRun(t, context.WithValue(t.Context(), key{}, 5), Options{Concurrency: 1, Turns: 1}, func(ctx context.Context, _ Turn) error {
		if ctx.Value(key{}) != 5 {
			t.Error("a value of the context is lost")
		}
		return nil
	})
}

func TestOptionsAreChecked(t *testing.T) {
	for want, o := range map[string]Options{
		"at least 1":   {},
		"duration":     {Concurrency: 1, Duration: -1},
		"grace period": {Concurrency: 1, Grace: -1},
		"share 3 of 3": {Concurrency: 1, Share: Share{3, 3}},
		"share 1 of 1": {Concurrency: 1, Share: Share{Index: 1}},
	} {
		if _, err := Run(t.Context(), o, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v does not say %q", o, err, want)
		}
	}
}

func BenchmarkClosedLoop(b *testing.B) {
	b.ReportAllocs()
	_, err := Run(b.Context(), Options{Concurrency: 20, Turns: uint64(b.N)}, func(context.Context, Turn) error { return nil })
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkOpenLoopBehind is the cost of a turn that is overdue, which is what matters: one that waits has time.
func BenchmarkOpenLoopBehind(b *testing.B) {
	schedule, err := Rate(maxRate)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	_, err = Run(b.Context(), Options{Concurrency: 20, Turns: uint64(b.N), Schedule: schedule}, func(context.Context, Turn) error { return nil })
	if err != nil {
		b.Fatal(err)
	}
}

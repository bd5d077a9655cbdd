package load

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"warp/internal/clock"
)

// call is one turn of an open loop as an operation saw it, in times after the start.
type call struct {
	n                   uint64
	due, begin, latency time.Duration
}

// record runs an open loop of operations that take as long as take says, and notes every turn in order of its number.
func record(t *testing.T, o Options, take func(n uint64) time.Duration) ([]call, Stats) {
	t.Helper()
	var mu sync.Mutex
	var calls []call
	o.Start = clock.Now().Add(time.Second)
	stats := mustRun(t, t.Context(), o, func(ctx context.Context, turn Turn) error {
		begin := clock.Now()
		if err := taking(take(turn.N))(ctx, turn); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		calls = append(calls, call{turn.N, turn.Due.Sub(o.Start), begin.Sub(o.Start), clock.Now().Sub(turn.Due)})
		return nil
	})
	slices.SortFunc(calls, func(a, b call) int { return int(a.n) - int(b.n) })
	return calls, stats
}

func always(d time.Duration) func(uint64) time.Duration {
	return func(uint64) time.Duration { return d }
}

func TestOpenLoopStartsTurnsWhenTheyAreDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls, stats := record(t, Options{Concurrency: 3, Schedule: rateOf(t, 10), Duration: 2 * time.Second}, always(250*time.Millisecond))
		if want := (Stats{Done: 20, Spent: 2150 * time.Millisecond}); stats != want {
			t.Errorf("got %+v, want %+v", stats, want)
		}
		for i, c := range calls {
			if due := time.Duration(i) * 100 * time.Millisecond; c.n != uint64(i) || c.due != due || c.begin != due {
				t.Errorf("turn %d was due at %v and began at %v, want %v", c.n, c.due, c.begin, due)
			}
		}
	})
}

// TestAStallShowsInTheLatency lets the only worker of a load of 10 operations a second stand still for one second. The
// ten turns that were due meanwhile are sent as fast as can be after it, and their latency counts from when they were due.
func TestAStallShowsInTheLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		take := func(n uint64) time.Duration {
			if n == 5 {
				return 1000 * ms
			}
			return 10 * ms
		}
		calls, stats := record(t, Options{Concurrency: 1, Schedule: rateOf(t, 10), Duration: 3 * time.Second}, take)
		if want := (Stats{Done: 30, Late: 10, Spent: 2910 * ms}); stats != want {
			t.Errorf("got %+v, want %+v", stats, want)
		}
		var got []time.Duration
		for _, c := range calls[4:17] {
			got = append(got, c.latency/ms)
		}
		want := []time.Duration{10, 1000, 910, 820, 730, 640, 550, 460, 370, 280, 190, 100, 10}
		if !slices.Equal(got, want) {
			t.Errorf("latencies around the stall are %v ms, want %v", got, want)
		}
	})
}

func TestTurnsThatNoWorkerWasFreeFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			options Options
			want    Stats
		}{
			// Due at 0, 1, ..., 9 s; begun at 0, 4 and 8 s.
			"duration": {Options{Concurrency: 1, Duration: 10 * time.Second}, Stats{Done: 3, Late: 2, Unsent: 7, Spent: 12 * time.Second}},
			"turns":    {Options{Concurrency: 1, Turns: 5, Duration: 10 * time.Second}, Stats{Done: 3, Late: 2, Unsent: 2, Spent: 12 * time.Second}},
			"enough":   {Options{Concurrency: 4, Duration: 10 * time.Second}, Stats{Done: 10, Spent: 13 * time.Second}},
			// Due at 1, 4, 7 s.
			"share": {Options{Concurrency: 1, Duration: 10 * time.Second, Share: Share{1, 3}}, Stats{Done: 3, Late: 2, Spent: 13 * time.Second}},
		} {
			o := c.options
			o.Schedule = rateOf(t, 1)
			if _, stats := record(t, o, always(4*time.Second)); stats != c.want {
				t.Errorf("%s: got %+v, want %+v", name, stats, c.want)
			}
		}
	})
}

// TestUnsentOfWaitingWorkers cancels between two due times: workers that wait for turns of the future drop them uncounted.
func TestUnsentOfWaitingWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(2500*time.Millisecond, cancel)
		begun := clock.Now()
		stats := mustRun(t, ctx, Options{Concurrency: 5, Schedule: rateOf(t, 1)}, taking(0))
		if want := (Stats{Done: 3, Spent: 2 * time.Second}); stats != want || clock.Now().Sub(begun) != 2500*time.Millisecond {
			t.Errorf("got %+v after %v, want %+v", stats, clock.Now().Sub(begun), want)
		}
	})
}

func TestUnsentOfAHugeBacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stats := mustRun(t, t.Context(), Options{Concurrency: 1, Schedule: rateOf(t, 1e8), Duration: time.Minute}, taking(time.Hour))
		if want := (Stats{Done: 1, Unsent: 6e9 - 1, Spent: time.Hour}); stats != want {
			t.Errorf("got %+v, want %+v", stats, want)
		}
	})
}

func TestASlowRateLastsForTheDuration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := clock.Now()
		stats := mustRun(t, t.Context(), Options{Concurrency: 2, Schedule: rateOf(t, 0.01), Duration: 30 * time.Second}, taking(0))
		if stats != (Stats{Done: 1}) || clock.Now().Sub(begun) != 30*time.Second {
			t.Errorf("got %+v after %v", stats, clock.Now().Sub(begun))
		}
	})
}

func TestSharesTogetherMakeTheWholeLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const clients, perSecond = 3, 30
		times := map[time.Duration]int{}
		for i := range uint64(clients) {
			o := Options{Concurrency: 2, Schedule: rateOf(t, perSecond), Share: Share{i, clients}, Duration: 2 * time.Second}
			calls, stats := record(t, o, always(0))
			if stats.Done != 2*perSecond/clients {
				t.Errorf("client %d: %+v", i, stats)
			}
			for _, c := range calls {
				times[c.due]++
			}
		}
		for n := range uint64(2 * perSecond) {
			due := rateOf(t, perSecond).Due(n)
			if times[due] != 1 {
				t.Errorf("global turn %d, due at %v, was taken %d times", n, due, times[due])
			}
		}
		if len(times) != 2*perSecond {
			t.Errorf("%d due times, want %d", len(times), 2*perSecond)
		}
	})
}

func TestOpenLoopEndsWhenNothingIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := clock.Now()
		stats, err := Run(t.Context(), Options{Concurrency: 4, Schedule: rateOf(t, 1)}, func(_ context.Context, turn Turn) error {
			if turn.N == 7 {
				return ErrDone
			}
			return nil
		})
		if want := (Stats{Done: 7, Most: 1, Spent: 6 * time.Second, Sending: 7 * time.Second, Planned: 7 * time.Second}); err != nil || stats != want || clock.Now().Sub(begun) != 7*time.Second {
			t.Errorf("got %+v, %v after %v; want %+v", stats, err, clock.Now().Sub(begun), want)
		}
	})
}

func TestOpenLoopWithManyWorkers(t *testing.T) {
	const turns = 3000
	var mu sync.Mutex
	seen := map[uint64]bool{}
	stats, err := Run(t.Context(), Options{Concurrency: 256, Schedule: rateOf(t, 20_000), Turns: turns, Executor: testExecutor()}, func(_ context.Context, turn Turn) error {
		if clock.Now().Before(turn.Due) {
			return errors.New("a turn began before it was due")
		}
		mu.Lock()
		defer mu.Unlock()
		seen[turn.N] = true
		return nil
	})
	if err != nil || stats.Done != turns || len(seen) != turns {
		t.Errorf("%d different turns, %+v, %v", len(seen), stats, err)
	}
}

// A turn that is too late is left out; those before it are late.
func TestMaxLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// 10 turns a second, and a worker that takes 1 s for the first one: turns 1 to 4 would be 0.9 to 0.6 s late.
		o := Options{Concurrency: 1, Schedule: rateOf(t, 10), MaxLate: 500 * time.Millisecond, Duration: 2 * time.Second}
		var sent []uint64
		stats := mustRun(t, t.Context(), o, func(_ context.Context, turn Turn) error {
			sent = append(sent, turn.N)
			if turn.N == 0 {
				time.Sleep(time.Second)
			}
			return nil
		})
		if want := (Stats{Done: 16, Late: 5, Unsent: 4, Spent: 1900 * time.Millisecond}); stats != want || sent[1] != 5 {
			t.Errorf("got %+v and turns %v, want %+v", stats, sent, want)
		}
	})
}

// A load whose rate ends at 0 ends with it, unless it has a duration.
func TestScheduleThatEnds(t *testing.T) {
	for duration, want := range map[time.Duration]time.Duration{0: 900 * time.Millisecond, 5 * time.Second: 5 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			begun := clock.Now()
			stats := mustRun(t, t.Context(), Options{Concurrency: 3, Schedule: scheduleOf(t, "10/1s,0", Even), Duration: duration}, taking(0))
			if stats.Done != 10 || stats.Unsent != 0 || clock.Now().Sub(begun) != want {
				t.Errorf("duration %v: got %+v after %v", duration, stats, clock.Now().Sub(begun))
			}
		})
	}
}

func TestSending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			o             Options
			want, planned time.Duration
		}{
			{Options{Concurrency: 1, Duration: 10 * time.Second}, 10 * time.Second, 10 * time.Second},
			{Options{Concurrency: 1, Turns: 3}, 9 * time.Second, 9 * time.Second},
			{Options{Concurrency: 1, Turns: 4, Schedule: rateOf(t, 2)}, 12 * time.Second, 2 * time.Second}, // late
			{Options{Concurrency: 1, Turns: 1, Schedule: rateOf(t, 2)}, 3 * time.Second, 3 * time.Second},
			{Options{Concurrency: 1, Duration: 5 * time.Second, Schedule: rateOf(t, 2)}, 5 * time.Second, 5 * time.Second},
			{Options{Concurrency: 9, Turns: 4, Schedule: rateOf(t, 2), Warmup: time.Second}, 4500 * time.Millisecond, 2 * time.Second},
		} {
			c.o.Start = clock.Now()
			stats, err := Run(t.Context(), c.o, taking(3*time.Second))
			if err != nil || stats.Sending != c.want || stats.Planned != c.planned {
				t.Errorf("%+v: got %+v, %v; want %v of sending, %v of them planned", c.o, stats, err, c.want, c.planned)
			}
		}
	})
}

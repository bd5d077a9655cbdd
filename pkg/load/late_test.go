package load

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"warp/internal/clock"
)

// lateness is what turns were late for, as the operation saw it.
type lateness struct {
	mu               sync.Mutex
	own, busy, total time.Duration
}

// do is an operation that begins by so much after its worker was told, as if that had woken late.
func (l *lateness) do(wake, take func(n uint64) time.Duration) Do {
	return func(_ context.Context, t Turn) error {
		time.Sleep(wake(t.N))
		l.mu.Lock()
		now := clock.Now()
		l.own += now.Sub(t.Ready)
		l.busy += t.Ready.Sub(t.Due)
		l.total += now.Sub(t.Due)
		l.mu.Unlock()
		time.Sleep(take(t.N))
		return nil
	}
}

// TestLateness divides lateness: the store's, where all workers were busy when a turn was due; the client's own, where one was idle.
func TestLateness(t *testing.T) {
	const ms = time.Millisecond
	first := func(n uint64, d time.Duration) func(uint64) time.Duration {
		return func(i uint64) time.Duration {
			if i < n {
				return d
			}
			return 0
		}
	}
	for name, c := range map[string]struct {
		workers         int
		wake, take      func(n uint64) time.Duration
		own, busy       time.Duration
		busyTurns, most int
	}{
		// Due at 0, 10, ..., 90 ms. Two threads, 40 ms each: begun at 0, 10, 40, 50, 80, 90, 120, 130, 160, 170.
		"slow store":       {2, always(0), always(40 * ms), 0, (20 + 20 + 40 + 40 + 60 + 60 + 80 + 80) * ms, 8, 2},
		"threads are idle": {20, always(3 * ms), always(2 * ms), 30 * ms, 0, 0, 1},
		"many at once":     {20, always(0), always(38 * ms), 0, 0, 0, 4},
		// One thread that wakes 5 ms late, and needs 15 ms: it is free at 20, 40, ..., and begins 5 ms after that.
		"both": {1, always(5 * ms), always(15 * ms), 10 * 5 * ms, (10 + 20 + 30 + 40 + 50 + 60 + 70 + 80 + 90) * ms, 9, 1},
		// The first takes 35 ms: the next three wait for it.
		"a stall": {1, always(0), first(1, 35*ms), 0, (25 + 15 + 5) * ms, 3, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var l lateness
				stats, err := Run(t.Context(), Options{Concurrency: c.workers, Schedule: rateOf(t, 100), Turns: 10}, l.do(c.wake, c.take))
				if err != nil {
					t.Fatal(err)
				}
				if l.own != c.own || l.busy != c.busy || l.own+l.busy != l.total {
					t.Errorf("own %v, busy %v, together %v; want %v and %v", l.own, l.busy, l.total, c.own, c.busy)
				}
				if s := &stats; s.Busy.Total != c.busy || s.Busy.Turns != uint64(c.busyTurns) || s.Own != (Lateness{}) || s.Late != uint64(c.busyTurns) || s.Most != c.most {
					t.Errorf("got %+v", stats)
				}
			})
		})
	}
}

// wakeLate makes a schedule whose next turn is asked for late once: the leader then begins several turns that are overdue, as after a stall of the
// machine. (Stats count from when a worker begins.)
type wakeLate struct {
	Schedule
	at   uint64
	by   time.Duration
	once sync.Once
}

func (s *wakeLate) Due(n uint64) time.Duration {
	if n == s.at {
		s.once.Do(func() { time.Sleep(s.by) })
	}
	return s.Schedule.Due(n)
}

// TestLateLeader has the client stand still for 45 ms before turn 5: turns 5 to 8 are late by its own fault as long as threads are idle. With two
// threads, the third and the fourth of them wait for the store.
func TestLateLeader(t *testing.T) {
	const ms = time.Millisecond
	for workers, want := range map[int]Stats{
		// Turn 5 is looked at when turn 4 begins, at 40 ms, and so begins at 85 ms, as do turns 6 to 8, which are in flight when turn 9 is due.
		20: {Done: 10, Late: 4, Own: Lateness{4, (35 + 25 + 15 + 5) * ms, 35 * ms}, Most: 5, Spent: 100 * ms},
		// Turn 4 ends at 50 ms. Turns 5 and 6 begin at 85 ms, 7 to 10 wait until there is a thread again, at 95, 95, 105 ms; the last is on time.
		2: {Done: 10, Late: 5, Own: Lateness{2, (35 + 25) * ms, 35 * ms}, Busy: Lateness{3, (25 + 15 + 15) * ms, 25 * ms}, Most: 2, Spent: 115 * ms},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &wakeLate{Schedule: rateOf(t, 100), at: 5, by: 45 * ms}
			stats, err := Run(t.Context(), Options{Concurrency: workers, Schedule: s, Turns: 10}, taking(10*ms))
			if stats.Sending, stats.Planned = 0, 0; err != nil || stats != want {
				t.Errorf("%d workers: got %+v, %v; want %+v", workers, stats, err, want)
			}
		})
	}
}

// TestUnsentOwn ends while turns are due: those for which a thread was idle are the client's, the others waited for the store.
func TestUnsentOwn(t *testing.T) {
	for workers, want := range map[int][2]uint64{20: {5, 5}, 3: {5, 3}} {
		synctest.Test(t, func(t *testing.T) {
			s := &wakeLate{Schedule: rateOf(t, 1), at: 5, by: time.Minute}
			stats, err := Run(t.Context(), Options{Concurrency: workers, Schedule: s, Duration: 10 * time.Second}, taking(0))
			if err != nil || stats.Done != 5 || [2]uint64{stats.Unsent, stats.UnsentOwn} != want {
				t.Errorf("%d workers: got %+v, %v; want %d unsent, %d of them the client's", workers, stats, err, want[0], want[1])
			}
		})
		synctest.Test(t, func(t *testing.T) { // they are left out, since they are too late
			s := &wakeLate{Schedule: rateOf(t, 1), at: 5, by: 6500 * time.Millisecond}
			o := Options{Concurrency: workers, Schedule: s, Turns: 20, MaxLate: time.Second}
			stats, err := Run(t.Context(), o, taking(0))
			if err != nil || stats.Done != 15 || stats.Unsent != 5 || stats.UnsentOwn != 5 {
				t.Errorf("%d workers, left out: got %+v, %v", workers, stats, err)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		stats, err := Run(t.Context(), Options{Concurrency: 2, Schedule: rateOf(t, 1), Duration: 10 * time.Second, MaxLate: time.Second}, taking(4*time.Second))
		if err != nil || stats.Unsent == 0 || stats.UnsentOwn != 0 || stats.Own != (Lateness{}) {
			t.Errorf("a slow store: got %+v, %v", stats, err)
		}
	})
}

// TestWorkersInUse counts workers: one more than turns are in flight, however many there may be.
func TestWorkersInUse(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		schedule string
		take     func(n uint64) time.Duration
		most     int
	}{
		"one at a time":   {"20", always(5 * ms), 1},
		"as seed 003 has": {"50", always(15 * ms), 1},
		"several":         {"100", always(42 * ms), 5},
		"bursts":          {"burst(7,100ms)", always(30 * ms), 7},
		"a slow one":      {"50", func(n uint64) time.Duration { return map[bool]time.Duration{true: time.Second, false: 5 * ms}[n == 20] }, 2},
		"a ramp":          {"10..200/5s", always(20 * ms), 4},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				used := map[int]int{}
				var mu sync.Mutex
				o := Options{Concurrency: 200, Schedule: scheduleOf(t, c.schedule, Even), Duration: 5 * time.Second}
				stats, err := Run(t.Context(), o, func(_ context.Context, turn Turn) error {
					mu.Lock()
					used[turn.Worker]++
					mu.Unlock()
					time.Sleep(c.take(turn.N))
					return nil
				})
				if err != nil || stats.Late != 0 || stats.Most != c.most || len(used) < c.most || len(used) > c.most+1 {
					t.Errorf("%d workers in use, want %d and one at most; %+v, %v", len(used), c.most, stats, err)
				}
				for i := range len(used) {
					if used[i] == 0 {
						t.Errorf("worker %d was left out: %v", i, used)
					}
				}
			})
		})
	}
}

// TestTurnsOfAnOpenLoop: each turn is performed once, in order of its number, by idle workers, whatever ends the load.
func TestTurnsOfAnOpenLoop(t *testing.T) {
	for name, o := range map[string]Options{
		"turns":    {Turns: 20_000},
		"duration": {Duration: 200 * time.Millisecond},
		"done":     {},
	} {
		t.Run(name, func(t *testing.T) {
			const workers = 50
			var busy [workers]atomic.Bool
			var mu sync.Mutex
			var seen []uint64
			o.Concurrency, o.Schedule = workers, rateOf(t, 100_000)
			stats, err := Run(t.Context(), o, func(_ context.Context, turn Turn) error {
				if name == "done" && turn.N >= 10_000 {
					return ErrDone
				}
				if busy[turn.Worker].Swap(true) {
					t.Errorf("worker %d has two turns at once", turn.Worker)
				}
				mu.Lock()
				seen = append(seen, turn.N)
				mu.Unlock()
				busy[turn.Worker].Store(false)
				return nil
			})
			slices.Sort(seen)
			for i, n := range seen {
				if n != uint64(i) {
					t.Fatalf("turn %d is missing, or came twice", i)
				}
			}
			if err != nil || stats.Done != uint64(len(seen)) || name == "turns" && stats.Done != o.Turns || name == "done" && stats.Done != 10_000 {
				t.Errorf("%d turns, %+v, %v", len(seen), stats, err)
			}
		})
	}
}

package load

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// outage is an operation that nobody answers from the first second to the sixth, and what is tried meanwhile.
type outage struct {
	start    time.Time
	attempts [3]int           // by worker, while nobody answered
	last     [3]time.Duration // when each worker was answered first after it
	late     int
}

func (o *outage) do(_ context.Context, t Turn) error {
	since := time.Since(o.start)
	if since >= time.Second && since < 6*time.Second {
		o.attempts[t.Worker]++
		return ErrUnreachable
	}
	if since >= 6*time.Second && o.last[t.Worker] == 0 {
		o.last[t.Worker] = since
	}
	if !t.Due.IsZero() && time.Since(t.Due) > 0 {
		o.late++
	}
	time.Sleep(10 * time.Millisecond)
	return nil
}

func TestOutagePausesWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := outage{start: time.Now()}
		stats := mustRun(t, t.Context(), Options{Concurrency: 3, Duration: 10 * time.Second}, o.do)
		for w := range o.attempts {
			// 1, 2, 4 ... 64 ms, and then every 100 ms.
			if n := o.attempts[w]; n < 50 || n > 60 {
				t.Errorf("worker %d tried %d times in 5 s", w, n)
			}
			if at := o.last[w]; at > 6*time.Second+maxPause {
				t.Errorf("worker %d was answered after %v", w, at)
			}
		}
		if stats.Paused < 4900*time.Millisecond || stats.Paused > 5*time.Second+maxPause {
			t.Errorf("%d attempts and %+v", o.attempts, stats)
		}
	})
}

// One operation that no server answered does not slow the load down, however often that happens.
func TestNoPauseBetweenAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stats := mustRun(t, t.Context(), Options{Concurrency: 1, Turns: 100}, func(_ context.Context, t Turn) error {
			if t.N%2 == 0 {
				return ErrUnreachable
			}
			return nil
		})
		if want := (Stats{Done: 100}); stats != want {
			t.Errorf("got %+v, want %+v", stats, want)
		}
	})
}

func TestEndCutsAPauseShort(t *testing.T) {
	for name, end := range map[string]func(ctx context.Context, o *Options) context.Context{
		"duration": func(ctx context.Context, o *Options) context.Context { o.Duration = 510 * time.Millisecond; return ctx },
		"context": func(ctx context.Context, _ *Options) context.Context {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(510*time.Millisecond, cancel)
			return ctx
		},
		"abort": func(ctx context.Context, o *Options) context.Context {
			abort := make(chan struct{})
			o.Abort = abort
			time.AfterFunc(510*time.Millisecond, func() { close(abort) })
			return ctx
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			o := Options{Concurrency: 1}
			ctx := end(t.Context(), &o)
			from := time.Now()
			mustRun(t, ctx, o, func(context.Context, Turn) error { return ErrUnreachable })
			if took := time.Since(from); took != 510*time.Millisecond {
				t.Errorf("%s: the run took %v", name, took)
			}
		})
	}
}

// An open loop tries each turn once, when it is due: a pause would make those after it late.
func TestOutageOfAnOpenLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := outage{start: time.Now()}
		schedule, _ := Rate(100)
		stats := mustRun(t, t.Context(), Options{Concurrency: 3, Schedule: schedule, Duration: 10 * time.Second}, o.do)
		if want := (Stats{Done: 1000, Spent: 10 * time.Second}); stats != want || o.late != 0 {
			t.Errorf("got %+v, %d late; want %+v", stats, o.late, want)
		}
		if n := o.attempts[0] + o.attempts[1] + o.attempts[2]; n != 500 {
			t.Errorf("%d attempts in 5 s", n)
		}
	})
}

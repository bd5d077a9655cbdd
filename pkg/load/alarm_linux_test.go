package load

import (
	"context"
	"os"
	"sync/atomic"
	"testing"
	"time"
)

// timerFiles counts the timers of the kernel that this process has open.
func timerFiles(t *testing.T) (n int) {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if to, err := os.Readlink("/proc/self/fd/" + f.Name()); err == nil && to == "anon_inode:[timerfd]" {
			n++
		}
	}
	return n
}

func TestTimersDoNotGrowWithWorkers(t *testing.T) {
	const workers = 500
	schedule, _ := Rate(5000)
	var most atomic.Int64
	stats := mustRun(t, t.Context(), Options{Concurrency: workers, Schedule: schedule, Turns: 3 * workers, Start: time.Now().Add(10 * time.Millisecond)}, func(_ context.Context, turn Turn) error {
		if turn.N%100 == 0 {
			most.Store(max(most.Load(), int64(timerFiles(t))))
		}
		return nil
	})
	if stats.Done != 3*workers || most.Load() < 1 || most.Load() > MaxTimers {
		t.Errorf("%d turns with up to %d timers, want at most %d", stats.Done, most.Load(), MaxTimers)
	}
	if n := timerFiles(t); n != 0 {
		t.Errorf("%d timers stay open", n)
	}
}

func TestFineTimersRunOut(t *testing.T) {
	f := newFineTimers(MaxTimers)
	defer f.close()
	for range MaxTimers {
		<-f
	}
	a := alarm{fine: f}
	defer a.close()
	due := time.Now().Add(5 * time.Millisecond)
	if !a.wait(due, nil, nil) || time.Now().Before(due) {
		t.Errorf("woke %v early", time.Until(due))
	}
	for range MaxTimers {
		f <- new(fineTimer)
	}
}

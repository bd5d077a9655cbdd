package loop

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start returns a loop that ends with the test.
func start(t testing.TB) *Loop {
	l, err := New(false)
	if err != nil {
		t.Skip("this kernel has no loops: ", err)
	}
	t.Cleanup(l.Close)
	return l
}

// perform performs a task to its end.
func perform(l *Loop, f func(*Task)) {
	over := make(chan struct{})
	l.Task(context.Background()).Start(func(t *Task) {
		defer close(over)
		f(t)
	})
	<-over
}

// pair returns two connected sockets, the first of them the loop's.
func pair(t *testing.T, task *Task) (ours, theirs int) {
	p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Error(err)
	}
	if err := task.Add(p[0]); err != nil {
		t.Error(err)
	}
	return p[0], p[1]
}

// Tasks that wait for times go on in their order, and no one earlier.
func TestUntil(t *testing.T) {
	l := start(t)
	var order []int
	var wg sync.WaitGroup
	begin := time.Now()
	for _, n := range []int{5, 1, 3, 0, 2, 4} {
		wg.Add(1)
		l.Task(t.Context()).Start(func(task *Task) {
			defer wg.Done()
			due := begin.Add(time.Duration(n) * 20 * time.Millisecond)
			if !task.Until(due) || time.Now().Before(due) {
				t.Errorf("%d went on %v too early", n, time.Until(due))
			}
			order = append(order, n)
		})
	}
	wg.Wait()
	for i, n := range order {
		if i != n {
			t.Fatalf("order %v", order)
		}
	}
}

// A wake ends a wait, or the next one, and only one.
func TestWake(t *testing.T) {
	l := start(t)
	ready := make(chan *Task)
	go func() {
		task := <-ready
		task.Wake()
	}()
	perform(l, func(task *Task) {
		Block(task, func(context.Context) { ready <- task })
		if task.Until(time.Now().Add(time.Hour)) {
			t.Error("an hour passed")
		}
		task.WakeOther(task)
		task.Rest()
		if !task.Until(time.Now().Add(time.Millisecond)) {
			t.Error("a wake ended two waits")
		}
	})
}

// Bytes, deadlines and interrupts end waits for a socket.
func TestReadable(t *testing.T) {
	l := start(t)
	perform(l, func(task *Task) {
		ours, theirs := pair(t, task)
		if err := task.Readable(ours, time.Now().Add(10*time.Millisecond)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("deadline: %v", err)
		}
		time.AfterFunc(10*time.Millisecond, task.Interrupt)
		if err := task.Readable(ours, time.Time{}); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("interrupt: %v", err)
		}
		time.AfterFunc(10*time.Millisecond, func() { _, _ = unix.Write(theirs, []byte("x")) })
		if err := task.Readable(ours, time.Now().Add(time.Hour)); err != nil {
			t.Errorf("bytes: %v", err)
		}
		time.AfterFunc(10*time.Millisecond, func() { _ = unix.Close(theirs) })
		if err := task.Readable(ours, time.Time{}); err != nil {
			t.Errorf("end: %v", err)
		}
		_ = unix.Close(ours)
	})
}

// A sender waits until the receiver has read.
func TestWritable(t *testing.T) {
	l := start(t)
	perform(l, func(task *Task) {
		ours, theirs := pair(t, task)
		piece := make([]byte, 64<<10)
		for {
			if _, err := unix.Write(ours, piece); err != nil {
				break
			}
		}
		time.AfterFunc(10*time.Millisecond, func() {
			for {
				if _, err := unix.Read(theirs, piece); err != nil {
					return
				}
			}
		})
		if err := task.Writable(ours, time.Now().Add(time.Hour)); err != nil {
			t.Error(err)
		}
		_, _ = unix.Close(ours), unix.Close(theirs)
	})
}

// Functions at once share a thread, and each has a context of its own.
func TestTogether(t *testing.T) {
	l := start(t)
	perform(l, func(task *Task) {
		inside, highest := 0, 0
		seen := map[*Task]bool{}
		Together(task, 5, func(ctx context.Context, k int) {
			one := Of(ctx)
			seen[one] = true
			inside++
			highest = max(highest, inside)
			one.Until(time.Now().Add(time.Duration(k) * time.Millisecond))
			inside--
		})
		if highest != 5 || len(seen) != 5 || seen[task] {
			t.Errorf("%d at once, %d tasks", highest, len(seen))
		}
		Together(task, 0, func(context.Context, int) { t.Error("called") })
	})
	var calls atomic.Int64
	Together(t.Context(), 3, func(ctx context.Context, _ int) {
		if Of(ctx) != nil {
			t.Error("a goroutine has a task")
		}
		calls.Add(1)
	})
	if calls.Load() != 3 {
		t.Errorf("%d calls", calls.Load())
	}
}

// Other tasks go on while one is in Block, and its panic is its own.
func TestBlock(t *testing.T) {
	l := start(t)
	other := make(chan struct{})
	l.Task(t.Context()).Start(func(*Task) { close(other) })
	perform(l, func(task *Task) {
		ctx, cancel := context.WithCancel(task)
		defer cancel()
		Block(ctx, func(ctx context.Context) {
			<-other
			if Of(ctx) != nil {
				t.Error("a goroutine has a task")
			}
		})
		defer func() {
			if recover() != "broken" {
				t.Error("no panic")
			}
		}()
		Block(ctx, func(context.Context) { panic("broken") })
	})
}

// Wakes that come while or after a task ends do no harm.
func TestLateWakes(t *testing.T) {
	l := start(t)
	for range 200 {
		var task *Task
		perform(l, func(one *Task) {
			task = one
			task.wakeNow()
		})
		task.Wake()
		task.Interrupt()
	}
}

// A task that blocks its loop is reported with its stack.
func TestWatch(t *testing.T) {
	l := start(t)
	reports := make(chan string, 10)
	stop := Watch(10*time.Millisecond, func(stack string) {
		select {
		case reports <- stack:
		default:
		}
	})
	defer stop()
	never := make(chan struct{})
	var seen string
	over := make(chan struct{})
	l.Task(t.Context()).Start(func(*Task) { <-never; close(over) })
	seen = <-reports
	close(never)
	<-over
	if !strings.Contains(seen, "TestWatch") {
		t.Errorf("reported\n%s", seen)
	}
	runtime.KeepAlive(l)
}

func BenchmarkSwitch(b *testing.B) {
	l := start(b)
	b.ReportAllocs()
	perform(l, func(task *Task) {
		for b.Loop() {
			task.loop.makeReady(task)
			task.park()
		}
	})
}

func BenchmarkUntil(b *testing.B) {
	l := start(b)
	b.ReportAllocs()
	var late time.Duration
	perform(l, func(task *Task) {
		for b.Loop() {
			due := time.Now().Add(50 * time.Microsecond)
			task.Until(due)
			late += time.Since(due)
		}
	})
	b.ReportMetric(float64(late)/float64(b.N), "late-ns")
}

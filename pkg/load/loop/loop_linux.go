package loop

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"warp/internal/clock"
	"warp/internal/heap"
)

// Loop is a goroutine that performs tasks.
type Loop struct {
	poll    int       // epoll instance
	bell    int       // eventfd that ends its waits
	base    time.Time // of times in the heap
	timers  heap.Heap[timer]
	sockets []waiters // by file descriptor
	ready   []*Task   // to go on, in this order
	resting []*Task   // memory of the round before
	events  [128]unix.EpollEvent
	left    unix.Timespec // of a wait
	current *Task
	tasks   int // that have not ended
	closing bool

	posted  atomic.Bool  // calls is not empty
	asleep  atomic.Bool  // it may wait in the kernel
	ringing atomic.Int64 // calls of post that may ring
	busy    atomic.Int64 // since when it has not waited; 0: it waits
	mu      sync.Mutex
	calls   []func() // to be made by the loop
	ended   bool
	over    chan struct{}
}

// waiters are the tasks that wait for a socket.
type waiters struct{ read, write *Task }

// coroutine is how a task and its loop take turns.
type coroutine struct {
	resume func() (struct{}, bool)
	yield  func(struct{}) bool
}

// timer is a time at which a task may go on.
type timer struct {
	at   int64
	task *Task
	kind timerKind
}

// Before orders timers by their times.
func (t timer) Before(o timer) bool { return t.at < o.at }

// maxRounds is how often tasks may make others ready before the loop looks at sockets and timers again.
const maxRounds = 8

// New starts a loop, at real-time priority if that is asked for. It fails where the kernel lacks what it takes (Linux 5.11).
func New(realtime bool) (*Loop, error) {
	poll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll_create1: %w", err)
	}
	l := &Loop{poll: poll, bell: -1, base: clock.Now(), over: make(chan struct{})}
	if _, errno := l.pollNow(); errno != 0 {
		l.free()
		return nil, fmt.Errorf("epoll_pwait2: %w", errno)
	}
	if l.bell, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		l.free()
		return nil, fmt.Errorf("eventfd: %w", err)
	}
	if err := unix.EpollCtl(poll, unix.EPOLL_CTL_ADD, l.bell, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(l.bell)}); err != nil {
		l.free()
		return nil, fmt.Errorf("epoll_ctl: %w", err)
	}
	started := make(chan error)
	go l.run(realtime, started)
	if err := <-started; err != nil {
		l.free()
		return nil, err
	}
	return l, nil
}

func (l *Loop) free() {
	_ = unix.Close(l.poll) // nothing was written that could be lost
	if l.bell >= 0 {
		_ = unix.Close(l.bell)
	}
}

// Task makes a task, which Start starts.
func (l *Loop) Task(ctx context.Context) *Task { return &Task{Context: ctx, loop: l} }

// Start starts a task. It is for all goroutines.
func (t *Task) Start(f func(*Task)) { t.loop.post(func() { t.loop.start(t, f) }) }

// Close waits for the tasks to end, and ends the loop.
func (l *Loop) Close() {
	l.post(func() { l.closing = true })
	<-l.over
}

// start starts a task; the loop calls it, or one of its tasks: coroutines of a goroutine that is locked to its thread are created on it.
func (l *Loop) start(t *Task, f func(*Task)) {
	l.tasks++
	t.resume, _ = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		f(t)
	})
	l.makeReady(t)
}

// makeReady makes a task go on in the next round.
func (l *Loop) makeReady(t *Task) {
	if !t.queued && !t.ended {
		t.queued = true
		l.ready = append(l.ready, t)
	}
}

// post has the loop call a function. It is for all goroutines.
func (l *Loop) post(call func()) {
	l.mu.Lock()
	if l.ended {
		l.mu.Unlock()
		return
	}
	l.calls = append(l.calls, call)
	l.posted.Store(true)
	l.ringing.Add(1) // from here on the bell stays
	l.mu.Unlock()
	defer l.ringing.Add(-1)
	if l.asleep.Swap(false) { // without the lock, which the loop takes once it is awake
		one := [8]byte{1}
		_, _ = unix.Write(l.bell, one[:]) // fails only if it rings already
	}
}

// run is the loop. Only a real-time priority locks it to a thread, which ends with it: the scheduler interrupts each goroutine after 10
// ms, and the thread of a locked one then waits until another thread hands the goroutine back.
func (l *Loop) run(realtime bool, started chan<- error) {
	if realtime {
		runtime.LockOSThread()
		if err := setRealtime(); err != nil {
			started <- err
			return
		}
	}
	watched.add(l)
	started <- nil
	l.setBusy(true)
	for !l.closing || l.tasks > 0 {
		l.runCalls()
		l.fireTimers()
		l.runReady()
		l.sleep()
	}
	l.mu.Lock()
	l.ended = true
	l.mu.Unlock()
	watched.remove(l)
	for l.ringing.Load() > 0 {
		runtime.Gosched()
	}
	l.free()
	close(l.over)
}

// runCalls makes the calls that were posted.
func (l *Loop) runCalls() {
	if !l.posted.Load() {
		return
	}
	l.mu.Lock()
	calls := l.calls
	l.calls = nil
	l.posted.Store(false)
	l.mu.Unlock()
	for _, call := range calls {
		call()
	}
}

// now returns the time since the base, above 0.
func (l *Loop) now() int64 { return l.since(clock.Now()) }

// since returns the time from the base to t, at least 1: 0 stands for no time.
func (l *Loop) since(t time.Time) int64 { return max(1, int64(t.Sub(l.base))) }

// fireTimers makes the tasks go on whose time has come.
func (l *Loop) fireTimers() {
	if len(l.timers) == 0 {
		return
	}
	for now := l.now(); len(l.timers) > 0 && l.timers[0].at <= now; {
		timer := l.timers.Pop()
		t := timer.task
		if t.armed[timer.kind] != timer.at {
			continue // an earlier one took its place
		}
		t.armed[timer.kind] = 0
		switch w := &t.wait; {
		case w.end == 0 || w.kind != timer.kind:
		case w.end <= now:
			w.reached = true
			l.makeReady(t)
		default:
			l.arm(t)
		}
	}
}

// arm sets the timer of a task's present wait, unless it has an earlier one.
func (l *Loop) arm(t *Task) {
	if at := &t.armed[t.wait.kind]; *at == 0 || t.wait.end < *at {
		*at = t.wait.end
		l.timers.Push(timer{t.wait.end, t, t.wait.kind})
	}
}

// runReady goes on with the tasks that are ready.
func (l *Loop) runReady() {
	for range maxRounds {
		if len(l.ready) == 0 {
			return
		}
		round := l.ready
		l.ready = l.resting[:0]
		for i, t := range round {
			round[i], t.queued = nil, false
			if t.ended { // after something had woken it
				continue
			}
			l.current = t
			if _, on := t.resume(); !on {
				t.ended = true
				l.tasks--
			}
		}
		l.resting = round
	}
}

// sleep waits for sockets, the next timer, or a call.
func (l *Loop) sleep() {
	n, errno := 0, unix.Errno(0)
	if len(l.ready) > 0 || l.posted.Load() {
		n, errno = l.pollNow()
	} else if l.prepareSleep() {
		l.setBusy(false)
		n, errno = l.pollUntil()
		l.setBusy(true)
		l.asleep.Store(false)
	}
	if errno != 0 && errno != unix.EINTR {
		panic(fmt.Sprintf("epoll_pwait2: %v", errno))
	}
	for i := range n {
		l.handle(&l.events[i])
	}
}

// prepareSleep makes calls ring. It reports false if one came before.
func (l *Loop) prepareSleep() bool {
	if l.closing && l.tasks == 0 {
		return false
	}
	l.asleep.Store(true)
	if l.posted.Load() {
		l.asleep.Store(false)
		return false
	}
	return true
}

// setBusy notes since when the loop is at work, while somebody watches.
func (l *Loop) setBusy(busy bool) {
	switch {
	case !watching.Load():
	case busy:
		l.busy.Store(l.now())
	default:
		l.busy.Store(0)
	}
}

// handle makes the tasks go on that wait for a socket. An event that no task waits for is dropped: each tries before it waits.
func (l *Loop) handle(e *unix.EpollEvent) {
	fd := int(e.Fd)
	if fd == l.bell {
		var count [8]byte
		_, _ = unix.Read(fd, count[:]) // resets it; runCalls makes the calls
		return
	}
	w := l.socket(fd)
	const failed = unix.EPOLLERR | unix.EPOLLHUP
	if t := w.read; t != nil && e.Events&(unix.EPOLLIN|unix.EPOLLRDHUP|failed) != 0 {
		t.wait.over = true
		l.makeReady(t)
	}
	if t := w.write; t != nil && e.Events&(unix.EPOLLOUT|failed) != 0 {
		t.wait.over = true
		l.makeReady(t)
	}
}

// socket returns the tasks that wait for a socket.
func (l *Loop) socket(fd int) *waiters {
	for fd >= len(l.sockets) {
		l.sockets = append(l.sockets, make([]waiters, max(64, len(l.sockets)))...)
	}
	return &l.sockets[fd]
}

// stuck reports whether the loop has been at work for longer than a time.
func (l *Loop) stuck(limit time.Duration) bool {
	since := l.busy.Load()
	return since > 0 && time.Duration(l.now()-since) > limit
}

package loop

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// park lets the loop go on until something makes the task go on.
func (t *Task) park() {
	if t.loop.current != t {
		panic("a task waits in another goroutine, or in another task")
	}
	t.yield(struct{}{})
}

// Until waits for a time, and reports whether it was reached: false if Wake was called since the last time.
func (t *Task) Until(at time.Time) bool {
	t.beginWait(timerUntil, at)
	for !t.woken && !t.wait.reached {
		t.park()
	}
	reached := t.wait.reached && !t.woken
	t.wait, t.woken = wait{}, false
	return reached
}

// Rest waits for Wake.
func (t *Task) Rest() {
	for !t.woken {
		t.park()
	}
	t.woken = false
}

// beginWait begins a wait that ends at a time; zero: at none.
func (t *Task) beginWait(kind timerKind, end time.Time) {
	t.wait = wait{kind: kind}
	if !end.IsZero() {
		t.wait.end = t.loop.since(end)
		t.loop.arm(t)
	}
}

// Wake ends the present Until or Rest, or the next one. It is for all goroutines.
func (t *Task) Wake() { t.loop.post(t.wakeNow) }

func (t *Task) wakeNow() {
	t.woken = true
	t.loop.makeReady(t)
}

// WakeOther is Wake of another task, at no cost if it is one of the same loop.
func (t *Task) WakeOther(o *Task) {
	if o.loop != t.loop {
		o.Wake()
		return
	}
	o.wakeNow()
}

// SameLoop reports whether both tasks are of one loop.
func (t *Task) SameLoop(o *Task) bool { return t.loop == o.loop }

// Interrupt ends the present wait for a socket, or the next one, with os.ErrDeadlineExceeded. It is for all goroutines.
func (t *Task) Interrupt() {
	t.loop.post(func() {
		t.interrupted = true
		t.loop.makeReady(t)
	})
}

// Add makes a socket one that tasks of this loop can wait for.
func (t *Task) Add(fd int) error {
	e := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET, Fd: int32(fd)}
	return os.NewSyscallError("epoll_ctl", unix.EpollCtl(t.loop.poll, unix.EPOLL_CTL_ADD, fd, &e))
}

// Remove undoes Add.
func (t *Task) Remove(fd int) { _ = unix.EpollCtl(t.loop.poll, unix.EPOLL_CTL_DEL, fd, nil) }

// Readable waits until a read that failed with EAGAIN may succeed. After the deadline, unless that is zero, it returns
// os.ErrDeadlineExceeded.
func (t *Task) Readable(fd int, deadline time.Time) error {
	t.loop.socket(fd).read = t
	err := t.awaitSocket(deadline)
	t.loop.socket(fd).read = nil
	return err
}

// Writable is Readable for writing.
func (t *Task) Writable(fd int, deadline time.Time) error {
	t.loop.socket(fd).write = t
	err := t.awaitSocket(deadline)
	t.loop.socket(fd).write = nil
	return err
}

func (t *Task) awaitSocket(deadline time.Time) error {
	t.beginWait(timerSocket, deadline)
	for !t.wait.over && !t.wait.reached && !t.interrupted {
		t.park()
	}
	over := t.wait.over && !t.interrupted
	t.wait, t.interrupted = wait{}, false
	if !over {
		return os.ErrDeadlineExceeded
	}
	return nil
}

// block is Block.
func (t *Task) block(f func()) {
	var failure any
	over := false
	go func() {
		defer func() {
			failure = recover()
			t.loop.post(func() {
				over = true
				t.loop.makeReady(t)
			})
		}()
		f()
	}()
	for !over {
		t.park()
	}
	if failure != nil {
		panic(failure)
	}
}

// together is Together.
func (t *Task) together(ctx context.Context, n int, f func(ctx context.Context, k int)) {
	left := n
	for k := range n {
		one := &Task{Context: ctx, loop: t.loop}
		t.loop.start(one, func(one *Task) {
			f(one, k)
			if left--; left == 0 {
				t.loop.makeReady(t)
			}
		})
	}
	for left > 0 {
		t.park()
	}
}

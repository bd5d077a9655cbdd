package loop

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// held is how long a wait keeps its processor of Go's scheduler. If it gives that up at once, the scheduler's monitor looks every 20 µs
// whether somebody else could use it, which costs more than the operations of a fast store. A collection of garbage ends such a wait, by a
// signal.
const held = time.Millisecond

// early is how long before a timer a longer wait ends, to go on with a processor: getting one took 70 to 100 µs.
const early = 300 * time.Microsecond

// pollNow asks for events without waiting.
func (l *Loop) pollNow() (int, unix.Errno) { return l.pollHeld(0) }

// pollUntil waits for events until the next timer.
func (l *Loop) pollUntil() (int, unix.Errno) {
	if len(l.timers) == 0 {
		if n, errno := l.pollHeld(held); n > 0 || errno != 0 {
			return n, errno
		}
		return l.pollFreely(nil)
	}
	left := time.Duration(max(0, l.timers[0].at-l.now()))
	if left <= held {
		setTimerSlack()
		return l.pollHeld(left)
	}
	if n, errno := l.pollHeld(held); n > 0 || errno != 0 || left <= held+early {
		return n, errno
	}
	l.left = unix.NsecToTimespec(int64(left - held - early)) // of the loop, so that it is not allocated
	return l.pollFreely(&l.left)
}

// setTimerSlack makes waits of this thread end in time, rather than up to 50 µs late.
func setTimerSlack() { _, _ = unix.RawSyscallNoError(unix.SYS_PRCTL, unix.PR_SET_TIMERSLACK, 1, 0) }

// pollHeld waits for events at most as long as given. It does not tell Go's scheduler.
func (l *Loop) pollHeld(limit time.Duration) (int, unix.Errno) {
	end := unix.NsecToTimespec(int64(limit))
	n, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT2, uintptr(l.poll), uintptr(unsafe.Pointer(&l.events[0])), uintptr(len(l.events)),
		uintptr(unsafe.Pointer(&end)), 0, 0)
	return count(n, errno)
}

// pollFreely waits for events, at most as long as given; nil: for as long as it takes. Meanwhile others use its processor.
func (l *Loop) pollFreely(limit *unix.Timespec) (int, unix.Errno) {
	n, _, errno := unix.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(l.poll), uintptr(unsafe.Pointer(&l.events[0])), uintptr(len(l.events)),
		uintptr(unsafe.Pointer(limit)), 0, 0)
	return count(n, errno)
}

func count(n uintptr, errno unix.Errno) (int, unix.Errno) {
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}

package loop

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// pollNow asks for events without waiting. It does not tell the scheduler, since it takes less time than that.
func (l *Loop) pollNow() (int, unix.Errno) {
	var none unix.Timespec
	n, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT2, uintptr(l.poll), uintptr(unsafe.Pointer(&l.events[0])), uintptr(len(l.events)),
		uintptr(unsafe.Pointer(&none)), 0, 0)
	return count(n, errno)
}

// pollUntil waits for events until the next timer.
func (l *Loop) pollUntil() (int, unix.Errno) {
	var end *unix.Timespec
	if len(l.timers) > 0 {
		left := l.timers[0].at - l.now()
		if left <= 0 {
			return l.pollNow()
		}
		l.left = unix.NsecToTimespec(left) // of the loop, so that it is not allocated
		end = &l.left
	}
	n, _, errno := unix.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(l.poll), uintptr(unsafe.Pointer(&l.events[0])), uintptr(len(l.events)),
		uintptr(unsafe.Pointer(end)), 0, 0)
	return count(n, errno)
}

func count(n uintptr, errno unix.Errno) (int, unix.Errno) {
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}

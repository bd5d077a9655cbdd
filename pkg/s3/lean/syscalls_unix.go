//go:build unix && (race || !(linux && (amd64 || arm64)))

package lean

import (
	"errors"
	"syscall"
)

// The race detector learns from package syscall that a write on one end of a connection happens before the read of it on the
// other. So these calls serve under it as well.

func sysRead(fd uintptr, p []byte) (int, syscall.Errno)  { return again(syscall.Read, fd, p) }
func sysWrite(fd uintptr, p []byte) (int, syscall.Errno) { return again(syscall.Write, fd, p) }

// sysPeek reports whether something can be read without waiting: bytes, an error, or the end of the connection.
func sysPeek(fd uintptr) bool {
	var one [1]byte
	_, errno := again(func(fd int, p []byte) (int, error) {
		n, _, err := syscall.Recvfrom(fd, p, syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		return n, err
	}, fd, one[:])
	return errno != syscall.EAGAIN
}

// again makes a system call, once more if a signal came between.
func again(call func(int, []byte) (int, error), fd uintptr, p []byte) (int, syscall.Errno) {
	for {
		n, err := call(int(fd), p)
		var errno syscall.Errno
		if err != nil && !errors.As(err, &errno) {
			errno = syscall.EIO
		}
		if errno != syscall.EINTR {
			return max(n, 0), errno
		}
	}
}

//go:build linux && (amd64 || arm64)

package lean

import (
	"io"
	"syscall"
	"unsafe"

	"warp/internal/clock"
)

// canDrop tells whether the system can throw received bytes away by itself.
const canDrop = true

// dropAtOnce is the most that is thrown away by one system call.
const dropAtOnce = 1 << 30

// drop has the kernel throw received bytes away, at most limit and at least one: with MSG_TRUNC a TCP socket frees them
// without copying them anywhere (tcp(7)).
func (s *socket) drop(limit int64) (int64, error) {
	s.left = limit
	for {
		err := s.raw.Read(s.onDrop)
		gone := limit - s.left
		switch {
		case err == nil && s.errno != 0:
			return gone, s.fail("read", s.errno)
		case err == nil && s.left > 0:
			return gone, io.EOF
		case err == nil:
			return gone, nil
		}
		if err = s.goOn(err, false); err != nil {
			return gone, err
		}
	}
}

// tryDrop throws away what there is, until all is gone.
func (s *socket) tryDrop(fd uintptr) bool {
	var none [1]byte // never written to
	for s.left > 0 {
		n, _, errno := syscall.Syscall6(syscall.SYS_RECVFROM, fd, uintptr(unsafe.Pointer(&none[0])),
			uintptr(min(s.left, dropAtOnce)), syscall.MSG_TRUNC|syscall.MSG_DONTWAIT, 0, 0)
		if errno == syscall.EINTR {
			continue
		}
		if errno == syscall.EAGAIN {
			return false
		}
		s.errno = errno
		if errno != 0 || n == 0 {
			return true
		}
		s.left -= int64(n)
		s.last = clock.Now()
	}
	return true
}

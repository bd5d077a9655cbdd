//go:build linux && (amd64 || arm64)

package lean

import (
	"io"
	"syscall"
	"unsafe"

	"warp/internal/clock"
)

// kernelDiscards reports whether the kernel can discard received bytes.
const kernelDiscards = true

// maxDiscard is how much one system call discards at most.
const maxDiscard = 1 << 30

// discard has the kernel discard received bytes, at most limit and at least one: with MSG_TRUNC a TCP socket frees them
// without copying them (tcp(7)).
func (s *socket) discard(limit int64) (int64, error) {
	s.left = limit
	for {
		err := s.raw.Read(s.onDiscard)
		n := limit - s.left
		switch {
		case err == nil && s.errno != 0:
			return n, s.opError("read", s.errno)
		case err == nil && s.left > 0:
			return n, io.EOF
		case err == nil:
			return n, nil
		}
		if err = s.resume(err, false); err != nil {
			return n, err
		}
	}
}

// tryDiscard discards what is available, until s.left is 0.
func (s *socket) tryDiscard(fd uintptr) bool {
	var none [1]byte // never written to
	for s.left > 0 {
		n, _, errno := syscall.Syscall6(syscall.SYS_RECVFROM, fd, uintptr(unsafe.Pointer(&none[0])),
			uintptr(min(s.left, maxDiscard)), syscall.MSG_TRUNC|syscall.MSG_DONTWAIT, 0, 0)
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

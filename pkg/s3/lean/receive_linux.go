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

// receiver is what recvmsg reads and fills in. It is part of a socket, since arguments on the stack would be allocated.
type receiver struct {
	message syscall.Msghdr
	part    syscall.Iovec
	control [6]uint64 // one control message, which is aligned: the stamp
	nothing [1]byte   // never written to

	stamped bool  // ask for stamps; it costs a small request some percent
	stamp   int64 // when the kernel had the last byte that was read, in nanoseconds of the system's clock; 0: unknown
}

// The control message of a stamp: its header, and the time (socket(7), SO_TIMESTAMPNS).
const stampLength = syscall.SizeofCmsghdr + int(unsafe.Sizeof(syscall.Timespec{}))

// askForStamps makes the kernel note when each segment arrives. Where it does not, stamps are unknown.
func (r *receiver) askForStamps(raw syscall.RawConn) error {
	r.message.Iov, r.message.Iovlen = &r.part, 1
	r.message.Control = (*byte)(unsafe.Pointer(&r.control))
	return raw.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_TIMESTAMPNS, 1)
	})
}

// receive reads what is available, and its stamp if that is wanted. The stamp is that of the last segment read completely.
func (r *receiver) receive(fd uintptr, p []byte) (int, syscall.Errno) {
	if !r.stamped {
		return sysRead(fd, p)
	}
	r.part.Base = unsafe.SliceData(p)
	r.part.SetLen(len(p))
	r.message.SetControllen(int(unsafe.Sizeof(r.control)))
	n, errno := sysReceive(fd, &r.message)
	if n > 0 {
		r.stamp = r.readStamp()
	}
	return n, errno
}

// readStamp returns the stamp of what was read last, or 0.
func (r *receiver) readStamp() int64 {
	control := (*struct {
		syscall.Cmsghdr
		at syscall.Timespec
	})(unsafe.Pointer(&r.control))
	if int(r.message.Controllen) < stampLength || control.Level != syscall.SOL_SOCKET || control.Type != syscall.SCM_TIMESTAMPNS {
		return 0
	}
	return control.at.Nano()
}

// discard has the kernel discard received bytes, at most limit and at least one: with MSG_TRUNC a TCP socket frees them
// without copying them (tcp(7)).
func (s *socket) discard(limit int64) (int64, error) {
	s.left = limit
	for {
		err := s.link.Read(s.onDiscard)
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
	for s.left > 0 {
		s.part.Base = &s.nothing[0]
		s.part.SetLen(int(min(s.left, maxDiscard)))
		s.message.SetControllen(int(unsafe.Sizeof(s.control)))
		r, _, errno := syscall.Syscall(syscall.SYS_RECVMSG, fd, uintptr(unsafe.Pointer(&s.message)), syscall.MSG_TRUNC|syscall.MSG_DONTWAIT)
		if errno == syscall.EINTR {
			continue
		}
		if errno == syscall.EAGAIN {
			return false
		}
		n := int64(r)
		s.errno = errno
		if errno != 0 || n == 0 {
			return true
		}
		s.stamp = s.readStamp()
		s.left -= n
		s.last = clock.Now()
	}
	return true
}

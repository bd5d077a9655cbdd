//go:build linux && (amd64 || arm64) && race

package lean

import (
	"syscall"
	"unsafe"
)

// sysReceive is recvmsg, which package syscall has no form of that allocates nothing. So the race detector learns of it from a
// read of nothing; see syscalls_unix.go.
func sysReceive(fd uintptr, m *syscall.Msghdr) (int, syscall.Errno) {
	for {
		n, _, errno := syscall.Syscall(syscall.SYS_RECVMSG, fd, uintptr(unsafe.Pointer(m)), syscall.MSG_DONTWAIT)
		if errno != syscall.EINTR {
			_, _ = syscall.Read(int(fd), nil)
			return int(max(0, int64(n))), errno
		}
	}
}

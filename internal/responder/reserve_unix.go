//go:build unix

package responder

import (
	"io"
	"net/netip"
	"syscall"
)

// reservePort binds the address without listening on it, so that connections are refused and no other program gets the
// port meanwhile. It is best effort: a program that is quicker keeps it.
func reservePort(address string) io.Closer {
	a, err := netip.ParseAddrPort(address)
	if err != nil || !a.Addr().Is4() {
		return reserved(-1)
	}
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		return reserved(-1)
	}
	syscall.CloseOnExec(fd)
	// Connections of the listener may still be in TIME_WAIT.
	_ = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	_ = syscall.Bind(fd, &syscall.SockaddrInet4{Port: int(a.Port()), Addr: a.Addr().As4()})
	return reserved(fd)
}

type reserved int

func (fd reserved) Close() error {
	if fd < 0 {
		return nil
	}
	return syscall.Close(int(fd))
}

//go:build unix

package bench

import "syscall"

// openFiles returns the number of files that this process may open. Go raises the limit to its maximum when a process begins.
func openFiles() (limit uint64, known bool) {
	var l syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l)
	return uint64(l.Cur), err == nil //nolint:unconvert // it is signed on FreeBSD
}

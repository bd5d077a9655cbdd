//go:build darwin || freebsd || netbsd || openbsd

package terminal

import "golang.org/x/sys/unix"

// Requests to read and change a terminal's mode.
const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
)

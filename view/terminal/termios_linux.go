package terminal

import "golang.org/x/sys/unix"

// Requests to read and change a terminal's mode.
const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
)

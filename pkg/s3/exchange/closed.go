package exchange

import (
	"errors"
	"io"
	"slices"
	"syscall"
)

// resets are the system's errors of a connection that the other side has closed, of Windows last.
var resets = []syscall.Errno{syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED, 10054, 10053}

// Closed reports whether an error means that the server closed the connection or reset it.
func Closed(err error) bool {
	if errors.Is(err, ErrBody) {
		return false
	}
	var errno syscall.Errno
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &errno) && slices.Contains(resets, errno)
}

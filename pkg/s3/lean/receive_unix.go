//go:build unix && !(linux && (amd64 || arm64))

package lean

import (
	"errors"
	"syscall"
)

// kernelDiscards reports whether the kernel can discard received bytes.
const kernelDiscards = false

// receiver reads from a socket.
type receiver struct {
	stamped bool
	stamp   int64 // always 0, unknown: when the kernel had the last byte that was read
}

func (r *receiver) askForStamps(syscall.RawConn) error { return nil }

func (r *receiver) receive(fd uintptr, p []byte) (int, syscall.Errno) { return sysRead(fd, p) }

func (s *socket) discard(int64) (int64, error) { return 0, errors.ErrUnsupported }
func (s *socket) tryDiscard(uintptr) bool      { return true }

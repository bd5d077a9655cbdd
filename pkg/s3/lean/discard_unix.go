//go:build unix && !(linux && (amd64 || arm64))

package lean

import "errors"

// kernelDiscards reports whether the kernel can discard received bytes.
const kernelDiscards = false

func (s *socket) discard(int64) (int64, error) { return 0, errors.ErrUnsupported }
func (s *socket) tryDiscard(uintptr) bool      { return true }

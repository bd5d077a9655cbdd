//go:build unix && !(linux && (amd64 || arm64))

package lean

import "errors"

// canDrop tells whether the system can throw received bytes away by itself.
const canDrop = false

func (s *socket) drop(int64) (int64, error) { return 0, errors.ErrUnsupported }
func (s *socket) tryDrop(uintptr) bool      { return true }

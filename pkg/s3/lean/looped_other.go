//go:build !linux

package lean

import (
	"context"
	"errors"
	"net/netip"

	"warp/pkg/load/loop"
)

// loops reports whether this system has them.
const loops = false

func (t *Target) dialLooped(context.Context, *loop.Task, netip.AddrPort, int) (*socket, error) {
	return nil, errors.ErrUnsupported
}

//go:build !linux

package lean

import (
	"context"
	"errors"
	"net/netip"

	"warp/pkg/load/loop"
)

// dialLooped is for Linux: no other system has tasks.
func (t *Target) dialLooped(context.Context, *loop.Task, netip.AddrPort, int) (*socket, error) {
	return nil, errors.ErrUnsupported
}

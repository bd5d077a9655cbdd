package lean

import (
	"context"
	"net"
	"net/netip"
	"time"

	"warp/internal/clock"
	"warp/pkg/load/loop"
)

// resolveEvery is how long the addresses of a name are used before they are looked up again.
const resolveEvery = 10 * time.Second

// resolver keeps the addresses of one name. It is safe for concurrent use.
type resolver struct {
	name string
	lock chan struct{} // guards the rest; unlike a mutex it can be given up when a context ends

	addrs []netip.Addr
	until time.Time
}

func newResolver(name string) *resolver { return &resolver{name: name, lock: make(chan struct{}, 1)} }

// addresses returns the addresses in the order that connection n should try them in: first the family that the system
// prefers, rotated by n, then the others.
func (r *resolver) addresses(ctx context.Context, n int) ([]netip.Addr, error) {
	addrs, err := r.all(ctx)
	if err != nil {
		return nil, err
	}
	family := 0
	for family < len(addrs) && addrs[family].Is4() == addrs[0].Is4() {
		family++
	}
	order := make([]netip.Addr, 0, len(addrs))
	for i := range family {
		order = append(order, addrs[(n+i)%family])
	}
	return append(order, addrs[family:]...), nil
}

func (r *resolver) all(ctx context.Context) (addrs []netip.Addr, err error) {
	if a, err := netip.ParseAddr(r.name); err == nil {
		return []netip.Addr{a}, nil
	}
	loop.Block(ctx, func(ctx context.Context) { addrs, err = r.lookUp(ctx) })
	return addrs, err
}

func (r *resolver) lookUp(ctx context.Context) ([]netip.Addr, error) {
	select {
	case r.lock <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-r.lock }()
	if len(r.addrs) > 0 && clock.Now().Before(r.until) {
		return r.addrs, nil
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", r.name)
	if err != nil {
		return nil, err
	}
	for i, a := range addrs {
		addrs[i] = a.Unmap()
	}
	r.addrs, r.until = addrs, clock.Now().Add(resolveEvery)
	return addrs, nil
}

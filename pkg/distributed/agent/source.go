package agent

import (
	"cmp"
	"context"
	"net"
	"net/netip"
	"time"

	"warp/pkg/s3/target"
)

// resolveTime bounds how long names of hosts are looked up for sourceAddress.
const resolveTime = 5 * time.Second

var ipv4Loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// sourceAddress returns the address that connections to the hosts leave from: the one that the client listens on, as machines with several
// networks have a client for each. Empty: the system chooses, as it listens on all, or no host is in its network: IPv4 or IPv6, loopback or
// not.
func sourceAddress(ctx context.Context, listen netip.AddrPort, hosts []string) string {
	source := listen.Addr().Unmap()
	usual := source == netip.IPv6Loopback() || source == ipv4Loopback // the system chooses these anyway
	if !source.IsValid() || source.IsUnspecified() || usual {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, resolveTime)
	defer cancel()
	addresses, names, err := target.ResolveHosts(ctx, hosts, net.DefaultResolver.LookupNetIP)
	if err != nil { // the run will say so
		return ""
	}
	reached := map[string]bool{}
	for _, a := range addresses {
		host := cmp.Or(names[a], a)
		reached[host] = reached[host] || sameNetwork(source, a)
	}
	for _, ok := range reached {
		if !ok {
			return ""
		}
	}
	return source.String()
}

// sameNetwork reports whether connections to a host can leave from an address.
func sameNetwork(source netip.Addr, host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil { // no port is given
		name = host
	}
	if n := len(name); n > 1 && name[0] == '[' {
		name = name[1 : n-1]
	}
	a, err := netip.ParseAddr(name)
	return err == nil && a.Is4() == source.Is4() && a.IsLoopback() == source.IsLoopback()
}

package target

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// ResolveHosts replaces each name among hosts by all of its addresses, so that each of them is a host of its own: chosen,
// loaded and reported by itself. names has the name of each new host in requests (Config.Names). Addresses are kept as
// they are, duplicates are dropped, the order is kept. lookup is net.Resolver.LookupNetIP for network "ip".
func ResolveHosts(
	ctx context.Context, hosts []string, lookup func(ctx context.Context, network, name string) ([]netip.Addr, error),
) (resolved []string, names map[string]string, err error) {
	seen, names := map[string]bool{}, map[string]string{}
	for _, host := range hosts {
		name, port, err := net.SplitHostPort(host)
		if err != nil { // no port is given
			name, port = host, ""
		}
		if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
			if !seen[host] {
				seen[host] = true
				resolved = append(resolved, host)
			}
			continue
		}
		addrs, err := lookup(ctx, "ip", name)
		if err != nil {
			return nil, nil, fmt.Errorf("host %q: %w", host, err)
		}
		for _, a := range addrs {
			one := joinHost(a.Unmap(), port)
			if seen[one] {
				continue
			}
			seen[one], names[one] = true, host
			resolved = append(resolved, one)
		}
	}
	if len(resolved) > MaxHosts {
		return nil, nil, fmt.Errorf("the names of the hosts have more than %d addresses", MaxHosts)
	}
	return resolved, names, nil
}

// joinHost writes an address as ExpandHosts writes hosts.
func joinHost(a netip.Addr, port string) string {
	switch {
	case port != "":
		return net.JoinHostPort(a.String(), port)
	case a.Is6():
		return "[" + a.String() + "]"
	}
	return a.String()
}

package target_test

import (
	"context"
	"maps"
	"net"
	"net/netip"
	"slices"
	"testing"

	"warp/pkg/s3/target"
)

func TestResolveHosts(t *testing.T) {
	lookup := func(_ context.Context, _, name string) ([]netip.Addr, error) {
		all := map[string][]netip.Addr{
			"one":  {netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("::ffff:10.0.0.2")},
			"six":  {netip.MustParseAddr("fd00::1")},
			"same": {netip.MustParseAddr("10.0.0.2"), netip.MustParseAddr("10.0.0.3")},
		}
		if a := all[name]; a != nil {
			return a, nil
		}
		return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	}
	hosts, names, err := target.ResolveHosts(t.Context(), []string{"one:9000", "192.168.0.1:80", "six", "six:9000", "[fd00::2]", "[fd00::2]:1", "same:9000", "192.168.0.1:80"}, lookup)
	want := []string{"10.0.0.1:9000", "10.0.0.2:9000", "192.168.0.1:80", "[fd00::1]", "[fd00::1]:9000", "[fd00::2]", "[fd00::2]:1", "10.0.0.3:9000"}
	wantNames := map[string]string{"10.0.0.1:9000": "one:9000", "10.0.0.2:9000": "one:9000", "[fd00::1]": "six", "[fd00::1]:9000": "six:9000", "10.0.0.3:9000": "same:9000"}
	if err != nil || !slices.Equal(hosts, want) || !maps.Equal(names, wantNames) {
		t.Errorf("%v\n%q, want\n%q\n%v", err, hosts, want, names)
	}
	if _, _, err := target.ResolveHosts(t.Context(), []string{"none:1"}, lookup); err == nil || err.Error() != `host "none:1": lookup none: no such host` {
		t.Errorf("%v", err)
	}
}

package agent

import (
	"net/netip"
	"testing"
)

func TestSourceAddress(t *testing.T) {
	for _, c := range []struct {
		listen string
		want   string
		hosts  []string
	}{
		{"10.0.0.2:7761", "10.0.0.2", []string{"10.0.0.9:9000", "192.168.0.1"}},
		{"[2001:db8::2]:7761", "2001:db8::2", []string{"[2001:db8::1]", "[2001:db8::9]:9000"}},
		{"127.0.0.2:7761", "127.0.0.2", []string{"127.0.0.1:9000"}},
		{"0.0.0.0:7761", "", []string{"10.0.0.9:9000"}},
		{"[::]:7761", "", []string{"10.0.0.9:9000"}},
		{"127.0.0.1:7761", "", []string{"127.0.0.1:9000"}},
		{"[::1]:7761", "", []string{"[::1]:9000"}},
		{"127.0.0.2:7761", "", []string{"10.0.0.9:9000"}},
		{"10.0.0.2:7761", "", []string{"10.0.0.9:9000", "127.0.0.1:9000"}},
		{"10.0.0.2:7761", "", []string{"[2001:db8::9]:9000"}},
		{"10.0.0.2:7761", "", []string{"no such name.invalid:9000"}},
	} {
		if got := sourceAddress(t.Context(), netip.MustParseAddrPort(c.listen), c.hosts); got != c.want {
			t.Errorf("%s to %q: from %q, want %q", c.listen, c.hosts, got, c.want)
		}
	}
}

// works: MinIO warp: a client listens on `127.0.0.1:7761`
func TestDefaultAddress(t *testing.T) {
	a, err := New(Options{})
	if err != nil || a.opts.Listen != "127.0.0.1:7761" {
		t.Errorf("a client without an address listens on %q, %v", a.opts.Listen, err)
	}
}

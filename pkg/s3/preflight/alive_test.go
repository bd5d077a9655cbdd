package preflight_test

import (
	"net"
	"slices"
	"strings"
	"testing"

	"warp/internal/responder"
	"warp/pkg/s3"
	"warp/pkg/s3/internal/s3test"
	"warp/pkg/s3/preflight"
)

// Hosts that do not answer are left out where that is allowed, and named; what answers with an error stays.
func TestHostsThatAreDownAreLeftOut(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	one, two := s3test.Serve(t, responder.Options{}).Host(), s3test.Serve(t, responder.Options{Buckets: []string{"other"}}).Host()
	for _, tc := range []struct {
		least int
		want  []string
		fails string
	}{{0, []string{one, dead, two}, ""}, {2, []string{one, two}, ""}, {3, nil, "--min-hosts: 2 of 3 hosts answer, want at least 3; http://" + dead + ": nothing listens there"}} {
		cfg := s3.Config{Hosts: []string{one, dead, two}, Bucket: "bucket", MinHosts: tc.least}
		notices, err := preflight.DropUnresponsive(t.Context(), &cfg)
		switch {
		case tc.fails != "":
			if err == nil || !strings.Contains(err.Error(), tc.fails) {
				t.Errorf("%d: %v, want %q", tc.least, err, tc.fails)
			}
			continue
		case err != nil || !slices.Equal(cfg.Hosts, tc.want):
			t.Errorf("%d: %v, %q", tc.least, err, cfg.Hosts)
		}
		if tc.least > 0 && (len(notices) != 1 || !strings.Contains(notices[0], "a host is left out: http://"+dead)) {
			t.Errorf("notices: %q", notices)
		}
	}
}

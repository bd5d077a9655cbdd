package flags

import (
	"strings"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3"
	"warp/pkg/s3/target"
)

// TestEnds: credentials that end before a run does are said, unless they are renewed; clients have them as they are.
func TestEnds(t *testing.T) {
	soon, late := clock.Wall().Add(time.Minute), clock.Wall().Add(24*time.Hour)
	for name, tc := range map[string]struct {
		end              time.Time
		renewed, clients bool
		want             bool
	}{
		"not known":            {},
		"later":                {end: late},
		"earlier":              {end: soon, want: true},
		"renewed":              {end: soon, renewed: true},
		"renewed, but clients": {end: soon, renewed: true, clients: true, want: true},
		"later, with clients":  {end: late, renewed: true, clients: true},
	} {
		c := s3.Config{KeySource: "--sas-token", KeysEnd: tc.end}
		if tc.renewed {
			c.Provider = &target.Provider{}
		}
		got := Ends(&c, time.Hour, tc.clients)
		if (got != "") != tc.want || strings.HasSuffix(got, "clients cannot renew them.") != (tc.want && tc.renewed) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

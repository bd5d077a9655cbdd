package preflight_test

import (
	"errors"
	"testing"

	"warp/internal/responder"
	"warp/internal/responder/gcsjson"
	"warp/internal/responder/stores"
	"warp/pkg/s3/internal/s3test"
	"warp/pkg/s3/preflight"
)

// TestZonal: a bucket of Google's in one zone, which takes gRPC only, is refused before a run; others are not.
func TestZonal(t *testing.T) {
	for zonal, want := range map[bool]string{false: "", true: "the bucket is a zonal one, which takes gRPC only"} {
		s3test.EachEngine(t, func(t *testing.T, open s3test.Opener) {
			r := s3test.Serve(t, responder.Options{Keep: true, Dialect: gcsjson.New(gcsjson.Options{Zonal: zonal})})
			cfg := stores.GoogleJSON()
			cfg.Hosts = []string{r.Host()}
			_, err := preflight.Open(open(t, cfg)).Ensure(t.Context())
			var d *preflight.Diagnosis
			switch {
			case want == "" && err != nil:
				t.Error(err)
			case want != "" && (!errors.As(err, &d) || d.Problem != want || d.Host == ""):
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}

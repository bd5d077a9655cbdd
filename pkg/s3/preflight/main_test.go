package preflight_test

import (
	"errors"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"warp/internal/testkit"
	"warp/pkg/s3"
	"warp/pkg/s3/internal/s3test"
	"warp/pkg/s3/preflight"
)

func TestMain(m *testing.M) {
	testkit.Parallel(16) // tests wait more than they compute
	goleak.VerifyTestMain(m)
}

// bucket opens the bucket of a new store.
func bucket(t testing.TB, cfg s3.Config) *preflight.Bucket {
	t.Helper()
	return preflight.Open(s3test.Open(t, cfg))
}

func wantDiagnosis(t *testing.T, err error, want ...string) {
	t.Helper()
	var d *preflight.Diagnosis
	if !errors.As(err, &d) {
		t.Fatalf("%v is no diagnosis", err)
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
	if s := err.Error(); strings.Contains(s, "\n") || len(s) > 700 || strings.Contains(s, "SECRETVALUE") {
		t.Errorf("%q is not one fair line", s)
	}
}

package lean

import (
	"testing"

	"go.uber.org/goleak"

	"warp/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.Parallel(8) // tests wait more than they compute
	goleak.VerifyTestMain(m)
}

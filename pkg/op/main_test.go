package op

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// when is a time of an ordinary day, ns nanoseconds later.
func when(ns int64) time.Time {
	return time.Date(2026, 11, 21, 3, 56, 21, 0, time.UTC).Add(time.Duration(ns))
}

package doctor

import (
	"testing"
	"time"
)

// LeftAfter sets how old an examination is that has certainly ended.
func LeftAfter(t *testing.T, d time.Duration) {
	t.Helper()
	before := leftAfter
	leftAfter = d
	t.Cleanup(func() { leftAfter = before })
}

package aggregate

import (
	"testing"

	"warp/pkg/op"
)

// twoPasses is the figures by definition: the windows first.
func twoPasses(t testing.TB, opts Options, ops []op.Op) (*Windows, *Snapshot) {
	t.Helper()
	b := NewBounds(opts)
	_ = b.Write(ops)
	a := New(opts, b.Windows())
	_ = a.Write(ops)
	return b.Windows(), a.Snapshot()
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

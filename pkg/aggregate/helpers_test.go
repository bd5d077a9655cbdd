package aggregate

import (
	"slices"
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

func byEnd(a, b op.Op) int { return a.End.Compare(b.End) }

// ordered is ops in another order.
func ordered(ops []op.Op, order func(a, b op.Op) int) []op.Op {
	ops = slices.Clone(ops)
	slices.SortStableFunc(ops, order)
	return ops
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

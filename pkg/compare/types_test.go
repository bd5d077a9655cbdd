package compare

import (
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/aggregate"
	"warp/pkg/op"
)

func TestTypesOfOneSide(t *testing.T) {
	testkit.SkipSerial(t)
	mixed := append(gets(1, 5*time.Millisecond).ops(), load{seed: 2, kind: op.Stat, seconds: 40, level: time.Millisecond}.ops()...)
	mixed = append(mixed, load{seed: 3, kind: op.Put, phase: op.PhasePrepare, seconds: 10, level: 5 * time.Millisecond, bytes: 1 << 20}.ops()...)
	other := append(gets(4, 5*time.Millisecond).ops(), load{seed: 5, kind: op.Delete, seconds: 40, level: time.Millisecond}.ops()...)
	c := compared(t, snapshots{snapshotOf(t, mixed)}, snapshots{snapshotOf(t, other)}, Options{})
	if want := []Name{{Kind: op.Stat}, {Phase: op.PhasePrepare, Kind: op.Put}}; !sameNames(c.OnlyBefore, want) {
		t.Errorf("only before: %v, want %v", c.OnlyBefore, want)
	}
	if want := []Name{{Kind: op.Delete}}; !sameNames(c.OnlyAfter, want) {
		t.Errorf("only after: %v, want %v", c.OnlyAfter, want)
	}
	total := change(t, c, Name{Total: true}, "objects")
	if len(c.Kinds) != 2 || total.Primary {
		t.Errorf("%d types, the total is primary: %v", len(c.Kinds), total.Primary)
	}
	back := compared(t, snapshots{snapshotOf(t, other)}, snapshots{snapshotOf(t, mixed)}, Options{})
	if !sameNames(back.OnlyAfter, c.OnlyBefore) || !sameNames(back.OnlyBefore, c.OnlyAfter) {
		t.Errorf("the other way: %v and %v", back.OnlyBefore, back.OnlyAfter)
	}
	nothing := compared(t, snapshots{{Version: aggregate.Version}}, snapshots{{Version: aggregate.Version}}, Options{})
	if len(nothing.Kinds) != 0 {
		t.Error("nothing has types")
	}
}

func sameNames(a, b []Name) bool {
	if len(a) != len(b) {
		return false
	}
	seen := make(map[Name]bool)
	for _, n := range a {
		seen[n] = true
	}
	for _, n := range b {
		if !seen[n] {
			return false
		}
	}
	return true
}

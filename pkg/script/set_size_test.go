package script

import (
	"testing"

	"warp/pkg/bench"
	"warp/pkg/generator"
)

// TestSizeOfASet: the size of a data set that states none does not depend on the order of its operations.
func TestSizeOfASet(t *testing.T) {
	small, large := generator.Spec{}, generator.Spec{}
	small.Sizes.Max, large.Sizes.Max = 1000, 10<<20
	for _, order := range [][]generator.Spec{{small, large}, {large, small}, {small, large, small}} {
		a := assembly{out: &Resolved{Plan: &bench.Plan{}}}
		for _, data := range order {
			a.addSet("p", data)
		}
		if got := a.out.Plan.Sets["p"].Sizes.Max; got != 10<<20 {
			t.Errorf("%d bytes, want the largest", got)
		}
	}
}

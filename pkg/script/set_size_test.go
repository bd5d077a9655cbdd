package script

import (
	"testing"

	"warp/pkg/generator"
)

// TestSizeOfASet: the size of a data set that states none does not depend on the order of its operations.
func TestSizeOfASet(t *testing.T) {
	small, large := generator.Spec{}, generator.Spec{}
	small.Sizes.Max, large.Sizes.Max = 1000, 10<<20
	for _, order := range [][]generator.Spec{{small, large}, {large, small}, {small, large, small}} {
		sets := map[string]generator.Spec{}
		for _, data := range order {
			addSet(sets, "p", data)
		}
		if got := sets["p"].Sizes.Max; got != 10<<20 {
			t.Errorf("%d bytes, want the largest", got)
		}
	}
}

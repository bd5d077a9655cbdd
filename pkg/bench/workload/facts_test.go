package workload

import (
	"testing"

	"warp/pkg/bench/work"
)

// TestFacts: each operation of a workload has a row in the table of facts.
func TestFacts(t *testing.T) {
	for _, kind := range work.Kinds() {
		if _, known := kind.Facts(); !known {
			t.Errorf("%s has no row", kind)
		}
	}
}

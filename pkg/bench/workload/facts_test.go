package workload

import (
	"testing"

	"warp/pkg/bench/work"
)

// TestFacts: each operation of a workload has a row in the table of facts, or consists of others.
func TestFacts(t *testing.T) {
	for _, kind := range work.Kinds() {
		if _, known := kind.Facts(); known == kind.Whole() {
			t.Errorf("%s: known %v, consists of others %v", kind, known, kind.Whole())
		}
	}
}

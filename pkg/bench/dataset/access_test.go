package dataset_test

import (
	"slices"
	"testing"

	"warp/pkg/bench/internal/benchtest"
	"warp/pkg/generator"
)

func TestPickReadsEachObjectOnceInAPass(t *testing.T) {
	s := benchtest.Set(t, 7, 97, 4, generator.Spec{})
	var passes [2][]string
	for p := range passes {
		seen := map[string]bool{}
		for turn := range uint64(97) {
			o := s.Pick(uint64(p)*97 + turn)
			seen[o.Key] = true
			passes[p] = append(passes[p], o.Key)
		}
		if len(seen) != 97 {
			t.Errorf("pass %d read %d different objects of 97", p, len(seen))
		}
	}
	if slices.Equal(passes[0], passes[1]) {
		t.Error("both passes read in the same order")
	}
}

func TestSeedDecides(t *testing.T) {
	keys := func(seed uint64) (k []string) {
		s := benchtest.Set(t, seed, 50, 4, generator.Spec{})
		for turn := range uint64(100) {
			k = append(k, s.Pick(turn).Key)
		}
		return k
	}
	if !slices.Equal(keys(1), keys(1)) {
		t.Error("one seed gave two sequences")
	}
	for _, k := range keys(2) {
		if slices.Contains(keys(1), k) {
			t.Fatalf("two seeds share the key %s", k)
		}
	}
}

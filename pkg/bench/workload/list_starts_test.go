package workload

import (
	"testing"

	"warp/pkg/bench/dataset"
	"warp/pkg/generator"
)

// TestStarts: what follows each start is what a look at each key counts, whether threads have directories of their own or share one; so too where
// several begin after the same key.
func TestStarts(t *testing.T) {
	for _, threads := range []int{1, 3, 20} {
		for _, noPrefix := range []bool{false, true} {
			for _, objects := range []uint64{1, 2, 17, 500} {
				spec := generator.Spec{NoPrefix: noPrefix}
				layout, err := dataset.NewLayout(spec, generator.NewKeys(spec, 5, threads).Of(0), 5, 5, 0)
				if err != nil {
					t.Fatal(err)
				}
				set := dataset.New(layout, dataset.Options{Part: dataset.SoleClient, Capacity: &dataset.Capacity{}}).View(dataset.NewAccess(objects, 0, 5))
				list := make([]listing, threads)
				setStarts(set, list)
				for id := range list {
					checkStarts(t, set, id, list[id].starts)
				}
			}
		}
	}
}

func checkStarts(t *testing.T, set *dataset.DataSet, id int, starts []start) {
	t.Helper()
	dir, n := directory(set, id)
	if uint64(len(starts)) != min(n, maxStarts) {
		t.Fatalf("%d starts among %d objects", len(starts), n)
	}
	for _, s := range starts {
		want, there := uint64(0), false
		for i := range set.Names() {
			if key := set.Keys.Key(i); set.Keys.DirOf(i) == dir {
				there = there || key == s.after
				if key > s.after {
					want++
				}
			}
		}
		if !there || s.n != want {
			t.Errorf("thread %d, %d objects: after %q (there: %v) come %d, want %d", id, n, s.after, there, s.n, want)
		}
	}
}

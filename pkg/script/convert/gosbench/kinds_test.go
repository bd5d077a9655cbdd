package gosbench

import (
	"reflect"
	"testing"
)

// TestDivide: the objects of each kind are as many as if they were given out one by one.
func TestDivide(t *testing.T) {
	for _, c := range []struct {
		weights []uint64
		objects uint64
		counts  []uint64
		shares  []uint64
	}{
		{[]uint64{20, 80}, 10, []uint64{2, 8}, []uint64{20, 80}},
		{[]uint64{20, 80}, 7, []uint64{2, 5}, []uint64{2, 5}},
		{[]uint64{20, 80}, 1, []uint64{1, 0}, []uint64{1, 0}},
		{[]uint64{1, 1, 1}, 3_000_001, []uint64{1_000_000, 1_000_000, 1_000_001}, []uint64{1_000_000, 1_000_000, 1_000_001}},
		{[]uint64{maxWeight, maxWeight}, 4, []uint64{2, 2}, []uint64{maxWeight, maxWeight}},
	} {
		kinds := make([]kind, len(c.weights))
		for i, w := range c.weights {
			kinds[i].weight = w
		}
		divide(kinds, c.objects)
		counts := []uint64{}
		for _, k := range kinds {
			counts = append(counts, k.count)
		}
		if shares := weights(kinds); !reflect.DeepEqual(counts, c.counts) || !reflect.DeepEqual(shares, c.shares) {
			t.Errorf("%d objects by %v: %v in shares of %v, want %v and %v", c.objects, c.weights, counts, shares, c.counts, c.shares)
		}
	}
}

package work

import (
	"slices"
	"testing"
)

// The turns of an alternative have the numbers 0, 1, 2, ... of its own, however fine the shares are.
func TestProportionsOf(t *testing.T) {
	for _, c := range []struct {
		shares []Share
		slots  int
		want   []uint64 // of each alternative, in as many turns as there are slots
	}{
		{[]Share{45, 30, 15, 10}, 1000, []uint64{450, 300, 150, 100}},
		{[]Share{1, 1, 1}, 1000, []uint64{334, 333, 333}},
		{[]Share{99.95, 0.05}, 10_000, []uint64{9995, 5}},
		{[]Share{1e5 - 1, 1}, 100_000, []uint64{99_999, 1}},
	} {
		slots := Slots(c.shares)
		p := NewProportionsOf(3, slots, c.shares)
		if slots != c.slots || !slices.Equal(p.counts, c.want) {
			t.Errorf("%v: %v of %d turns, want %v of %d", c.shares, p.counts, slots, c.want, c.slots)
		}
		next := make([]uint64, len(c.shares))
		for turn := range uint64(2 * slots) {
			k, before := p.Of(turn)
			if k != p.At(turn) || before != next[k] {
				t.Fatalf("%v: turn %d is number %d of %d, want number %d of %d", c.shares, turn, before, k, next[k], p.At(turn))
			}
			next[k]++
		}
	}
}

func TestProportions(t *testing.T) {
	for _, c := range []struct {
		shares []Share
		want   []int
	}{
		{[]Share{45, 30, 15, 10}, []int{450, 300, 150, 100}},
		{[]Share{1, 1, 1, 0}, []int{334, 333, 333, 0}},
		{[]Share{0, 0, 5, 0}, []int{0, 0, 1000, 0}},
		{[]Share{0.3, 0.3, 0.3, 0.1}, []int{300, 300, 300, 100}},
	} {
		p := NewProportions(5, c.shares...)
		got := make([]int, len(c.shares))
		for turn := range uint64(1000) {
			got[p.At(turn)]++
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("shares %v: got %v of 1000 turns, want %v", c.shares, got, c.want)
		}
		if slices.Equal(p.slots, NewProportions(6, c.shares...).slots) && c.shares[0] > 0 {
			t.Errorf("shares %v: the seed does not shuffle", c.shares)
		}
	}
}

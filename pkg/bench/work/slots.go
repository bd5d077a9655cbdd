package work

import (
	"math"
	"slices"
)

// MaxSlots is the finest resolution of weights.
const MaxSlots = 100_000

// Slots returns the number of turns that represent all shares within half a percent.
func Slots(shares []Share) int {
	sum := Share(0)
	for _, s := range shares {
		sum += s
	}
	for slots := proportionSlots; slots < MaxSlots; slots *= 10 {
		if !slices.ContainsFunc(shares, func(s Share) bool {
			want := float64(s / sum * Share(slots))
			return math.Abs(math.Round(want)-want) > want/200
		}) {
			return slots
		}
	}
	return MaxSlots
}

package bench

import "warp/pkg/generator"

// Proportions choose one of several things for each turn, by their shares: exactly in each thousand turns, and shuffled by
// a seed.
type Proportions struct{ slots []uint8 }

// proportionSlots is how fine shares are kept: a thousandth each.
const proportionSlots = 1000

// NewProportions makes the choice among as many things as there are shares, at most 256. Rounding gives what is left over to
// those that lost most (largest remainder), so that the slots are exactly filled.
func NewProportions(seed uint64, shares ...Share) Proportions {
	sum := Share(0)
	for _, s := range shares {
		sum += s
	}
	counts, left := make([]int, len(shares)), proportionSlots
	for i, s := range shares {
		counts[i] = int(s / sum * proportionSlots)
		left -= counts[i]
	}
	for ; left > 0; left-- {
		best, most := 0, Share(-1)
		for i, s := range shares {
			if rest := s/sum*proportionSlots - Share(counts[i]); s > 0 && rest > most {
				best, most = i, rest
			}
		}
		counts[best]++
	}
	order := generator.NewPermutation(proportionSlots, seed)
	slots := make([]uint8, proportionSlots)
	place := uint64(0)
	for i, n := range counts {
		for range n {
			slots[order.At(place)] = uint8(i)
			place++
		}
	}
	return Proportions{slots}
}

// At is the number of the thing to do in a turn.
func (p Proportions) At(turn uint64) int { return int(p.slots[turn%proportionSlots]) }

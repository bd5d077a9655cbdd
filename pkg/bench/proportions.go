package bench

import "warp/pkg/generator"

// Proportions choose one of several alternatives for each turn, by their shares: exactly in each thousand turns, shuffled by
// a seed.
type Proportions struct{ slots []uint8 }

// proportionSlots is the resolution of shares: a thousandth.
const proportionSlots = 1000

// NewProportions returns the choice among as many alternatives as there are shares, at most 256. Rounding gives the rest to
// those with the largest remainders, so that the slots are exactly filled.
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

// At returns the index of the alternative for a turn.
func (p Proportions) At(turn uint64) int { return int(p.slots[turn%proportionSlots]) }

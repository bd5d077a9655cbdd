package work

import (
	"slices"

	"warp/pkg/generator"
)

// Proportions choose an alternative for each turn, by shares: exactly in each round of slots (usually a thousand turns), shuffled by a
// seed. They are stratified, not drawn: no alternative comes in bursts.
type Proportions struct {
	slots  []uint32 // alternative, and how many slots before this one have the same
	counts []uint64 // slots of each alternative
}

// proportionSlots is the resolution of shares: a thousandth.
const proportionSlots = 1000

// A slot holds the alternative in its low bits, and its rank above.
const alternativeBits = 8

// NewProportions returns the choice among alternatives, one for each share, at most 256. Rounding gives the remaining slots to the
// largest remainders, so that all slots are filled.
func NewProportions(seed uint64, shares ...Share) Proportions {
	return NewProportionsOf(seed, proportionSlots, shares)
}

// NewProportionsOf is NewProportions with another resolution.
func NewProportionsOf(seed uint64, slots int, shares []Share) Proportions {
	sum := Share(0)
	for _, s := range shares {
		sum += s
	}
	p := Proportions{make([]uint32, slots), make([]uint64, len(shares))}
	left := slots
	for i, s := range shares {
		p.counts[i] = uint64(s / sum * Share(slots))
		left -= int(p.counts[i])
	}
	for ; left > 0; left-- {
		best, highest := 0, Share(-1)
		for i, s := range shares {
			if rest := s/sum*Share(slots) - Share(p.counts[i]); s > 0 && rest > highest {
				best, highest = i, rest
			}
		}
		p.counts[best]++
	}
	order, place := generator.NewPermutation(uint64(slots), seed), uint64(0)
	for i, n := range p.counts {
		for range n {
			p.slots[order.At(place)] = uint32(i)
			place++
		}
	}
	ranks := make([]uint32, len(shares))
	for k, i := range p.slots {
		p.slots[k] |= ranks[i] << alternativeBits
		ranks[i]++
	}
	return p
}

// At returns the index of the alternative for a turn.
func (p Proportions) At(turn uint64) int {
	return int(uint8(p.slots[turn%uint64(len(p.slots))]))
}

// Of returns the index of the alternative for a turn, and the number of earlier turns with the same alternative.
func (p Proportions) Of(turn uint64) (alternative int, before uint64) {
	n := uint64(len(p.slots))
	slot := p.slots[turn%n]
	alternative = int(uint8(slot))
	return alternative, turn/n*p.counts[alternative] + uint64(slot>>alternativeBits)
}

// Least returns the number of slots of the rarest alternative.
func (p Proportions) Least() uint64 { return slices.Min(p.counts) }

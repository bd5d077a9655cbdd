package dataset

import "math/bits"

// blockNumbers is the size of a block of gaps.
const blockNumbers = 4096

// Gaps is a set of numbers that are left out of 0, 1, 2, ... It costs a bit for each number near a gap, and finds the k-th number
// that is no gap in logarithmic time. The zero value has no gaps.
type Gaps struct {
	blocks []*[blockNumbers / 64]uint64 // nil: no gap
	tree   []uint32                     // Fenwick tree of the gaps of blocks; tree[0] is not used
	n      uint64
}

// Has reports whether i is a gap.
func (g *Gaps) Has(i uint64) bool {
	b := i / blockNumbers
	return b < uint64(len(g.blocks)) && g.blocks[b] != nil && g.blocks[b][i%blockNumbers/64]&(1<<(i%64)) != 0
}

// Set makes i a gap, or no longer one.
func (g *Gaps) Set(i uint64, gap bool) {
	if g.Has(i) == gap {
		return
	}
	b := i / blockNumbers
	for uint64(len(g.blocks)) <= b {
		g.grow()
	}
	if g.blocks[b] == nil {
		g.blocks[b] = new([blockNumbers / 64]uint64)
	}
	g.blocks[b][i%blockNumbers/64] ^= 1 << (i % 64)
	by := uint32(1)
	if gap {
		g.n++
	} else {
		g.n--
		by = ^uint32(0) // -1
	}
	for k := b + 1; k < uint64(len(g.tree)); k += k & -k {
		g.tree[k] += by
	}
}

// grow adds a block.
func (g *Gaps) grow() {
	if len(g.tree) == 0 {
		g.tree = append(g.tree, 0)
	}
	k, sum := len(g.tree), uint32(0)
	for below := 1; below < k&-k; below *= 2 {
		sum += g.tree[k-below]
	}
	g.blocks, g.tree = append(g.blocks, nil), append(g.tree, sum)
}

// nth returns the k-th number that is no gap, from 0.
func (g *Gaps) nth(k uint64) uint64 {
	if g.n == 0 {
		return k
	}
	b := 0 // blocks that are skipped
	for step := 1 << bits.Len(uint(len(g.tree))); step > 0; step /= 2 {
		if next := b + step; next < len(g.tree) {
			if there := uint64(step)*blockNumbers - uint64(g.tree[next]); there <= k {
				b, k = next, k-there
			}
		}
	}
	first := uint64(b) * blockNumbers
	if b >= len(g.blocks) || g.blocks[b] == nil {
		return first + k
	}
	for w, word := range g.blocks[b] {
		there := uint64(64 - bits.OnesCount64(word))
		if k >= there {
			k -= there
			continue
		}
		for free := ^word; ; free &= free - 1 {
			if k == 0 {
				return first + uint64(w)*64 + uint64(bits.TrailingZeros64(free))
			}
			k--
		}
	}
	return first + blockNumbers + k // not reached: the block has more
}

// rank returns how many numbers below i are no gaps.
func (g *Gaps) rank(i uint64) uint64 {
	b := min(i/blockNumbers, uint64(len(g.blocks)))
	left := i
	for k := b; k > 0; k -= k & -k {
		left -= uint64(g.tree[k])
	}
	if b < uint64(len(g.blocks)) && g.blocks[b] != nil {
		rest := i % blockNumbers
		for _, word := range g.blocks[b][:rest/64] {
			left -= uint64(bits.OnesCount64(word))
		}
		left -= uint64(bits.OnesCount64(g.blocks[b][rest/64] & (1<<(rest%64) - 1)))
	}
	return left
}

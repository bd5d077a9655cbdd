package generator

import "math/bits"

// rounds of the Feistel network. With fewer, some orders of five numbers are noticeably more frequent than others.
const rounds = 8

// Permutation is a random order of the numbers [0, n), without a table: a Feistel network over the next power of two,
// walked along its cycle until it hits a number below n (Black, Rogaway: Ciphers with arbitrary finite domains, 2002).
// Since the power of two is below 2n, that takes less than two steps on average.
type Permutation struct {
	n, seed     uint64
	left, right uint // bits of each half
}

// NewPermutation returns an order of [0, n) from a seed, 1 <= n <= 2^62; 0 counts as 1.
func NewPermutation(n, seed uint64) Permutation {
	n = max(1, n)
	width := uint(bits.Len64(n - 1))
	return Permutation{n: n, seed: seed, left: width / 2, right: width - width/2}
}

// At returns the number at place i; after n places the order repeats.
func (p Permutation) At(i uint64) uint64 {
	for x := p.encrypt(i % p.n); ; x = p.encrypt(x) {
		if x < p.n {
			return x
		}
	}
}

// encrypt permutes the numbers of left+right bits. Each round changes one half by a function of the other, which is
// invertible, so no two numbers collide.
func (p Permutation) encrypt(x uint64) uint64 {
	l, r := x>>p.right, x&(1<<p.right-1)
	for round := uint64(0); round < rounds; round += 2 {
		l ^= p.round(round, r) & (1<<p.left - 1)
		r ^= p.round(round+1, l) & (1<<p.right - 1)
	}
	return l<<p.right | r
}

func (p Permutation) round(n, half uint64) uint64 { return Mix(p.seed, half*rounds+n) }

// Passes gives the number for each of endless turns: every number of [0, n) once, in random order, then all again in
// another order, and so on.
type Passes struct{ n, seed uint64 }

// NewPasses returns the passes over [0, n) from a seed, 1 <= n <= 2^62; 0 counts as 1.
func NewPasses(n, seed uint64) Passes { return Passes{n: max(1, n), seed: Mix(seed, streamPass)} }

// At returns the number of a turn, counted from 0.
func (p Passes) At(turn uint64) uint64 {
	return NewPermutation(p.n, Mix(p.seed, turn/p.n)).At(turn % p.n)
}

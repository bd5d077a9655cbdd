package generator

import (
	"crypto/subtle"
	"encoding/binary"
	"math/bits"
)

const (
	blockBytes  = 4 << 10
	groupBlocks = 8
	groupBytes  = groupBlocks * blockBytes
)

// rotate writes block, rotated by some bytes and masked, starting at an offset.
func rotate(dst []byte, block, mask *[blockBytes]byte, from, by int) {
	by = (by + from) % blockBytes
	n := min(len(dst), blockBytes-by)
	subtle.XORBytes(dst[:n], block[by:by+n], mask[from:])
	subtle.XORBytes(dst[n:], block[:len(dst)-n], mask[from+n:])
}

const (
	wordBytes = 8
	pairBytes = 2 * wordBytes
)

// step is the distance of pairs in a sequence, from wyrand; odd, so that it visits all 2^64 positions.
const step uint64 = 0xa0761d6478bd642f

// sequence is a sequence of pairs of words: its start, and its own constant.
type sequence struct{ a, k uint64 }

// from returns the sequence from pair n on.
func (s sequence) from(n uint64) sequence { return sequence{s.a + n*step, s.k} }

// pair returns two words of a sequence; see the package comment.
func pair(a, k uint64) (uint64, uint64) {
	hi, lo := bits.Mul64(a, a^k)
	return hi ^ lo, lo + bits.RotateLeft64(hi, 23)
}

// fresh writes a sequence into dst, starting at byte at.
func fresh(dst []byte, s sequence, at int) {
	s = s.from(uint64(at / pairBytes))
	if skip := at % pairBytes; skip > 0 {
		p := s.bytes()
		dst = dst[copy(dst, p[skip:]):]
		s.a += step
	}
	a, k := s.a, s.k
	for len(dst) >= 4*pairBytes { // four at a time: one bounds check, and multiplications that overlap
		q := dst[: 4*pairBytes : 4*pairBytes]
		put(q, 0*pairBytes, a, k)
		a += step
		put(q, 1*pairBytes, a, k)
		a += step
		put(q, 2*pairBytes, a, k)
		a += step
		put(q, 3*pairBytes, a, k)
		a += step
		dst = dst[4*pairBytes:]
	}
	for s.a = a; len(dst) > 0; s.a += step {
		p := s.bytes()
		dst = dst[copy(dst, p[:]):]
	}
}

// put writes a pair.
func put(p []byte, at int, a, k uint64) {
	x, y := pair(a, k)
	binary.LittleEndian.PutUint64(p[at:], x)
	binary.LittleEndian.PutUint64(p[at+wordBytes:], y)
}

// bytes returns the first pair of the sequence.
func (s sequence) bytes() (p [pairBytes]byte) {
	put(p[:], 0, s.a, s.k)
	return p
}

// rotation returns the rotation of a block of the group that starts with s.
func (s sequence) rotation(block int) int { return int(s.draw(block) % blockBytes) }

// draw returns the random number of a block.
func (s sequence) draw(block int) uint64 { return Mix(s.a^s.k, uint64(block)) }

package generator

import (
	"crypto/subtle"
	"encoding/binary"
	"math/bits"
)

// Kinds lists the kinds of contents without parameters, the default first.
func Kinds() []string { return []string{"random", "zero"} }

// Data is the contents of the objects of one data set. It is safe for concurrent use.
type Data struct {
	zero    bool
	ring    *[]byte // contents of files; nil: contents are computed
	start   uint64  // seeds of an object's two constants
	whiten  uint64
	masks   [groupBlocks - 1][blockBytes]byte // of the blocks of a group after its first
	mixture *mixture                          // nil: contents are random
}

// NewData returns the contents of the objects of a data set, from one of ContentForms without a file.
func NewData(kind string, seed uint64) (*Data, error) {
	s := Spec{Generator: kind}
	return s.NewData(seed, seed)
}

// newRandom returns contents that neither compress nor repeat.
func newRandom(seed uint64) *Data {
	d := &Data{start: Mix(seed, streamContent), whiten: Mix(seed, streamWhiten)}
	for i := range d.masks {
		fresh(d.masks[i][:], sequence{Mix(seed, streamMask+uint64(i)), d.whiten}, 0)
	}
	return d
}

const (
	blockBytes  = 4 << 10
	groupBlocks = 8
	groupBytes  = groupBlocks * blockBytes
)

// Fill writes the contents of object i from offset off (at least 0) into dst.
func (d *Data) Fill(dst []byte, i uint64, off int64) {
	switch {
	case d.zero:
		clear(dst)
		return
	case d.ring != nil:
		d.fillRing(dst, i, off)
		return
	}
	s := sequence{Mix(d.start, i), Mix(d.whiten, i)}
	if m := d.mixture; m != nil && m.large > 0 {
		for len(dst) > 0 {
			n := int(min(int64(len(dst)), m.large-off%m.large))
			if !m.copyLarge(dst[:n], s, off) {
				d.fillGroups(dst[:n], s, off)
			}
			dst, off = dst[n:], off+int64(n)
		}
		return
	}
	d.fillGroups(dst, s, off)
}

// fillGroups writes the contents of an object with the sequence s, group by group.
func (d *Data) fillGroups(dst []byte, s sequence, off int64) {
	for len(dst) > 0 {
		group, at := off/groupBytes, int(off%groupBytes)
		n := min(len(dst), groupBytes-at)
		d.group(dst[:n], s.from(uint64(group)*(blockBytes/pairBytes)), at)
		dst, off = dst[n:], off+int64(n)
	}
}

// fillRing writes contents that come from files: object i begins at a block drawn by the seed, and the first byte follows the last one.
func (d *Data) fillRing(dst []byte, i uint64, off int64) {
	ring := *d.ring
	size := uint64(len(ring))
	begin := Uniform(d.start, i, (size+blockBytes-1)/blockBytes) * blockBytes
	for at := (begin + uint64(off)) % size; len(dst) > 0; at = 0 {
		dst = dst[copy(dst, ring[at:]):]
	}
}

// group writes the contents of a group from offset at. s starts with its first block.
func (d *Data) group(dst []byte, s sequence, at int) {
	switch {
	case d.mixture != nil:
		d.mixture.group(dst, s, at, &d.masks)
		return
	case at+len(dst) <= blockBytes:
		fresh(dst, s, at)
		return
	}
	var first [blockBytes]byte
	fresh(first[:], s, 0)
	for len(dst) > 0 {
		block, from := at/blockBytes, at%blockBytes
		n := min(len(dst), blockBytes-from)
		if block == 0 {
			copy(dst[:n], first[from:])
		} else {
			rotate(dst[:n], &first, &d.masks[block-1], from, s.rotation(block))
		}
		dst, at = dst[n:], at+n
	}
}

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

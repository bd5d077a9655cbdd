package generator

import "math"

const (
	minPool     = 4   // blocks that duplicates copy, where blocks are large
	phraseBytes = 64  // after which the compressible part of blocks repeats
	uniqueBytes = 32  // of each block at least, so that compressible blocks are no duplicates
	poolBlocks  = 256 // blocks of blockBytes that duplicates copy; 1 MiB
)

// mixture makes contents that compress in part, or whose blocks repeat. The other part is as in random contents.
//
// The compressible part of a block is one run of a phrase of the seed, of 64 letters and digits. It begins at a random place of the block
// and continues at its beginning. So any part of an object has that share on average, and objects smaller than a block too.
// Duplicates are drawn from blocks that all clients have in common.
type mixture struct {
	phrase    [blockBytes]byte // repeated
	length    int              // of the compressible part of each block
	threshold uint64           // draws below it are duplicates
	pool      []byte

	large     int64  // bytes of the blocks that are duplicated; 0: blockBytes
	largeDups uint64 // threshold of these
}

// newMixture returns the mixture of a data set, which is the same for all clients with this seed.
func newMixture(c contentForm, seed uint64) *mixture {
	m := &mixture{length: min(int(float64(c.compressible*blockBytes/100)+0.5), blockBytes-uniqueBytes)}
	if m.threshold = math.MaxUint64; c.duplicate < 100 {
		m.threshold = uint64(c.duplicate / 100 * (1 << 64))
	}
	s := Mix(seed, streamPhrase)
	var phrase []byte
	for i := range uint64(phraseBytes / 8) {
		phrase = appendChars(phrase, Mix(s, i), 8)
	}
	for at := 0; at < blockBytes; at += phraseBytes {
		copy(m.phrase[at:], phrase)
	}
	if m.threshold == 0 {
		return m
	}
	size := int64(poolBlocks * blockBytes)
	if c.block > 0 {
		m.large, m.largeDups, m.threshold = c.block, m.threshold, 0
		size = max(size/c.block, minPool) * c.block
	}
	m.pool = make([]byte, size)
	for k := range uint64(size / blockBytes) {
		block := m.pool[k*blockBytes : (k+1)*blockBytes]
		s := sequence{Mix(Mix(seed, streamPool), k), Mix(seed, streamWhiten)}
		fresh(block, s, 0)
		begin := int(s.a % blockBytes)
		for at := 0; at < blockBytes; {
			n, compressible := m.run(at, begin)
			if compressible {
				copy(block[at:at+n], m.phrase[:])
			}
			at += n
		}
	}
	return m
}

// run returns how many bytes from offset at of a block compress, or do not. Those that do begin at an offset of their own.
func (m *mixture) run(at, begin int) (n int, compressible bool) {
	within := (at - begin) & (blockBytes - 1)
	if within < m.length {
		return min(m.length-within, blockBytes-at), true
	}
	return min(blockBytes-within, blockBytes-at), false
}

// group writes the contents of a group from offset at; see Data.group.
func (m *mixture) group(dst []byte, s sequence, at int, masks *[groupBlocks - 1][blockBytes]byte) {
	if at+len(dst) <= blockBytes {
		m.block(dst, at, 0, s, func(q []byte, from, _ int) { fresh(q, s, from) })
		return
	}
	var first [blockBytes]byte
	fresh(first[:], s, 0)
	for len(dst) > 0 {
		block, from := at/blockBytes, at%blockBytes
		n := min(len(dst), blockBytes-from)
		m.block(dst[:n], from, block, s, func(q []byte, from, by int) {
			if block == 0 {
				copy(q, first[from:])
			} else {
				rotate(q, &first, &masks[block-1], from, by)
			}
		})
		dst, at = dst[n:], at+n
	}
}

// copyLarge writes the contents of an object with the sequence s from an offset on, within a large block, if that is a duplicate.
func (m *mixture) copyLarge(dst []byte, s sequence, off int64) bool {
	draw := Mix(s.k, uint64(off/m.large)^streamLarge)
	if draw >= m.largeDups {
		return false
	}
	copies := uint64(int64(len(m.pool)) / m.large)
	copy(dst, m.pool[int64(Uniform(draw, 0, copies))*m.large+off%m.large:])
	return true
}

// block writes the contents of a block of the group that starts with s, from offset at; other writes what does not compress.
func (m *mixture) block(p []byte, at, block int, s sequence, other func(q []byte, at, rotation int)) {
	draw := s.draw(block)
	if draw < m.threshold {
		copy(p, m.pool[Uniform(draw, 0, poolBlocks)*blockBytes+uint64(at):])
		return
	}
	rotation := int(draw % blockBytes)
	begin := blockBytes - rotation // where rotate splits anyway
	for len(p) > 0 {
		n, compressible := m.run(at, begin)
		n = min(n, len(p))
		if compressible {
			copy(p[:n], m.phrase[at%phraseBytes:])
		} else {
			other(p[:n], at, rotation)
		}
		p, at = p[n:], at+n
	}
}

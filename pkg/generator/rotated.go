package generator

import "io"

// Rotated describes a group of blocks by its first one, which it writes into first: block i+1 is the first one rotated left by by[i]
// bytes and XORed with masks[i]. masks are always the same; nil if the contents are made in another way or begin within a group, or if
// the reader is another one that has b inside, whose contents may differ.
func (b *Body) Rotated(
	reader io.ReaderAt, group int64, first *[blockBytes]byte, by *[groupBlocks - 1]int,
) (masks *[groupBlocks - 1][blockBytes]byte) {
	d := b.data
	if reader != io.ReaderAt(b) || d.zero || d.ring != nil || d.mixture != nil || b.from%groupBytes != 0 {
		return nil
	}
	group += b.from / groupBytes
	s := sequence{Mix(d.start, b.i), Mix(d.whiten, b.i)}.from(uint64(group) * (blockBytes / pairBytes))
	fresh(first[:], s, 0)
	for i := range by {
		by[i] = s.rotation(i + 1)
	}
	return &d.masks
}

package generator

const (
	// BlockBytes is the length of a block of contents.
	BlockBytes = blockBytes
	// GroupBlocks is the number of blocks in a group; see the package comment.
	GroupBlocks = groupBlocks
)

// Rotated describes a group of blocks by its first one, which it writes into first: block i+1 is the first one rotated left by by[i]
// bytes and XORed with masks[i]. masks are always the same; nil if the contents are made in another way, or begin within a group.
func (b *Body) Rotated(group int64, first *[BlockBytes]byte, by *[GroupBlocks - 1]int) (masks *[GroupBlocks - 1][BlockBytes]byte) {
	d := b.data
	if d.zero || d.ring != nil || d.mixture != nil || b.from%groupBytes != 0 {
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

// rotation returns the rotation of a block of the group that starts with s.
func (s sequence) rotation(block int) int { return int(s.draw(block) % blockBytes) }

// draw returns the random number of a block.
func (s sequence) draw(block int) uint64 { return Mix(s.a^s.k, uint64(block)) }

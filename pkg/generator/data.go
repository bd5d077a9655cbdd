package generator

// Data is the contents of the objects of one data set. It is safe for concurrent use.
type Data struct {
	zero    bool
	ring    *[]byte // contents of files; nil: contents are computed
	start   uint64  // seeds of an object's two constants
	whiten  uint64
	masks   [groupBlocks - 1][blockBytes]byte // of the blocks of a group after its first
	mixture *mixture                          // nil: contents are random
}

// newRandom returns contents that neither compress nor repeat.
func newRandom(seed uint64) *Data {
	d := &Data{start: Mix(seed, streamContent), whiten: Mix(seed, streamWhiten)}
	for i := range d.masks {
		fresh(d.masks[i][:], sequence{Mix(seed, streamMask+uint64(i)), d.whiten}, 0)
	}
	return d
}

// fill writes the contents of object i from offset off (at least 0) into dst.
func (d *Data) fill(dst []byte, i uint64, off int64) {
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

// DuplicateBlock returns the size of the blocks that are duplicated, in bytes; that of contents without duplicates is the usual one.
func (d *Data) DuplicateBlock() int64 {
	if d.mixture == nil || d.mixture.large == 0 {
		return blockBytes
	}
	return d.mixture.large
}

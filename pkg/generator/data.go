package generator

import (
	"crypto/subtle"
	"fmt"
	"strings"
)

// Kinds lists the kinds of contents that NewData makes, the default first.
func Kinds() []string { return []string{"random", "zero"} }

// Data is the contents of the objects of one data set. It is safe for concurrent use.
type Data struct {
	zero   bool
	start  uint64 // seeds of an object's two constants
	whiten uint64
	masks  [groupBlocks - 1][blockBytes]byte // of the blocks of a group after its first
}

// NewData returns the contents of the objects of a data set: "random" (also ""), which neither compress nor repeat, or
// "zero".
func NewData(kind string, seed uint64) (*Data, error) {
	switch kind {
	case "", "random":
		d := &Data{start: Mix(seed, streamContent), whiten: Mix(seed, streamWhiten)}
		for i := range d.masks {
			fresh(d.masks[i][:], sequence{Mix(seed, streamMask+uint64(i)), d.whiten}, 0)
		}
		return d, nil
	case "zero":
		return &Data{zero: true}, nil
	}
	return nil, fmt.Errorf("invalid data generator %q (want %s)", kind, strings.Join(Kinds(), " or "))
}

const (
	blockBytes  = 4 << 10
	groupBlocks = 8
	groupBytes  = groupBlocks * blockBytes
)

// Fill writes the contents of object i from offset off (at least 0) into dst.
func (d *Data) Fill(dst []byte, i uint64, off int64) {
	if d.zero {
		clear(dst)
		return
	}
	s := sequence{Mix(d.start, i), Mix(d.whiten, i)}
	for len(dst) > 0 {
		group, at := off/groupBytes, int(off%groupBytes)
		n := min(len(dst), groupBytes-at)
		d.group(dst[:n], s.from(uint64(group)*(blockBytes/pairBytes)), at)
		dst, off = dst[n:], off+int64(n)
	}
}

// group writes the contents of a group from offset at. s starts with its first block.
func (d *Data) group(dst []byte, s sequence, at int) {
	if at+len(dst) <= blockBytes {
		fresh(dst, s, at)
		return
	}
	var first [blockBytes]byte
	fresh(first[:], s, 0)
	rotations := s.a ^ s.k
	for len(dst) > 0 {
		block, from := at/blockBytes, at%blockBytes
		n := min(len(dst), blockBytes-from)
		if block == 0 {
			copy(dst[:n], first[from:])
		} else {
			rotated(dst[:n], &first, &d.masks[block-1], from, int(Mix(rotations, uint64(block))%blockBytes))
		}
		dst, at = dst[n:], at+n
	}
}

// rotated writes block, rotated by some bytes and masked, from an offset on.
func rotated(dst []byte, block, mask *[blockBytes]byte, from, turn int) {
	turn = (turn + from) % blockBytes
	n := min(len(dst), blockBytes-turn)
	subtle.XORBytes(dst[:n], block[turn:turn+n], mask[from:])
	subtle.XORBytes(dst[n:], block[:len(dst)-n], mask[from+n:])
}

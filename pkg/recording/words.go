package recording

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// Text is searched eight bytes at a time.
const (
	ones  = 0x0101010101010101 // multiplied by a byte: that byte eight times
	highs = 0x80 * ones        // the highest bit of each byte
)

// indexSep is bytes.IndexByte, faster for the short fields of a row.
func indexSep(b []byte, sep byte) int {
	i := 0
	for ; i+8 <= len(b) && i < 40; i += 8 { // 40: only keys are often longer
		x := binary.LittleEndian.Uint64(b[i:]) ^ ones*uint64(sep)
		if zero := (x - ones) &^ x & highs; zero != 0 { // its lowest bit is in the first zero byte of x
			return i + bits.TrailingZeros64(zero)/8
		}
	}
	if n := bytes.IndexByte(b[i:], sep); n >= 0 {
		return i + n
	}
	return -1
}

// eightBytes returns the first eight bytes of s, the first in the lowest byte.
func eightBytes(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// anyBelow reports whether a byte of x is less than c, which is at most 128.
func anyBelow(x uint64, c byte) bool { return (x-ones*uint64(c))&^x&highs != 0 }

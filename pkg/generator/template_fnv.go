package generator

import "sync"

// {fnv} is what YCSB has in the keys of its records: the FNV-1a hash of a number of 8 bytes, the least significant first, without its sign.

// maxFNV is how many numbers are found by their hash, those from 0.
const maxFNV = 1 << 32

const (
	fnvStart   = 0xcbf29ce484222325
	fnvPrime   = 0x100000001b3
	fnvInverse = 0xce965057aff6957b // of the prime, modulo 2^64
)

// fnv returns the hash of a number.
func fnv(n uint64) uint64 {
	h := uint64(fnvStart)
	for range 8 {
		h = (h ^ n&0xff) * fnvPrime
		n >>= 8
	}
	if int64(h) < 0 {
		return -h
	}
	return h
}

// fnvStates are the hashes of all pairs of bytes, without their last byte: that one hides the next byte of the number.
var fnvStates = sync.OnceValue(func() map[uint64]uint16 {
	states := make(map[uint64]uint16, 1<<16)
	for n := range uint64(1 << 16) {
		h := (fnvStart ^ n&0xff) * fnvPrime
		h = (h ^ n>>8) * fnvPrime
		states[h>>8] = uint16(n)
	}
	return states
})

// fnvIndex returns the number below maxFNV that has a hash. Its upper four bytes are zero, so that their steps can be undone; of the lower
// ones, two are known from the states and two are tried.
func fnvIndex(hash uint64) (n uint64, ok bool) {
	for _, h := range [2]uint64{hash, -hash} {
		for range 4 {
			h *= fnvInverse
		}
		h *= fnvInverse // the hash of three bytes, but for its last byte, which the fourth one hides
		for fourth := range uint64(256) {
			third := (h ^ fourth) * fnvInverse
			low, found := fnvStates()[third>>8]
			if !found {
				continue
			}
			state := (fnvStart ^ uint64(low)&0xff) * fnvPrime
			state = (state ^ uint64(low)>>8) * fnvPrime
			if b := state ^ third; b < 256 {
				n = uint64(low) | b<<16 | fourth<<24
				if fnv(n) == hash {
					return n, true
				}
			}
		}
	}
	return 0, false
}

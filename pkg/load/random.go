package load

import "math/rand/v2"

// unit returns a random number of (0, 1].
func unit(source *rand.PCG) float64 { return fraction(source.Uint64()) }

// fraction returns a number of (0, 1] for 64 random bits.
func fraction(bits uint64) float64 { return float64(bits>>11+1) * (1.0 / (1 << 53)) }

// weyl is the step of a counter whose mixed values are random, as in SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
// generators, 2014). Unlike rand.PCG's they do not depend on each other, so that the processor computes several at a time.
const weyl = 0x9e3779b97f4a7c15

// mixed returns a random number for a counter.
func mixed(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

package generator

import "math/bits"

// Streams of random numbers, one per purpose, so that draws for different purposes are independent.
// The values spell their purpose in ASCII; they must never change, or a seed would give another data set.
const (
	streamSize    = 0x73697a65
	streamDir     = 0x64697273
	streamName    = 0x6e616d65
	streamTail    = 0x7461696c
	streamContent = 0x626f6479
	streamWhiten  = 0x77686974
	streamMask    = 0x6d61736b // and the numbers that follow
	streamPass    = 0x70617373
	streamClaim   = 0x636c6169
	streamChoice  = 0x63686f69
	streamRank    = 0x72616e6b
	streamPhrase  = 0x70687261
	streamPool    = 0x706f6f6c
	streamLarge   = 0x6c61726765
	streamHash    = 0x68617368 // and the number that follows
	streamShard   = 0x73686172
	streamNamed   = 0x6e6d6564
	streamSeed    = 0x73656564 // and the numbers that follow
)

// Mix derives a new seed from a seed and a number, so that everything that differs by client, pass or purpose has a
// stream of its own. It is the finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
// generators, 2014) over both values.
func Mix(seed, n uint64) uint64 {
	z := seed + 0x9e3779b97f4a7c15*(n+1)
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// Uniform returns draw i of a stream of numbers in [0, n); 0 if n is 0. The bias of each value is below n/2^64, since
// the draw is the high half of a 128-bit product.
func Uniform(seed, i, n uint64) uint64 {
	hi, _ := bits.Mul64(Mix(seed, i), n)
	return hi
}

// unmix is the inverse of Mix for a seed.
func unmix(seed, z uint64) (n uint64) {
	z ^= z>>31 ^ z>>62
	z *= mixInverse2
	z ^= z>>27 ^ z>>54
	z *= mixInverse1
	z ^= z>>30 ^ z>>60
	return (z-seed)*mixInverseStep - 1
}

// Multiplicative inverses modulo 2^64 of the constants of Mix.
const (
	mixInverse1    = 0x96de1b173f119089
	mixInverse2    = 0x319642b2d24d8ec3
	mixInverseStep = 0xf1de83e19937733d
)

// alphabet is safe in URLs and file names.
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// appendChars appends n characters, at most 8: the first digits of x as a fraction in base 62.
func appendChars(dst []byte, x uint64, n int) []byte {
	for range n {
		var digit uint64
		digit, x = bits.Mul64(x, uint64(len(alphabet)))
		dst = append(dst, alphabet[digit])
	}
	return dst
}

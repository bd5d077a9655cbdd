package bench

import (
	"math/bits"
	"sync"
)

// bitmap is a set of indices, one bit each. It is safe for concurrent use.
type bitmap struct {
	mu   sync.Mutex
	bits []uint64
}

func (b *bitmap) set(i uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for uint64(len(b.bits)) <= i/64 {
		b.bits = append(b.bits, 0)
	}
	b.bits[i/64] |= 1 << (i % 64)
}

func (b *bitmap) has(i uint64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return i/64 < uint64(len(b.bits)) && b.bits[i/64]&(1<<(i%64)) != 0
}

// len is how many indices are in the set.
func (b *bitmap) len() (n uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, word := range b.bits {
		n += uint64(bits.OnesCount64(word))
	}
	return n
}

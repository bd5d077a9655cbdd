package bench

import "sync"

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

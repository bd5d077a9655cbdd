package dataset

import (
	"math"
	"math/bits"
	"sync"
)

// Bitmap is a set of indices, one bit each. It is safe for concurrent use.
type Bitmap struct {
	mu   sync.Mutex
	bits []uint64
}

// Set adds an index, and reports whether it is new.
func (b *Bitmap) Set(i uint64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i/64 < uint64(len(b.bits)) && b.bits[i/64]&(1<<(i%64)) != 0 {
		return false
	}
	b.put(i)
	return true
}

// setAll adds the indices from first to end-1.
func (b *Bitmap) setAll(first, end uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for ; first < end && first%64 > 0; first++ {
		b.put(first)
	}
	if words := int(end / 64); words > len(b.bits) && first < end {
		b.bits = append(b.bits, make([]uint64, words-len(b.bits))...)
	}
	for ; first+64 <= end; first += 64 {
		b.bits[first/64] = math.MaxUint64
	}
	for ; first < end; first++ {
		b.put(first)
	}
}

// Clear removes all indices.
func (b *Bitmap) Clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.bits)
}

// put adds an index; b.mu is held.
func (b *Bitmap) put(i uint64) {
	for uint64(len(b.bits)) <= i/64 {
		b.bits = append(b.bits, 0)
	}
	b.bits[i/64] |= 1 << (i % 64)
}

// Remove takes an index out of the set.
func (b *Bitmap) Remove(i uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i/64 < uint64(len(b.bits)) {
		b.bits[i/64] &^= 1 << (i % 64)
	}
}

// End returns an index above all in the set.
func (b *Bitmap) End() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return 64 * uint64(len(b.bits))
}

// Has reports whether an index is in the set.
func (b *Bitmap) Has(i uint64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return i/64 < uint64(len(b.bits)) && b.bits[i/64]&(1<<(i%64)) != 0
}

// Len returns the number of indices in the set.
func (b *Bitmap) Len() (n uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, word := range b.bits {
		n += uint64(bits.OnesCount64(word))
	}
	return n
}

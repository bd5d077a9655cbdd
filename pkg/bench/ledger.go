package bench

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"warp/pkg/load"
)

// Ledger records which objects of a data set a client has made, and which of them are deleted.
type Ledger struct {
	Part      load.Share    // the indices that this client uploads and cleans up: part.Index, part.Index+part.Total, ...
	next      atomic.Uint64 // how many of them it has used: their objects may be in the bucket
	gone      bitmap        // indices of objects that are known to be deleted
	versioned atomic.Bool   // the bucket keeps versions of what is uploaded
	claimed   string        // key of the claim on the names of the objects; empty: no claim
	etags     *etags        // nil: they are not kept
	capacity  *capacity     // of the store, for all data sets
	uploads   uploads       // that are unfinished
}

// New returns the index of an object to upload. No other client gets the same.
func (l *Ledger) New() uint64 { return l.own(l.next.Add(1) - 1) }

// own returns index number n of this client.
func (l *Ledger) own(n uint64) uint64 { return l.Part.Index + n*l.Part.Total }

// owns reports whether this client may have uploaded object i.
func (l *Ledger) owns(i uint64) bool {
	return i%l.Part.Total == l.Part.Index && i/l.Part.Total < l.next.Load()
}

// partOf returns how many of the first n objects this client uploads.
func (l *Ledger) partOf(n uint64) uint64 {
	if n <= l.Part.Index {
		return 0
	}
	return (n-l.Part.Index-1)/l.Part.Total + 1
}

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

// end returns an index above all in the set.
func (b *bitmap) end() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return 64 * uint64(len(b.bits))
}

func (b *bitmap) has(i uint64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return i/64 < uint64(len(b.bits)) && b.bits[i/64]&(1<<(i%64)) != 0
}

// len returns the number of indices in the set.
func (b *bitmap) len() (n uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, word := range b.bits {
		n += uint64(bits.OnesCount64(word))
	}
	return n
}

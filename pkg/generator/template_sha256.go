package generator

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"sync"
)

// {sha256} is what object-store-bench has in the names of its objects: the SHA-256 of a number of 4 bytes, the least significant first.

// maxHashed is how many numbers are found by their hash, those from 0.
const maxHashed = 1 << 22

const sha256Digits = 2 * sha256.Size

// sha256Of returns the hash of a number.
func sha256Of(i uint64) [sha256.Size]byte {
	var number [4]byte
	binary.LittleEndian.PutUint32(number[:], uint32(i))
	return sha256.Sum256(number[:])
}

func appendSHA256(dst []byte, i uint64) []byte {
	sum := sha256Of(i)
	return hex.AppendEncode(dst, sum[:])
}

// hashed finds numbers by their hash.
var hashed = hashTable{most: maxHashed}

// hashTable is a table of numbers by the first bytes of their hash; those with the same ones lie behind each other. It grows when a hash
// is not in it: data sets have all numbers from 0.
type hashTable struct {
	most  uint64
	mu    sync.Mutex
	slots []uint32 // number + 1; 0: empty. At most half of them are in use
	n     uint64   // numbers below are in the table
}

// find returns the number that has a hash in hexadecimal.
func (t *hashTable) find(text string) (i uint64, ok bool) {
	var sum [sha256.Size]byte
	if len(text) != sha256Digits {
		return 0, false
	}
	if _, err := hex.Decode(sum[:], []byte(text)); err != nil {
		return 0, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		if i, ok = t.lookup(&sum); ok || t.n == t.most {
			return i, ok
		}
		t.fill(min(max(2*t.n, 1<<12), t.most))
	}
}

func (t *hashTable) lookup(sum *[sha256.Size]byte) (i uint64, ok bool) {
	if t.n == 0 {
		return 0, false
	}
	for at := t.slot(sum); t.slots[at] != 0; at = (at + 1) % len(t.slots) {
		if i = uint64(t.slots[at] - 1); sha256Of(i) == *sum {
			return i, true
		}
	}
	return 0, false
}

// fill makes a table of n numbers.
func (t *hashTable) fill(n uint64) {
	t.n, t.slots = n, make([]uint32, 2*n)
	for i := range n {
		sum := sha256Of(i)
		at := t.slot(&sum)
		for t.slots[at] != 0 {
			at = (at + 1) % len(t.slots)
		}
		t.slots[at] = uint32(i) + 1
	}
}

func (t *hashTable) slot(sum *[sha256.Size]byte) int {
	return int(binary.LittleEndian.Uint64(sum[:]) % uint64(len(t.slots)))
}

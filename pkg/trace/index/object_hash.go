package index

import "github.com/cespare/xxhash/v2"

// objectHash hashes objects, to sort them by their hashes.
type objectHash struct {
	bucket []byte // of the last object
	sum    uint64 // of that bucket
}

// of returns the hash of an object. Two of ten million objects have the same hash with a probability of 3 in a million.
func (h *objectHash) of(bucket, key []byte) uint64 {
	if string(h.bucket) != string(bucket) || h.sum == 0 {
		h.bucket = append(h.bucket[:0], bucket...)
		h.sum = xxhash.Sum64(bucket) * 0x9e3779b97f4a7c15
	}
	return xxhash.Sum64(key) + h.sum
}

// prefixHash returns the hash of a prefix, which differs from that of an object of the same name.
func prefixHash(object uint64) uint64 { return ^object }

package index

import "github.com/cespare/xxhash/v2"

// objectHash gives objects numbers by which they are sorted.
type objectHash struct {
	bucket []byte // of the last object
	sum    uint64 // of that bucket
}

// of returns the number of an object. Two of ten million objects have the same one with a probability of 3 in a million.
func (h *objectHash) of(bucket, key []byte) uint64 {
	if string(h.bucket) != string(bucket) || h.sum == 0 {
		h.bucket = append(h.bucket[:0], bucket...)
		h.sum = xxhash.Sum64(bucket) * 0x9e3779b97f4a7c15
	}
	return xxhash.Sum64(key) + h.sum
}

// prefixHash returns the number of a prefix from that of an object of the same name, so that the two differ.
func prefixHash(object uint64) uint64 { return ^object }

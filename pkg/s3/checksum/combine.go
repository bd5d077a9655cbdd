package checksum

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strconv"
)

// Combiner computes the checksum of contents from the checksums of their parts, as S3 does for objects that are uploaded in parts.
type Combiner struct {
	algorithm *Algorithm
	field     *field // of a checksum of the full object; nil: the checksums of the parts are hashed

	register uint64
	size     int64  // of the latest part
	power    uint64 // x^8size
	digests  []byte
	parts    int
}

// Combines reports whether checksums of parts make that of the full object: those that are CRCs do.
func (a *Algorithm) Combines() bool { return fields[a.Name] != nil }

// NewCombiner returns a Combiner to a checksum of the full object, or else of the checksums of its parts.
func NewCombiner(a *Algorithm, fullObject bool) *Combiner {
	c := &Combiner{algorithm: a}
	if fullObject {
		c.field = fields[a.Name]
	}
	return c
}

// Add adds the next part, whose checksum is in base64.
func (c *Combiner) Add(text string, size int64) error {
	digest, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(digest) != c.algorithm.Size {
		return fmt.Errorf("checksum %q is not %s in base64", text, c.algorithm.Name)
	}
	c.parts++
	if c.field == nil {
		c.digests = append(c.digests, digest...)
		return nil
	}
	if c.power == 0 || size != c.size {
		c.size, c.power = size, c.field.power(size)
	}
	var word [8]byte
	copy(word[8-len(digest):], digest)
	c.register = c.field.product(c.register, c.power) ^ binary.BigEndian.Uint64(word[:])
	return nil
}

// Sum returns the checksum in base64; of checksums of parts, their number follows it.
func (c *Combiner) Sum() string {
	if c.field != nil {
		return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint64(nil, c.register)[8-c.algorithm.Size:])
	}
	h := c.algorithm.New()
	_, _ = h.Write(c.digests) // it never fails
	return base64.StdEncoding.EncodeToString(h.Sum(nil)) + "-" + strconv.Itoa(c.parts)
}

// product multiplies two polynomials.
func (f *field) product(a, b uint64) (p uint64) {
	for i := f.bits - 1; i >= 0; i-- {
		p ^= b & -(a >> i & 1)
		b = f.timesX(b)
	}
	return p
}

// power returns x^8n: what n more bytes multiply a CRC by.
func (f *field) power(n int64) uint64 {
	p := uint64(1) << (f.bits - 1)
	for square := f.times(p, 8); n > 0; n >>= 1 {
		if n&1 != 0 {
			p = f.product(p, square)
		}
		square = f.product(square, square)
	}
	return p
}

package hist

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// maxCount bounds the number of values in a histogram from the network, so that many of them can be added up.
const maxCount = 1 << 50

// MarshalText returns the wire form of a histogram, base64 of: the bits that its buckets keep, the exact figures, and
// the non-empty buckets, see counts.appendTo.
func (h *Histogram) MarshalText() ([]byte, error) {
	if h.counts.kept == 0 {
		return nil, errors.New("histogram not made by New")
	}
	b := []byte{byte(h.counts.kept)}
	b = binary.AppendVarint(b, h.clamped)
	b = binary.AppendVarint(b, h.sum)
	b = binary.AppendVarint(b, h.Min())
	b = binary.AppendVarint(b, h.Max())
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(h.sq))
	return base64.StdEncoding.AppendEncode(nil, h.counts.appendTo(b)), nil
}

var errWire = errors.New("histogram: malformed")

// UnmarshalText parses the wire form. It may come from the network: what no values can produce is rejected.
func (h *Histogram) UnmarshalText(text []byte) error {
	b, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil || len(b) == 0 {
		return errWire
	}
	r := Histogram{counts: counts{kept: Precision(b[0])}}
	if r.counts.kept != Live && r.counts.kept != Coarse && r.counts.kept != Fine {
		return fmt.Errorf("histogram: invalid precision %d (want %d, %d or %d)", r.counts.kept, Live, Coarse, Fine)
	}
	b = b[1:]
	for _, figure := range []*int64{&r.clamped, &r.sum, &r.min, &r.max} {
		n := 0
		if *figure, n = binary.Varint(b); n <= 0 {
			return errWire
		}
		b = b[n:]
	}
	if len(b) < 8 {
		return errWire
	}
	r.sq = math.Float64frombits(binary.BigEndian.Uint64(b))
	if err := r.counts.decode(b[8:]); err != nil {
		return err
	}
	n := float64(r.counts.n)
	if !(r.sq >= 0 && r.sq <= n*float64(MaxValue)*float64(MaxValue)*1.01) ||
		r.sum < 0 || r.clamped < 0 || r.clamped > r.counts.n || r.min > r.max {
		return errors.New("histogram: figures contradict the values")
	}
	if r.counts.n == 0 {
		r.min, r.max = math.MaxInt64, math.MinInt64
	}
	*h = r
	return nil
}

// appendTo appends pairs of varints: the number of empty buckets before the next non-empty one, and its count.
func (c *counts) appendTo(b []byte) []byte {
	next := 0
	for i, buckets := range c.octaves {
		at := (c.first + i) << c.kept
		for bucket := range buckets {
			if n := c.count(c.first+i, bucket); n > 0 {
				b = binary.AppendUvarint(b, uint64(at+bucket-next))
				b = binary.AppendUvarint(b, uint64(n))
				next = at + bucket + 1
			}
		}
	}
	return b
}

// decode counts what appendTo wrote.
func (c *counts) decode(b []byte) error {
	octave, bucket := c.place(MaxValue)
	end := uint64(octave<<c.kept+bucket) + 1
	for at := uint64(0); len(b) > 0; at++ {
		empty, width := binary.Uvarint(b)
		if width <= 0 || empty >= end || at+empty >= end {
			return errWire
		}
		at, b = at+empty, b[width:]
		n, width := binary.Uvarint(b)
		if width <= 0 || n == 0 || n > uint64(maxCount-c.n) {
			return errWire
		}
		b = b[width:]
		octave := int(at >> c.kept)
		c.increase(c.buckets(octave), octave, int(at)&(1<<c.kept-1), int64(n))
		c.n += int64(n)
	}
	return nil
}

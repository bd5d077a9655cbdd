package aggregate

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
)

// maxTouches bounds the number of operations from the network, so that many can be added up.
const maxTouches = 1 << 50

// MarshalText returns the wire form, base64 of varints: operations, halvings, missed, then the sample and the hot objects. Of each
// list its length, and of each object the difference of its hash to the one before, its operations and its size.
func (t *Touched) MarshalText() ([]byte, error) {
	b := binary.AppendUvarint(nil, uint64(t.ops))
	b = binary.AppendUvarint(b, uint64(t.halvings))
	b = binary.AppendUvarint(b, uint64(t.missed))
	for _, list := range [][]touch{t.sample, t.hot} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		last := uint64(0)
		for _, e := range list {
			b = binary.AppendUvarint(b, e.hash-last)
			b = binary.AppendUvarint(b, uint64(e.ops))
			b = binary.AppendUvarint(b, uint64(e.size))
			last = e.hash
		}
	}
	return base64.StdEncoding.AppendEncode(nil, b), nil
}

var errTouched = errors.New("objects touched: malformed")

// UnmarshalText parses the wire form. It may come from the network.
func (t *Touched) UnmarshalText(text []byte) error {
	b, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return errTouched
	}
	r := varints{rest: b}
	got := Touched{ops: int64(r.next(maxTouches)), halvings: uint(r.next(63)), missed: int64(r.next(maxTouches))}
	got.sample = r.touches(touchedSample, func(hash uint64) bool { return sampled(hash, got.halvings) })
	got.hot = r.touches(touchedHot, func(hash uint64) bool { return !sampled(hash, got.halvings) })
	if r.bad || len(r.rest) > 0 || got.ops == 0 || got.halvings == 0 && (got.missed > 0 || len(got.hot) > 0) {
		return errTouched
	}
	*t = got
	return nil
}

// varints reads numbers; bad is set if one is missing or too large.
type varints struct {
	rest []byte
	bad  bool
}

func (r *varints) next(limit uint64) uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v > limit {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// touches reads a list of objects that belong to it.
func (r *varints) touches(limit uint64, belongs func(hash uint64) bool) (list []touch) {
	hash := uint64(0)
	for range r.next(limit) {
		d := r.next(math.MaxUint64 - hash)
		hash += d
		e := touch{hash, int64(r.next(maxTouches)), int64(r.next(math.MaxInt64))}
		if r.bad || d == 0 || e.ops == 0 || !belongs(hash) {
			r.bad = true
			return nil
		}
		list = append(list, e)
	}
	return list
}

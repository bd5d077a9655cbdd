package trace

import (
	"encoding/binary"
	"math"

	"warp/pkg/op"
)

// column is a column of a block being read.
type column struct {
	rest []byte
	bad  bool
}

// next returns the next number. At a number that is invalid it sets bad and returns 0.
func (c *column) next() uint64 {
	v, n := binary.Uvarint(c.rest)
	if n <= 0 || v > math.MaxInt64 {
		c.bad = true
		return 0
	}
	c.rest = c.rest[n:]
	return v
}

// details reads the fields that appendDetails appended.
func (c *column) details(o *Operation) {
	switch o.Kind {
	case op.PutPart:
		o.Part = int(c.next())
		return
	case op.List:
		o.Listed = Listed(c.next())
		return
	case op.Copy:
		o.Source = int64(c.next()) - 1
		return
	case op.CopyPart:
		o.Part, o.Source = int(c.next()), int64(c.next())-1
	}
	o.Offset, o.Length = int64(c.next())-1, int64(c.next())
}
